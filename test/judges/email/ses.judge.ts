/** Mail by SES through Amazon's own SDK, against another implementation of the SES v2 API (V20). */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import * as sesLocal from 'aws-ses-v2-local';
import { simpleParser } from 'mailparser';
import { systemClock } from '../../../server/src/base/clock.ts';
import { EmailProviderSes } from '../../../server/src/deliver/email/email-provider-ses.ts';
import { testMessage } from '../../../server/src/deliver/email/test-message.ts';

interface Stored {
  readonly emails: readonly {
    readonly messageId: string;
    readonly from: string;
    readonly destination: { readonly to: readonly string[] };
    readonly subject: string;
    readonly body: { readonly html?: string; readonly text?: string };
  }[];
}

let url = '';
let server: { close(done?: () => void): void };
let provider: EmailProviderSes;

before(async () => {
  const port = await freePort();
  const module = sesLocal as unknown as { default: { default?: Start } & Start };
  const start = module.default.default ?? module.default;
  server = await start({ port });
  url = `http://127.0.0.1:${port}`;
  provider = new EmailProviderSes(
    {
      region: 'eu-central-1',
      endpoint: url,
      configurationSet: null,
      perSecond: null,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    },
    systemClock,
  );
});
after(async () => {
  await provider.close();
  await new Promise<void>((resolve) => server.close(resolve));
});

type Start = (options: { port: number }) => Promise<{ close(done?: () => void): void }>;

test('V20: a whole mail is taken by the SES API, and is there as it was sent', async () => {
  const outcome = await provider.send(testMessage());
  assert.equal(outcome.kind, 'accepted');
  const { emails } = (await (await fetch(`${url}/store`)).json()) as Stored;
  const [mail, ...others] = emails;
  assert.deepEqual(others, []);
  assert.equal(outcome.kind === 'accepted' && outcome.providerId, mail?.messageId);
  assert.deepEqual(mail?.destination.to, ['bo@people.example']);
  assert.equal(mail?.subject, 'Ana liked your post “Grüße”');
  assert.equal(mail?.body.text?.trim(), 'Ana & others');
  const html = await simpleParser(`Content-Type: text/html\r\n\r\n${mail?.body.html ?? ''}`);
  assert.match(String(html.html), /<p>Ana &amp; others<\/p>/);
});

async function freePort(): Promise<number> {
  const listening = createServer();
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  await new Promise((resolve) => listening.close(resolve));
  return port;
}
