/** From what the shard hands over to what a provider is asked, whatever fails on the way (V1–V4, D11). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultTenant, personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { accessLost } from '../inbox/item-state.ts';
import type { Outcome } from './outcome.ts';
import { accepted, DeliveryWorld, down, slow } from './test-delivery-world.ts';

const r1 = personKey('default', 'r1');
const never = (): Promise<Outcome> => new Promise(() => {});

test('what is handed over is sent to each endpoint once, and on record with its attempt', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.endpoints.set(r1, ['apns:d1', 'fcm:d2']);
  world.outlet.answer = (endpoint) => ({ kind: 'accepted', providerId: `id of ${endpoint}` });
  const item = await world.push('r1', 'p1');
  assert.deepEqual(world.outlet.told('apns:d1'), ['p1']);
  assert.deepEqual(world.outlet.told('fcm:d2'), ['p1']);
  const [first, second] = await world.deliveriesOf(item);
  assert.equal(first?.state, 'accepted');
  assert.equal(first?.providerId, 'id of apns:d1');
  assert.equal(second?.attempts.length, 1);
  assert.notEqual(world.outlet.calls[0]?.delivery, world.outlet.calls[1]?.delivery);
  assert.deepEqual(world.outlet.ends, ['apns:d1 accepted', 'fcm:d2 accepted']);
  await world.stop();
});

test('the same telling is sent once, however often and in whatever company it is given', async () => {
  const world = await DeliveryWorld.start();
  const [a, b, c] = [await world.row('r1', 'a'), await world.row('r1', 'b'), await world.row('r1', 'c')];
  await world.tell('r1', [a, b]);
  await world.tell('r1', [a, b]);
  await world.tell('r1', [b]);
  await world.restart();
  await world.tell('r1', [b, c]);
  await world.tell('r1', [c, a]);
  assert.deepEqual(world.outlet.told('apns:d1'), ['a+b', 'c']);
  await world.tell('r1', [a], { tells: [{ notification: a.id, number: 2 }] });
  assert.deepEqual(world.outlet.told('apns:d1'), ['a+b', 'c', 'a'], 'a greater number is another telling');
  await world.stop();
});

test('BC-54: one bad device makes none of the others fire again, and is given up after six attempts across a restart', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.endpoints.set(r1, ['apns:d1', 'fcm:d2', 'web:d3']);
  world.outlet.answer = (endpoint, nth) => {
    if (endpoint === 'web:d3' || (endpoint === 'fcm:d2' && nth < 3)) return down;
    return accepted;
  };
  const item = await world.push('r1', 'p1');
  await world.pass(5000);
  assert.equal(world.outlet.told('web:d3').length, 2);
  await world.restart();
  for (let other = 0; other < 100; other++) await world.push(`other${other}`, `o${other}`);
  assert.equal(world.outlet.told('apns:d1').length, 1 + 100, 'nobody else waited');
  await world.pass(3_600_000);
  assert.equal(world.outlet.told('fcm:d2').length, 4);
  assert.equal(world.outlet.told('web:d3').length, 6);
  assert.deepEqual(await world.states(item), ['apns:d1 accepted', 'fcm:d2 accepted', 'web:d3 failed 503']);
  await world.stop();
});

test('BC-10: a provider that slows us down burns no attempts, and what cannot be used stops nobody', async () => {
  const world = await DeliveryWorld.start();
  const endsMs = world.clock.now() + 120_000;
  world.outlet.answer = () => (world.clock.now() < endsMs ? slow(5000) : accepted);
  const first = await world.push('r1', 'p1');
  const bad = await world.push('r1', 'unrenderable');
  const second = await world.push('r2', 'p2');
  await world.pass(115_000);
  assert.deepEqual(await world.states(bad), ['apns:d1 failed cannotRender']);
  assert.deepEqual(await world.states(first), ['apns:d1 pending 429']);
  await world.pass(60_000);
  assert.deepEqual(
    [await world.states(first), await world.states(second)],
    [['apns:d1 accepted'], ['apns:d1 accepted']],
  );
  assert.ok(world.outlet.calls.length < 40, `asked ${world.outlet.calls.length} times`);
  await world.stop();
});

test('a provider that is down is left alone, its queue waits in order, and others go on', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.endpoints.set(r1, ['apns:d1']);
  const r2 = personKey('default', 'r2');
  world.outlet.endpoints.set(r2, ['fcm:d2']);
  await world.push('r2', 'first');
  let isDown = true;
  world.outlet.answer = (endpoint) => (isDown && endpoint === 'apns:d1' ? down : accepted);
  for (let row = 0; row < 30; row++) await world.push('r1', `p${row}`);
  const asked = world.outlet.told('apns:d1').length;
  assert.ok(asked <= limits.circuitFailures + 1, `asked ${asked} times`);
  await world.push('r2', 'second');
  assert.deepEqual(world.outlet.told('fcm:d2'), ['first', 'second']);
  isDown = false;
  await world.pass(600_000);
  const told = world.outlet
    .told('apns:d1')
    .slice(asked)
    .filter((object) => Number(object.slice(1)) > asked);
  assert.deepEqual(
    told,
    [...told].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))),
    'in order',
  );
  assert.equal(new Set(world.outlet.told('apns:d1')).size, 30);
  await world.stop();
});

test('V4: what has waited through a long pause of its provider is looked at once more, and goes at its end', async () => {
  const world = await DeliveryWorld.start();
  const r2 = personKey('default', 'r2');
  world.outlet.endpoints.set(r2, ['fcm:d2']);
  await world.push('r2', 'elsewhere');
  world.outlet.answer = (_endpoint, nth) => (nth === 0 ? slow(20_000) : accepted);
  const items = [await world.push('r1', 'p1'), await world.push('r3', 'p2'), await world.push('r4', 'p3')];
  await world.pass(19_000);
  assert.equal(world.outlet.told('apns:d1').length, 1);
  await world.pass(2000);
  for (const item of items) assert.deepEqual(await world.states(item), ['apns:d1 accepted']);
  await world.stop();
});

test('V4: what was dispatched when the process died may have been sent: it is lost, and not sent again', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.endpoints.set(r1, ['apns:d1', 'fcm:d2']);
  world.outlet.answer = (endpoint) => (endpoint === 'apns:d1' ? never() : accepted);
  const item = await world.push('r1', 'p1');
  world.outlet.answer = () => accepted;
  await world.crash();
  await world.push('r1', 'p2');
  await world.pass(600_000);
  assert.deepEqual(world.outlet.told('apns:d1'), ['p1', 'p2']);
  assert.deepEqual(world.outlet.told('fcm:d2'), ['p1', 'p2']);
  assert.deepEqual(await world.states(item), ['apns:d1 unknown crashed', 'fcm:d2 accepted']);
  await world.stop();
});

test('what was in hand when the process died comes again, whether it was fresh or a retry', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.sendsMax = 1;
  world.outlet.answer = never;
  const first = await world.push('r1', 'p1');
  const second = await world.push('r2', 'p2');
  world.outlet.answer = (_endpoint, nth) => (nth === 1 ? down : accepted);
  await world.crash();
  assert.deepEqual(await world.states(first), ['apns:d1 unknown crashed']);
  assert.deepEqual(await world.states(second), ['apns:d1 pending 503']);
  // The retry is taken up, and its process dies before it can be sent.
  world.outlet.answer = never;
  await world.push('r3', 'p3');
  await world.pass(limits.deliveryRetry.firstMs);
  world.outlet.answer = () => accepted;
  await world.crash();
  assert.deepEqual(await world.states(second), ['apns:d1 accepted'], 'at once');
  await world.stop();
});

test('a retry that was taken up, and could not be sent before a stop, is due at once for whoever comes next', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.sendsMax = 1;
  world.outlet.answer = (_endpoint, nth) => (nth === 0 ? down : accepted);
  const item = await world.push('r1', 'p1');
  // Takes the only place there is.
  world.outlet.answer = never;
  await world.push('r2', 'p2');
  await world.pass(limits.deliveryRetry.firstMs);
  assert.equal(world.outlet.calls.length, 2);
  world.outlet.answer = () => accepted;
  await world.restart();
  assert.deepEqual(await world.states(item), ['apns:d1 accepted']);
  await world.stop();
});

test('BC-79: a stop waits for what is under way, takes nothing new, and forgets nothing', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.sendsMax = 5;
  const answers: (() => void)[] = [];
  world.outlet.answer = () => new Promise((resolve) => answers.push(() => resolve(accepted)));
  for (let row = 0; row < 25; row++) await world.push(`r${row}`, `p${row}`);
  assert.equal(world.outlet.calls.length, 5);
  world.clock.after(2000, () => {
    for (const answer of answers) answer();
  });
  await world.stop();
  assert.equal(world.outlet.calls.length, 5);
  world.outlet.answer = () => accepted;
  await world.crash();
  await world.pass(1000);
  assert.deepEqual(
    world.outlet.told('apns:d1').toSorted(),
    Array.from({ length: 25 }, (_, row) => `p${row}`).toSorted(),
    'each once, none missing',
  );
  await world.stop();
});

test('D11: what was read, undone or switched off meanwhile is not sent, and says why', async () => {
  const world = await DeliveryWorld.start();
  const read = await world.row('r1', 'read');
  await world.inbox.mergeMarks(r1, { version: 10, items: [{ id: read.id, read: true }] });
  await world.tell('r1', [read]);
  const gone = await world.push('r1', 'gone', { state: 'removed' });
  const lost = await world.push('r1', 'lost', { state: 'removed', decisions: accessLost });
  const stays = await world.row('r1', 'stays');
  await world.tell('r1', [read, stays], { tells: [read, stays].map(({ id }) => ({ notification: id, number: 2 })) });
  await world.profiles.change([
    { person: r1, change: { kind: 'choices', choices: { channels: { push: false } }, expected: null } },
  ]);
  const off = await world.push('r1', 'off');
  world.outlet.endpoints.set(r1, []);
  await world.profiles.change([{ person: r1, change: { kind: 'choices', choices: {}, expected: null } }]);
  const nowhere = await world.push('r1', 'nowhere');
  assert.deepEqual(world.outlet.told('apns:d1'), ['stays']);
  assert.deepEqual(await world.states(read), ['apns:d1 suppressed read']);
  assert.deepEqual(await world.states(gone), ['apns:d1 suppressed undone']);
  assert.deepEqual(await world.states(lost), ['apns:d1 suppressed accessLost']);
  assert.match((await world.states(off))[0] ?? '', /^apns:d1 suppressed /);
  assert.deepEqual(await world.states(nowhere), ['suppressed noEndpoint']);
  await world.stop();
});

test('D11, D7: a retry that comes due in a pause waits for its end, and expires where that is too late', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.answer = (_endpoint, nth) => (nth < 2 ? down : accepted);
  const item = await world.push('r1', 'p1');
  const late = await world.row('r1', 'late');
  await world.tell('r1', [late], { expiresAtMs: world.clock.now() + 100_000 });
  const pausedUntil = new Date(world.clock.now() + 600_000).toISOString();
  await world.profiles.change([{ person: r1, change: { kind: 'choices', choices: { pausedUntil }, expected: null } }]);
  await world.pass(599_000);
  assert.deepEqual(await world.states(item), ['apns:d1 pending paused']);
  assert.deepEqual(await world.states(late), ['apns:d1 expired paused']);
  await world.pass(10_000);
  assert.deepEqual(await world.states(item), ['apns:d1 accepted']);
  assert.equal(world.outlet.calls.length, 3);
  await world.stop();
});

test('V5: what has died is listed, asked what would become of it, and sent again once, with as many attempts as before', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.answer = (endpoint, nth) => (endpoint === 'web:d3' && nth < 8 ? down : accepted);
  world.outlet.endpoints.set(r1, ['apns:d1', 'web:d3']);
  const item = await world.push('r1', 'p1');
  world.outlet.answer = (endpoint, nth) =>
    endpoint === 'web:d3' && nth < 8 ? down : { kind: 'refused', code: 'TooLarge' };
  const other = await world.push('r2', 'read meanwhile');
  world.outlet.answer = (endpoint, nth) => (endpoint === 'web:d3' && nth < 8 ? down : accepted);
  await world.pass(3_600_000);
  const letters = world.letters();
  const found = await letters.page(defaultTenant, {}, null, 10);
  assert.deepEqual(
    found.map(({ endpoint, state, code, attempts }) => [endpoint, state, code, attempts]),
    [
      ['web:d3', 'failed', '503', 6],
      ['apns:d1', 'failed', 'TooLarge', 0],
    ],
  );
  assert.equal(await letters.count(defaultTenant, { code: 'TooLarge' }), 1);
  await world.inbox.mergeMarks(personKey('default', 'r2'), { version: 10, items: [{ id: other.id, read: true }] });
  const order = { filter: {}, isDryRun: false, after: null, max: 10 };
  const report = { sent: 1, skipped: { read: 1 }, next: null };
  assert.deepEqual(await letters.redrive(defaultTenant, { ...order, isDryRun: true }), report);
  assert.equal(world.outlet.told('web:d3').length, 6);
  const both = [letters.redrive(defaultTenant, order), world.letters().redrive(defaultTenant, order)];
  await world.settled();
  assert.deepEqual(await Promise.all(both), [report, report]);
  await world.settled();
  assert.equal(world.outlet.told('web:d3').length, 7, 'once');
  await world.pass(3_600_000);
  assert.equal(world.outlet.told('web:d3').length, 9, 'with attempts anew');
  assert.deepEqual(await world.states(item), ['apns:d1 accepted', 'web:d3 accepted']);
  assert.equal(
    new Set(world.outlet.calls.filter(({ endpoint }) => endpoint === 'web:d3').map(({ delivery }) => delivery)).size,
    1,
  );
  assert.deepEqual(
    (await letters.page(defaultTenant, {}, null, 10)).map(({ code }) => code),
    ['TooLarge'],
  );
  assert.deepEqual(await letters.redrive(defaultTenant, { ...order, filter: { user: 'r1' } }), {
    sent: 0,
    skipped: {},
    next: null,
  });
  await world.stop();
});

test('V4, V5: what was lost in a crash is a dead letter, and goes again under the same name where an operator says so', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.answer = never;
  const item = await world.push('r1', 'p1');
  world.outlet.answer = () => accepted;
  await world.crash();
  assert.deepEqual(await world.states(item), ['apns:d1 unknown crashed']);
  const order = { filter: { state: 'unknown' as const }, isDryRun: false, after: null, max: 10 };
  const redriving = world.letters().redrive(defaultTenant, order);
  await world.settled();
  assert.equal((await redriving).sent, 1);
  await world.settled();
  assert.deepEqual(await world.states(item), ['apns:d1 accepted']);
  const [first, second] = world.outlet.calls;
  assert.equal(first?.delivery, second?.delivery);
  assert.equal(await world.letters().count(defaultTenant, {}), 0);
  await world.stop();
});
