/**
 * `npm run test:browser`: the demo page in a real Chromium against a real server on a port and data folder of its own.
 * `-- --url http://127.0.0.1:8080` uses a server that runs already. Screenshots go to var/screenshots/.
 *
 * Exit codes: 0 all passed · 1 a test failed · 2 there is no Chromium.
 */
import { randomBytes } from 'node:crypto';
import { after, before } from 'node:test';
import { parseArgs } from 'node:util';
import { choiceTests } from './choice-tests.ts';
import { chromiumMissing, findChromium, launchChromium } from './chromium.ts';
import { inboxTests } from './inbox-tests.ts';
import { lookTests } from './look-tests.ts';
import { pushTests } from './push-tests.ts';
import { replayTests } from './replay-tests.ts';
import { type RunningServer, startServer } from './running-server.ts';
import type { Surroundings } from './surroundings.ts';

const { values } = parseArgs({ options: { url: { type: 'string' } } });
const executable = findChromium();
if (executable === null) {
  console.error(chromiumMissing);
  process.exit(2);
}

// A server that runs already may know the people of an earlier run. Those of the trace are numbers and stay who they are.
const suffix = values.url === undefined ? '' : `-${randomBytes(3).toString('hex')}`;
const around = { person: (name: string) => (/^\d+$/.test(name) ? name : `${name}${suffix}`) } as Surroundings;
let server: RunningServer | undefined;

before(async () => {
  if (values.url === undefined) server = await startServer();
  around.url = values.url ?? server?.url ?? '';
  around.browser = await launchChromium(executable);
});
after(async () => {
  await around.browser?.close();
  await server?.stop();
});

inboxTests(around);
choiceTests(around);
pushTests(around);
replayTests(around);
lookTests(around);
