/** What is over a provider's quota waits by lane, burns no attempt, and holds up nobody else (V6). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Item } from '../inbox/item.ts';
import type { Quota } from './quotas.ts';
import { DeliveryWorld } from './test-delivery-world.ts';

const perSecond = (name: string, burst: number, rate: number): Quota => ({
  name,
  rate: { burst, perMs: rate / 1000, from: 1, risePerMs: 0 },
});

async function pushes(world: DeliveryWorld, name: string, count: number, change: Partial<Item> = {}): Promise<Item[]> {
  const items: Item[] = [];
  for (let row = 0; row < count; row++) items.push(await world.push(`${name}${row}`, `${name}${row}`, change));
  return items;
}

/** Time in small steps, as it passes. */
async function passSlowly(world: DeliveryWorld, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) await world.pass(100);
}

test('what is over the quota of its project goes as soon as it may, direct before bulk, and no attempt is burnt', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.quotasOf = (endpoint) => (endpoint === 'apns:d1' ? [perSecond('apns', 5, 10)] : []);
  world.outlet.endpoints.set(personKey('default', 'else0'), ['fcm:d2']);
  const bulk = await pushes(world, 'b', 25, { lane: 'bulk' });
  const direct = await pushes(world, 'd', 3, { lane: 'direct' });
  await pushes(world, 'else', 1, { lane: 'bulk' });
  assert.deepEqual(world.outlet.told('fcm:d2'), ['else0'], 'went at once');
  const before = world.outlet.told('apns:d1').length;
  assert.equal(before, 5);
  assert.equal(world.overQuota, 23);
  await passSlowly(world, 1000);
  assert.deepEqual(world.outlet.told('apns:d1').slice(before, before + 3), ['d0', 'd1', 'd2']);
  assert.equal(world.outlet.told('apns:d1').length, 15);
  await passSlowly(world, 1300);
  assert.deepEqual(
    world.outlet.told('apns:d1').filter((object) => object.startsWith('b')),
    bulk.map((_, row) => `b${row}`),
    'in order, each once',
  );
  for (const item of [...bulk, ...direct]) {
    const [delivery] = await world.deliveriesOf(item);
    assert.deepEqual([delivery?.state, delivery?.attempts.length], ['accepted', 1]);
  }
  await world.stop();
});

test('a device that gets too much waits alone', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.quotasOf = (endpoint) => [perSecond(endpoint, 2, 1)];
  const [noisy, other] = [personKey('default', 'noisy'), personKey('default', 'other')];
  world.outlet.endpoints.set(noisy, ['fcm:d1']);
  world.outlet.endpoints.set(other, ['fcm:d2']);
  for (let row = 0; row < 6; row++) await world.push('noisy', `n${row}`);
  await world.push('other', 'o0');
  assert.deepEqual(world.outlet.told('fcm:d2'), ['o0']);
  assert.deepEqual(world.outlet.told('fcm:d1'), ['n0', 'n1']);
  await passSlowly(world, 4000);
  assert.deepEqual(world.outlet.told('fcm:d1'), ['n0', 'n1', 'n2', 'n3', 'n4', 'n5']);
  await world.stop();
});

test('a flood over its quota is put off, so that others find room, and comes back at the rate that is allowed', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.quotasOf = (endpoint) => (endpoint === 'apns:d1' ? [perSecond('apns', 10, 50)] : []);
  const rows: Item[] = [];
  for (let row = 0; row < limits.deliveriesReadyMax + 300; row++)
    rows.push(await world.row(`f${row}`, `f${row}`, { lane: 'bulk' }));
  await Promise.all(rows.map((item, row) => world.tell(`f${row}`, [item])));
  world.outlet.endpoints.set(personKey('default', 'else0'), ['fcm:d2']);
  await pushes(world, 'else', 1, { lane: 'bulk' });
  assert.deepEqual(world.outlet.told('fcm:d2'), ['else0'], 'though the flood came first');
  await passSlowly(world, 30_000);
  const calls = world.outlet.calls.filter(({ endpoint }) => endpoint === 'apns:d1');
  assert.equal(new Set(calls.map(({ delivery }) => delivery)).size, rows.length, 'none is missing');
  assert.equal(calls.length, rows.length, 'each once');
  for (const [from, { atMs }] of calls.entries()) {
    const within = calls.slice(from).filter((call) => call.atMs < atMs + 1000).length;
    assert.ok(within <= 61, `${within} in a second`);
  }
  const tookMs = (calls.at(-1)?.atMs ?? 0) - (calls[0]?.atMs ?? 0);
  assert.ok(tookMs < 25_000, `${tookMs} ms, where 16,000 would do`);
  await world.stop();
});

test('what waits for its quota when the process stops is not lost', async () => {
  const world = await DeliveryWorld.start();
  world.outlet.quotasOf = () => [perSecond('apns', 2, 1)];
  await pushes(world, 'p', 6);
  await world.restart();
  await passSlowly(world, 10_000);
  assert.deepEqual(world.outlet.told('apns:d1').toSorted(), ['p0', 'p1', 'p2', 'p3', 'p4', 'p5']);
  await world.stop();
});
