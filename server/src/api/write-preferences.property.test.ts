/** Whatever the order in which devices read and write, their changes are as if made one after the other (A5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import fc from 'fast-check';
import type { UserPrincipal } from '../auth/principal.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { personKey, type TenantId, type UserId } from '../base/ids.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { builtInTypes } from '../content/type-catalogue.ts';
import { mergePatch } from '../profile/merge-patch.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { ProfileStoreMemory } from '../profile/profile-store-memory.ts';
import { etagOf } from './preconditions.ts';
import { writePreferences } from './write-preferences.ts';

const ana = personKey('default', 'ana');
const principal: UserPrincipal = {
  kind: 'user',
  tenant: 'default' as TenantId,
  user: 'ana' as UserId,
  session: null,
  expiresAtMs: 0,
};

const choice = fc.option(fc.boolean(), { nil: null });
const channels = fc.record({ push: choice, email: choice, inApp: choice }, { requiredKeys: [] });
const patch = fc.record(
  {
    muteAll: choice,
    channels: fc.option(channels, { nil: null }),
    categories: fc.dictionary(fc.constantFrom('reactions', 'follows', 'posts'), channels, { maxKeys: 2 }),
    locale: fc.constantFrom('de', 'fr', null),
  },
  { requiredKeys: [] },
);

interface Device {
  readonly patches: readonly object[];
  /** Writes whatever there is, instead of the version it has read. */
  readonly isBlind: boolean;
}

const device: fc.Arbitrary<Device> = fc.record({
  patches: fc.array(patch, { minLength: 1, maxLength: 3 }),
  isBlind: fc.boolean(),
});

test('any interleaving of patches equals the order of their versions, and loses none', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(device, { minLength: 2, maxLength: 4 }), async (scheduler, devices) => {
      const store = new ProfileStoreMemory(new VirtualClock());
      const slow: Pick<ProfileStore, 'read' | 'change'> = {
        read: scheduler.scheduleFunction(store.read.bind(store)),
        change: scheduler.scheduleFunction(store.change.bind(store)),
      };
      const profiles = Object.assign(Object.create(store) as ProfileStore, slow);
      const done: { version: number; patch: object }[] = [];
      const running = devices.map((each) => run(each, profiles, done));
      await scheduler.waitFor(Promise.all(running));

      assert.equal(
        done.length,
        devices.reduce((sum, { patches }) => sum + patches.length, 0),
      );
      const inOrder = done.toSorted((a, b) => a.version - b.version);
      assert.equal(new Set(inOrder.map(({ version }) => version)).size, done.length);
      const expected = inOrder.reduce<unknown>((stored, each) => mergePatch(stored, each.patch), {});
      const [profile] = await store.read([ana]);
      assert.deepEqual(withoutEmpty(profile?.choices), withoutEmpty(expected as PreferenceChoices));
    }),
    { numRuns: 300 },
  );
});

/** A device that reads and tries again until each of its changes is in. */
async function run(
  { patches, isBlind }: Device,
  profiles: ProfileStore,
  done: { version: number; patch: object }[],
): Promise<void> {
  for (const patch of patches) {
    for (let written = false; !written; ) {
      const [read] = isBlind ? [] : await profiles.read([ana]);
      const headers = { 'if-match': isBlind ? '*' : etagOf(read?.version ?? 0) };
      const body = Buffer.from(JSON.stringify(patch));
      const parts = { profiles, types: builtInTypes, clock: new VirtualClock() };
      try {
        const answer = await writePreferences(parts, { principal, headers, body }, mergePatch);
        done.push({ version: (answer.body as { version: number }).version, patch });
        written = true;
      } catch (error) {
        assert.ok(error instanceof CarillonError && error.code === 'CARILLON_PRECONDITION_FAILED', String(error));
      }
    }
  }
}

/** An empty object says as little as none. */
function withoutEmpty(choices: PreferenceChoices = {}): object {
  const categories = Object.entries(choices.categories ?? {}).filter(([, each]) => Object.keys(each).length > 0);
  const { channels = {}, ...rest } = choices;
  return {
    ...rest,
    categories: Object.fromEntries(categories),
    ...(Object.keys(channels).length > 0 ? { channels } : {}),
  };
}
