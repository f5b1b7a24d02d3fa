/** The log's topics on a real Kafka: created, checked, changed where that can be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigResourceTypes } from '@platformatic/kafka';
import { checkTopics, ensureTopics } from '../../../server/src/log/kafka/ensure-topics.ts';
import { KafkaClients } from '../../../server/src/log/kafka/kafka-clients.ts';
import { KafkaWorld } from './kafka-world.ts';

test('topics are created once, and settings that differ are set', async (t) => {
  const world = await KafkaWorld.for(t, 3);
  const { admin } = world.clients();
  const settings = { topicPrefix: world.topicPrefix, shards: 3, replicationFactor: 1, keptMs: -1 };
  const did = async (keptMs: number) => (await ensureTopics(admin, { ...settings, keptMs })).map((each) => each.did);
  assert.deepEqual(await did(-1), ['nothing', 'nothing', 'nothing']);
  assert.deepEqual(await did(86_400_000), ['changed', 'changed', 'changed']);
  assert.deepEqual(await did(86_400_000), ['nothing', 'nothing', 'nothing']);
  const [found] = await admin.describeConfigs({
    resources: [{ resourceType: ConfigResourceTypes.TOPIC, resourceName: world.topics.of('bulk') }],
  });
  const configs = new Map(found?.configs.map(({ name, value }) => [name, value]));
  assert.equal(configs.get('retention.ms'), '86400000');
  assert.equal(configs.get('min.insync.replicas'), '1');
  assert.equal(configs.get('message.timestamp.type'), 'CreateTime');
});

test('two processes may create them at once', async (t) => {
  const world = await KafkaWorld.for(t);
  const topicPrefix = `${world.topicPrefix}-both`;
  const settings = { topicPrefix, shards: 5, replicationFactor: 1, keptMs: -1 };
  const reports = await Promise.all([1, 2].map(() => ensureTopics(world.clients().admin, settings)));
  assert.equal(reports.flat().filter((each) => each.did === 'created').length, 3);
  const { admin } = world.clients();
  await admin.deleteTopics({ topics: reports[0]?.map(({ topic }) => topic) ?? [] });
});

test('a wrong number of partitions, or none, is refused with what to do', async (t) => {
  const world = await KafkaWorld.for(t, 3);
  const { admin } = world.clients();
  const { topicPrefix } = world;
  await checkTopics(admin, { topicPrefix, shards: 3 });
  await assert.rejects(checkTopics(admin, { topicPrefix, shards: 4 }), /has 3 partitions and 4 shards.*shards: 3/);
  await assert.rejects(checkTopics(admin, { topicPrefix: 'none', shards: 4 }), /no topic none\.log\.direct.*migrate/);
  await assert.rejects(ensureTopics(admin, { topicPrefix, shards: 4, replicationFactor: 1, keptMs: -1 }), /shards: 3/);
});

test('a Kafka that is not there is said so, with its address', async () => {
  const clients = new KafkaClients({ brokers: ['127.0.0.1:1'], clientId: 'carillon-test' });
  await assert.rejects(clients.check(), /No broker of Kafka answers at 127\.0\.0\.1:1\./);
  await clients.close();
});
