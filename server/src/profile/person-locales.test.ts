import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { PersonLocales } from './person-locales.ts';
import { ProfileStoreMemory } from './profile-store-memory.ts';

const ana = personKey('default', 'ana');
const facts = { locale: 'de', timeZone: null, email: null, emailVerified: false, createdAtMs: null, suspended: false };

async function world() {
  const clock = new VirtualClock();
  const store = new ProfileStoreMemory(clock);
  const counted = {
    reads: 0,
    fault: null as null | 'fails' | 'hangs',
    watch: store.watch.bind(store),
    async read(people: Parameters<typeof store.read>[0]) {
      counted.reads++;
      if (counted.fault === 'fails') throw new Error('away');
      if (counted.fault === 'hangs') await new Promise(() => {});
      return store.read(people);
    },
  };
  return { clock, store, counted, locales: new PersonLocales(counted, clock) };
}

test('what the person chose goes before what the app says; of nobody nothing is known', async () => {
  const { store, locales } = await world();
  assert.equal(await locales.of(ana), null);
  await store.change([{ person: ana, change: { kind: 'facts', facts } }]);
  assert.equal(await locales.of(ana), 'de');
  await store.change([{ person: ana, change: { kind: 'choices', choices: { locale: 'fr' }, expected: null } }]);
  assert.equal(await locales.of(ana), 'fr');
});

test('it is read once, and again after a change', async () => {
  const { store, counted, locales } = await world();
  await locales.of(ana);
  await locales.of(ana);
  assert.equal(counted.reads, 1);
  await store.change([{ person: ana, change: { kind: 'facts', facts } }]);
  await locales.of(ana);
  assert.equal(counted.reads, 2);
});

test('profiles that cannot be read, or not in time, hold nobody up, and are asked again later', async () => {
  for (const fault of ['fails', 'hangs'] as const) {
    const { clock, counted, locales } = await world();
    counted.fault = fault;
    const asked = locales.of(ana);
    await clock.advance(limits.localeWaitMs);
    assert.equal(await asked, null);
    assert.equal(await locales.of(ana), null);
    assert.equal(counted.reads, 1);
    counted.fault = null;
    await clock.advance(limits.localeRetryMs);
    await locales.of(ana);
    assert.equal(counted.reads, 2);
  }
});

test('what changed while it was read is not kept', async () => {
  const { store, counted, locales } = await world();
  const asked = locales.of(ana);
  await store.change([{ person: ana, change: { kind: 'facts', facts } }]);
  await asked;
  assert.equal(await locales.of(ana), 'de');
  assert.equal(counted.reads, 2);
});
