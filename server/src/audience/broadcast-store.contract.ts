/** What every BroadcastStore must do. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AudienceKey, audienceKey, personKey, type TenantId } from '../base/ids.ts';
import type { Broadcast, BroadcastStore } from './broadcast-store.ts';

const [t1, t2] = ['t1' as TenantId, 't2' as TenantId];
const [fans, others] = [audienceKey(t1, 'followers:u1'), audienceKey(t1, 'followers:u11')];
const foreign = audienceKey(t2, 'followers:u1');

function broadcast(name: string, audience: AudienceKey = fans, acceptedMs = 1000): Broadcast {
  return { id: `f_${name}`, audience, type: 'post.published', acceptedMs };
}

const recordOf = (name: string): Buffer => Buffer.from([0, 255, 128, ...Buffer.from(name)]);
const idsOf = (found: readonly Broadcast[]): string[] => found.map(({ id }) => id.slice(2));

export function broadcastStoreContract(name: string, open: () => Promise<BroadcastStore>): void {
  const keep = (store: BroadcastStore, one: Broadcast) => store.keep(one, recordOf(one.id));

  describe(`BroadcastStore: ${name}`, () => {
    test('numbers rise within a tenant; the same one again has its number', async () => {
      const store = await open();
      assert.equal(await store.newest(t1), 0);
      assert.equal(await keep(store, broadcast('a')), 1);
      assert.equal(await keep(store, broadcast('b', others)), 2);
      assert.equal(await keep(store, broadcast('x', foreign)), 1);
      assert.equal(await keep(store, broadcast('a')), 1);
      assert.equal(await store.newest(t1), 2);
      assert.equal(await store.newest(t2), 1);
      assert.deepEqual(await store.recent(t1, 10), [
        { ...broadcast('a'), number: 1 },
        { ...broadcast('b', others), number: 2 },
      ]);
    });

    test('the newest of a tenant, and those of some audiences behind a number, in order', async () => {
      const store = await open();
      for (let at = 0; at < 12; at++) await keep(store, broadcast(`${at}`, [fans, others, foreign][at % 3]));
      assert.deepEqual(idsOf(await store.recent(t1, 3)), ['7', '9', '10']);
      assert.deepEqual(idsOf(await store.ofAudiences([fans], 0, 100)), ['0', '3', '6', '9']);
      assert.deepEqual(idsOf(await store.ofAudiences([others, fans], 4, 100)), ['6', '7', '9', '10']);
      assert.deepEqual(idsOf(await store.ofAudiences([fans, others], 0, 3)), ['7', '9', '10']);
      assert.deepEqual(await store.ofAudiences([], 0, 3), []);
      assert.deepEqual(await store.ofAudiences([audienceKey(t1, 'followers:u')], 0, 3), []);
    });

    test('records are as they were given', async () => {
      const store = await open();
      await keep(store, broadcast('a'));
      await keep(store, broadcast('x', foreign));
      const found = await store.records(t1, [1, 2]);
      assert.deepEqual([...found.keys()], [1]);
      assert.deepEqual(Buffer.from(found.get(1) as Buffer), recordOf('f_a'));
    });

    test('how far a person has them only grows', async () => {
      const store = await open();
      const [a, b, c] = [personKey(t1, 'a'), personKey(t1, 'b'), personKey(t2, 'a')];
      assert.deepEqual(await store.through([a, b]), [0, 0]);
      await store.advance([a, b], 5);
      await store.advance([b], 9);
      await store.advance([a, b], 7);
      await store.advance([], 100);
      assert.deepEqual(await store.through([b, c, a]), [9, 0, 7]);
    });

    test('old ones are forgotten, their numbers are not given again', async () => {
      const store = await open();
      for (const at of [1, 2, 3]) await keep(store, broadcast(`${at}`, fans, at * 1000));
      await keep(store, broadcast('x', foreign, 1000));
      while ((await store.prune(2500)) > 0);
      assert.deepEqual(idsOf(await store.recent(t1, 10)), ['3']);
      assert.deepEqual(idsOf(await store.ofAudiences([fans], 0, 10)), ['3']);
      assert.deepEqual([...(await store.records(t1, [1, 2, 3])).keys()], [3]);
      while ((await store.prune(9999)) > 0);
      assert.equal(await store.newest(t1), 3);
      assert.deepEqual(await store.ofAudiences([fans, foreign], 0, 10), []);
      assert.equal(await keep(store, broadcast('4')), 4);
    });

    test('several at once: each has a number of its own', async () => {
      const store = await open();
      const numbers = await Promise.all(Array.from({ length: 20 }, (_, at) => keep(store, broadcast(`${at % 10}`))));
      assert.equal(new Set(numbers).size, 10);
      assert.equal(await store.newest(t1), 10);
    });
  });
}
