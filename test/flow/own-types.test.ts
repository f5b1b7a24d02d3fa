/** Types and words of an app's own, through the whole service: taken at the start, and anew while it runs (C1, C2). */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Notification } from '@carillon/contract/notification.ts';
import { openWebSocket } from '../../server/src/deliver/realtime/stream-clients.contract.ts';
import { eventually } from './eventually.ts';
import { operatorsKey } from './flow-config.ts';
import { okay, Person } from './person.ts';
import type { LogEntry } from './server-process.ts';
import { resultsOf, World } from './world.ts';

/** The example of docs/TYPES.md, as it stands there. */
function exampleOf(language: 'yaml' | 'json'): string {
  const page = readFileSync(new URL('../../docs/TYPES.md', import.meta.url), 'utf8');
  const block = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1];
  assert.ok(block);
  return block;
}

interface ExampleEvent {
  readonly id: string;
  readonly actor: { readonly id: string; readonly name: string };
  readonly [field: string]: unknown;
}

const sold: ExampleEvent = { ...JSON.parse(exampleOf('json')), source: 'posts' };
const byBo = { ...sold, id: 'o-2', time: '2026-03-10T12:01:00Z', actor: { id: 'a2', name: 'Bo' } };
const takenBack = { ...sold, id: 'o-3', type: 'shop.unsold', time: '2026-03-10T12:02:00Z' };

describe('types of an app', () => {
  let folder: string;
  let world: World;
  let r1: Person;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-own-'));
    place('shop.yaml', exampleOf('yaml'));
    world = await World.start({ config: { content: { typeFiles: [folder] } } });
    r1 = await world.person('r1');
  });
  afterEach(async () => {
    await world.close();
    rmSync(folder, { recursive: true });
  });

  /** Renamed into place, as a deployment would: no process reads half a file. */
  const place = (name: string, text: string): void => {
    writeFileSync(join(folder, `${name}.new`), text);
    renameSync(join(folder, `${name}.new`), join(folder, name));
  };
  const send = async (event: object): Promise<void> => {
    assert.equal(resultsOf(await world.post(event as never))[0]?.status, 'accepted');
    await world.settled();
  };
  const read = async (language?: string): Promise<Notification[]> => {
    const headers = language === undefined ? {} : { 'accept-language': language };
    const page = okay<{ items: Notification[] }>(await r1.ask('GET', '/v1/notifications', undefined, headers));
    return page.items;
  };
  const bodies = async (language?: string): Promise<string[]> => (await read(language)).map(({ text }) => text.body);

  /** Every process has logged it so often. A new type may be sent once all of them know it. */
  const everywhere = (wanted: LogEntry['event'], times: number): Promise<void> =>
    eventually(() => {
      const { logged } = world;
      const starts = logged.filter(({ event }) => event === 'listening').length;
      return logged.filter(({ event }) => event === wanted).length >= times * Math.max(starts, 1);
    });

  test('the example of the guide reads as it says, in the language that is asked for', async () => {
    await send(sold);
    assert.deepEqual(await bodies(), ['Ana bought Blue vase from you']);
    assert.deepEqual(
      (await read('de-AT, en;q=0.5')).map(({ text }) => text),
      [{ title: 'Verkäufe', body: 'Ana hat Blue vase bei dir gekauft' }],
    );
    assert.deepEqual((await read())[0]?.actions, [{ id: 'ship', label: 'Ship it', url: '/orders/o1/ship' }]);
    assert.equal((await read('de'))[0]?.actions[0]?.label, 'Versenden');

    await send(byBo);
    assert.deepEqual(await bodies(), ['Bo and Ana bought Blue vase from you']);
    assert.deepEqual(await bodies('de'), ['Bo und Ana haben Blue vase bei dir gekauft']);
    await send(takenBack);
    assert.deepEqual(await bodies(), ['Bo bought Blue vase from you']);
  });

  test('one notification, its reasons and its changes are told in the language that is asked for', async () => {
    await send(sold);
    const [row] = await read();
    const german = { 'accept-language': 'de' };
    const asked = async (path: string): Promise<string> => (await r1.ask('GET', path, undefined, german)).text;
    assert.match(await asked(`/v1/notifications/${row?.id}`), /Ana hat Blue vase/);
    assert.match(await asked(`/v1/notifications/${row?.id}/why`), /In der App angezeigt: das ist die Einstellung/);
    assert.match(await asked('/v1/notifications/changes?since=0'), /Ana hat Blue vase/);
  });

  test('the language of a person goes before that of a request: in pages, catch-ups and live frames alike', async () => {
    const speaks = async (locale: string): Promise<void> => {
      okay(await world.producer().ask('PUT', '/v1/users/r1', { locale }));
    };
    await speaks('de-CH');
    await send(sold);
    assert.deepEqual(await bodies('fr'), ['Ana hat Blue vase bei dir gekauft']);
    const stream = await r1.open(openWebSocket, 0);
    await send(byBo);
    const told = (): string[] =>
      stream.frames.flatMap((frame) => (frame.kind === 'changes' ? frame.items.map(({ text }) => text.body) : []));
    await eventually(() => told().length === 2);
    stream.kill();
    assert.deepEqual(told(), ['Ana hat Blue vase bei dir gekauft', 'Bo und Ana haben Blue vase bei dir gekauft']);
    // Also the page that was kept.
    assert.deepEqual(await bodies(), ['Bo und Ana haben Blue vase bei dir gekauft']);
    await speaks('en');
    await eventually(async () => (await bodies())[0] === 'Bo and Ana bought Blue vase from you');
  });

  test('a change of the files is in use without a restart, also in pages that were kept; a bad one changes nothing', async () => {
    await send(sold);
    assert.deepEqual(await bodies(), ['Ana bought Blue vase from you']);
    place('shop.yaml', `${exampleOf('yaml').replaceAll('bought', 'purchased')}# changed\n`);
    await everywhere('catalogueTaken', 1);
    assert.deepEqual(await bodies(), ['Ana purchased Blue vase from you']);

    place('shop.yaml', 'types:\n  shop.sold: { lane: fast }\n');
    await everywhere('catalogueRefused', 1);
    await send(byBo);
    assert.deepEqual(await bodies(), ['Bo and Ana purchased Blue vase from you']);

    place('shop.yaml', 'types: {}\n');
    await everywhere('catalogueTaken', 2);
    place('more.yaml', 'types:\n  shop.opened: { category: shop, lane: bulk }\n');
    await everywhere('catalogueTaken', 3);
    await send({ ...sold, id: 'o-9', type: 'shop.opened' });
    const opened = (await read()).find(({ type }) => type === 'shop.opened');
    assert.equal(opened?.text.body, 'Ana has news for you: Blue vase');
  });

  test('an operator sees what a type reads like, by locale and channel; others do not', async () => {
    const operator = new Person(world, operatorsKey);
    const path = '/v1/admin/preview?type=shop.sold&channel=push&locale=de';
    const shown = await operator.get<{ locale: string; samples: { title: string; body: string }[] }>(path);
    assert.equal(shown.locale, 'de');
    assert.deepEqual(
      shown.samples.map(({ title, body }) => `${title}: ${body}`),
      [
        'Verkäufe: Ana hat My trip bei dir gekauft',
        'Verkäufe: Ana und Bo haben My trip bei dir gekauft',
        'Verkäufe: Ana, Bo und 5 weitere Personen haben My trip bei dir gekauft',
      ],
    );
    assert.equal((await r1.ask('GET', path)).status, 403);
    assert.equal((await operator.ask('GET', '/v1/admin/preview?type=shop.stolen&channel=push')).status, 400);
  });
});
