import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { audienceStoreContract } from '../../../server/src/audience/audience-store.contract.ts';
import type { AudienceStore } from '../../../server/src/audience/audience-store.ts';
import { AudienceStorePostgres } from '../../../server/src/audience/audience-store-postgres.ts';
import { audienceKey } from '../../../server/src/base/ids.ts';
import { TestSchema } from '../test-schema.ts';

const schema = new TestSchema();
const database = await schema.open();
after(() => schema.drop());

let stores = 0;
audienceStoreContract('PostgreSQL', async () => ownTenants(new AudienceStorePostgres(database), `${stores++}-`));

/** The suite holds several empty stores side by side: here each has tenants of its own, which never meet. */
function ownTenants(store: AudienceStore, prefix: string): AudienceStore {
  const own = <Key extends string>(key: Key): Key => `${prefix}${key}` as Key;
  return {
    apply: (changes, options) =>
      store.apply(
        changes.map((change) => ({ ...change, audience: own(change.audience) })),
        options,
      ),
    members: (audience, after, max) => store.members(own(audience), after, max),
    count: (audience) => store.count(own(audience)),
    membership: (audience, user) => store.membership(own(audience), user),
    memberships: (places) => store.memberships(places.map(({ audience, user }) => ({ audience: own(audience), user }))),
    askedForPush: (audience, after, max) => store.askedForPush(own(audience), after, max),
    isKnown: (audience) => store.isKnown(own(audience)),
    audiencesOf: (person, above, after) => store.audiencesOf(own(person), above, after),
    prune: (beforeMs) => store.prune(beforeMs),
  };
}

test('processes that change one audience at once lose no change, and the count is that of the members', async () => {
  const processes = Array.from({ length: 3 }, () => new AudienceStorePostgres(schema.connect()));
  const [first, second] = [audienceKey('t', 'followers:u1'), audienceKey('t', 'followers:u2')];
  const work = processes.flatMap((store, process) =>
    Array.from({ length: 20 }, (_, round) =>
      store.apply(
        // In different orders, and partly the same people.
        [first, second, first].map((audience, at) => ({
          audience: process % 2 === 0 ? audience : audience === first ? second : first,
          user: `u${(process * 7 + round * 3 + at) % 30}`,
          present: (round + at) % 4 !== 0,
          notify: null,
          seq: round * 3 + at,
          timeMs: 1000,
          takenMs: 1000,
        })),
      ),
    ),
  );
  await Promise.all(work);
  const store = new AudienceStorePostgres(database);
  for (const audience of [first, second]) {
    const { members } = await store.members(audience, null, 100);
    assert.equal(await store.count(audience), members.length);
    assert.ok(members.length > 0);
  }
});
