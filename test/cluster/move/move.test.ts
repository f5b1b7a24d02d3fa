/** The move into a real Kafka and a real Cassandra. */
import { type TestContext, test } from 'node:test';
import { AnnouncementStorePostgres } from '../../../server/src/announce/announcement-store-postgres.ts';
import { AudienceStorePostgres } from '../../../server/src/audience/audience-store-postgres.ts';
import { BroadcastStorePostgres } from '../../../server/src/audience/broadcast-store-postgres.ts';
import { FanoutStorePostgres } from '../../../server/src/audience/fanout-store-postgres.ts';
import { RevocationStoreCassandra } from '../../../server/src/auth/revocation-store-cassandra.ts';
import type { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import type { MoveTarget } from '../../../server/src/cluster/move.ts';
import { CassandraMoveState } from '../../../server/src/cluster/move-state.ts';
import { InboxStoreCassandra } from '../../../server/src/inbox/inbox-store-cassandra.ts';
import { IdempotencyStoreCassandra } from '../../../server/src/intake/idempotency-store-cassandra.ts';
import { DeviceStorePostgres } from '../../../server/src/profile/device-store-postgres.ts';
import { ProfileStorePostgres } from '../../../server/src/profile/profile-store-postgres.ts';
import { SuppressionStorePostgres } from '../../../server/src/profile/suppression-store-postgres.ts';
import { TimerStoreCassandra } from '../../../server/src/shard/timer-store-cassandra.ts';
import { KafkaWorld } from '../log/kafka-world.ts';
import { TestKeyspace, testShards } from '../test-keyspace.ts';
import { TestSchema } from '../test-schema.ts';
import { box, EmbeddedData } from './embedded-data.ts';
import { assertGoesOn, assertWhole, move } from './moved-data.ts';

interface Services {
  readonly world: KafkaWorld;
  readonly keyspace: TestKeyspace;
  readonly schema: TestSchema;
}

/** As a process of its own would have it: with connections of its own. */
async function targetOf({ world, keyspace, schema }: Services, clock: VirtualClock): Promise<MoveTarget> {
  const client = await keyspace.connect();
  const db = schema.connect();
  const profiles = new ProfileStorePostgres(db, { clock, box });
  return {
    log: world.log(),
    inbox: new InboxStoreCassandra({ client, clock }),
    idempotency: new IdempotencyStoreCassandra(client, clock),
    revocations: new RevocationStoreCassandra(client, clock),
    profiles,
    devices: new DeviceStorePostgres({ db, profiles, clock, box }),
    suppressions: new SuppressionStorePostgres({ db, clock, box, softBouncesMax: 5 }),
    timers: new TimerStoreCassandra(client),
    audiences: new AudienceStorePostgres(schema.connect()),
    fanouts: new FanoutStorePostgres(schema.connect()),
    broadcasts: new BroadcastStorePostgres(schema.connect()),
    announcements: new AnnouncementStorePostgres(schema.connect()),
    state: new CassandraMoveState(client),
    shards: testShards,
  };
}

async function scene(t: TestContext) {
  const data = await EmbeddedData.create();
  t.after(() => data.dispose());
  const keyspace = new TestKeyspace();
  await keyspace.open();
  t.after(() => keyspace.drop());
  const schema = new TestSchema();
  await schema.open();
  t.after(() => schema.drop());
  const world = await KafkaWorld.for(t, testShards);
  return { data, target: () => targetOf({ world, keyspace, schema }, data.clock) };
}

test('G3: an embedded engine’s data is moved, is equal, and the cluster goes on from there', async (t) => {
  const { data, target } = await scene(t);
  assertWhole(await move(data, await target()));
  await assertGoesOn(data, await target());
});

test('G3: a move that is cut off goes on by another process', async (t) => {
  const { data, target } = await scene(t);
  let isCut = false;
  const cutOff = (): void => {
    if (isCut) return;
    isCut = true;
    throw new Error('cut off');
  };
  await move(data, await target(), cutOff).catch(() => {});
  assertWhole(await move(data, await target()));
  await assertGoesOn(data, await target());
});
