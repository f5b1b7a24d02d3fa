import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PersonKey, personKey } from '../base/ids.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { Profile } from './profile.ts';
import { ProfileCache } from './profile-cache.ts';
import { ProfileStoreMemory } from './profile-store-memory.ts';

/** Counts reads, and may hold them up after they have read. */
class CountingStore extends ProfileStoreMemory {
  readonly reads: (readonly PersonKey[])[] = [];
  gate: Promise<void> = Promise.resolve();

  override async read(people: readonly PersonKey[]): Promise<readonly (Profile | null)[]> {
    this.reads.push(people);
    const profiles = await super.read(people);
    await this.gate;
    return profiles;
  }
}

const person = (name: string): PersonKey => personKey('t', name);
const [ana, bo, cy] = [person('ana'), person('bo'), person('cy')];
const mute = (id: string) => ({ kind: 'mute', mute: { kind: 'actor', id, untilMs: null } }) as const;

function world(weightMax?: number): { store: CountingStore; cache: ProfileCache } {
  const store = new CountingStore(new VirtualClock());
  return { store, cache: new ProfileCache(store, weightMax) };
}

const mutesOf = (cache: ProfileCache, who: PersonKey): number => cache.get(who)?.mutes.length ?? 0;

test('one read for all who are not known, none for those who are, with and without a profile', async () => {
  const { store, cache } = world();
  await store.change([{ person: ana, change: mute('a') }]);
  await cache.load([ana, bo, ana]);
  await cache.load([bo, ana]);
  await cache.load([bo, cy]);
  assert.deepEqual(store.reads, [[ana, bo], [cy]]);
  assert.deepEqual([mutesOf(cache, ana), cache.get(bo)], [1, null]);
});

test('whoever was not loaded is no person without a profile', () => {
  const { cache } = world();
  assert.throws(() => cache.get(ana), /not loaded/);
});

test('a change is seen by the next load, and what was loaded stays readable until then', async () => {
  const { store, cache } = world();
  await cache.load([ana, bo]);
  await store.change([{ person: ana, change: mute('a') }]);
  assert.equal(cache.get(ana), null);
  await cache.load([ana, bo]);
  assert.equal(mutesOf(cache, ana), 1);
  assert.deepEqual(store.reads.at(-1), [ana]);
  await store.change([{ person: ana, change: { kind: 'erase' } }]);
  await cache.load([ana]);
  assert.equal(cache.get(ana), null);
});

test('a change while it is being read is not lost', async () => {
  const { store, cache } = world();
  const { promise, resolve } = Promise.withResolvers<void>();
  store.gate = promise;
  const loading = cache.load([ana, bo]);
  await store.change([{ person: ana, change: mute('a') }]);
  resolve();
  await loading;
  await cache.load([ana, bo]);
  assert.equal(mutesOf(cache, ana), 1);
  assert.deepEqual(store.reads, [[ana, bo], [ana]]);
});

test('once changes may have been missed, everything is read again, also what was on its way', async () => {
  const { store, cache } = world();
  await cache.load([ana]);
  const { promise, resolve } = Promise.withResolvers<void>();
  store.gate = promise;
  const loading = cache.load([bo]);
  cache.missed();
  resolve();
  await loading;
  await cache.load([ana, bo]);
  assert.deepEqual(store.reads.at(-1), [ana, bo]);
});

test('a load that fails leaves nothing behind, and the next one reads', async () => {
  const { store, cache } = world();
  store.gate = Promise.reject(new Error('away'));
  await assert.rejects(cache.load([ana]), /away/);
  assert.throws(() => cache.get(ana));
  store.gate = Promise.resolve();
  await cache.load([ana]);
  assert.equal(cache.get(ana), null);
});

test('lets go who was used longest ago, never whom the load is for', async () => {
  const { store, cache } = world(3);
  await cache.load([bo]);
  await cache.load([ana, cy]);
  await cache.load([ana]);
  await cache.load([person('di')]);
  assert.throws(() => cache.get(bo));
  assert.equal(cache.get(ana), null);
  const many = Array.from({ length: 10 }, (_, n) => person(`p${n}`));
  await cache.load(many);
  for (const each of many) assert.equal(cache.get(each), null);
  assert.throws(() => cache.get(ana));
  await store.change([{ person: ana, change: mute('a') }]);
  await cache.load([ana]);
  assert.equal(mutesOf(cache, ana), 1);
  for (const each of many) assert.throws(() => cache.get(each));
});

test('a closed cache hears nothing more', async () => {
  const { store, cache } = world();
  await cache.load([ana]);
  cache.close();
  await store.change([{ person: ana, change: mute('a') }]);
  assert.throws(() => cache.get(ana));
});
