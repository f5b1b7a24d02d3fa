/** E4: what producers of any language put into the events topic, and what becomes of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Producer } from '@platformatic/kafka';
import { like } from '../../flow/events.ts';
import { eventually } from '../../flow/eventually.ts';
import { TopicWorld } from './topic-world.ts';

const cloudEvents = 'application/cloudevents+json; charset=UTF-8';

/** An event as a CloudEvent: attributes apart from what is ours. */
function cloudEvent(id: string): Record<string, unknown> {
  const { source, type, time, id: _, ...data } = like('a1', 'p1', 'r1', { id });
  return { specversion: '1.0', id, source, type, time, datacontenttype: 'application/json', data };
}

test('E4: every form of an event is taken, in order, and the offset is committed', async (t) => {
  const world = await TopicWorld.open(t);
  await world.send(like('a1', 'p1', 'r1', { id: 'object' }), { key: 'r1' });
  await world.send([like('a1', 'p1', 'r1', { id: 'list-1' }), like('a2', 'p1', 'r1', { id: 'list-2' })]);
  await world.send(
    `${JSON.stringify(like('a1', 'p2', 'r1', { id: 'line-1' }))}\n${JSON.stringify(like('a1', 'p3', 'r1', { id: 'line-2' }))}\n`,
    {
      headers: { 'Content-Type': 'application/x-ndjson' },
    },
  );
  await world.send(cloudEvent('structured'), { headers: { 'content-type': cloudEvents } });
  await world.send([cloudEvent('batch-1'), cloudEvent('batch-2')], {
    headers: { 'content-type': 'application/cloudevents-batch+json' },
  });
  const { data, datacontenttype: _, ...attributes } = cloudEvent('binary');
  const headers = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce_${name}`, String(value)]));
  await world.send(data, { headers });
  await world.send(data, { headers: { ...headers, ce_id: '100%25 "größer"' } });
  world.start(t);
  await eventually(async () => (await world.committed()) === 7);
  const expected = ['object', 'list-1', 'list-2', 'line-1', 'line-2', 'structured', 'batch-1', 'batch-2', 'binary'];
  // Kafka's binding has no percent-encoding: what stands there is meant.
  assert.deepEqual(world.log.ids, [...expected, '100%25 "größer"']);
  assert.equal(world.metric('carillon_topic_messages_total', 'taken'), 7);
});

test('E4: messages of another client library are taken alike', async (t) => {
  const world = await TopicWorld.open(t);
  world.sendWithKcat(JSON.stringify(like('a1', 'p1', 'r1', { id: 'plain' })));
  world.sendWithKcat(JSON.stringify(cloudEvent('structured')), { 'content-type': cloudEvents });
  const { data, ...attributes } = cloudEvent('binary "é"');
  const headers = Object.entries(attributes).filter(([name]) => name !== 'datacontenttype');
  world.sendWithKcat(JSON.stringify(data), {
    ...Object.fromEntries(headers.map(([name, value]) => [`ce_${name}`, String(value)])),
    'content-type': 'application/json',
  });
  for (const codec of ['gzip', 'snappy', 'lz4', 'zstd']) {
    world.sendWithKcat(JSON.stringify(like('a1', 'p1', 'r1', { id: codec })), {}, ['-z', codec]);
  }
  world.start(t);
  await eventually(async () => (await world.committed()) === 7);
  assert.deepEqual(world.log.ids, ['plain', 'structured', 'binary "é"', 'gzip', 'snappy', 'lz4', 'zstd']);
});

test('E4, BC-10: what cannot be taken is in the dead-letter topic as it came, with its place and the reason', async (t) => {
  const world = await TopicWorld.open(t);
  const good = (id: string) => like('a1', 'p1', 'r1', { id });
  const badUtf8 = Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
  const large = JSON.stringify({ ...good('large'), data: { text: 'x'.repeat(70_000) } });
  await world.send(good('m1'));
  await world.send('{"id": nonsense', { key: 'r1', headers: { trace: 'abc', 'carillon-dead-code': 'OLD' } });
  await world.send(good('m3'));
  await world.send(badUtf8);
  await world.send(large);
  await world.send({ ...good('unknown'), type: 'post.sniffed' });
  await world.send({ ...good('foreign'), source: 'payments' });
  await world.send([good('l1'), { ...good('l2'), object: {} }, good('l3'), 'text']);
  await world.send('', { headers: {} });
  await world.send(good('avro'), { headers: { 'content-type': 'avro/binary' } });
  await world.send(
    {},
    { headers: { ce_specversion: '1.0', ce_id: 'a\0b', ce_source: 'posts', ce_type: 'post.liked' } },
  );
  await world.send(null, {
    headers: { ce_specversion: '1.0', ce_id: 'noData', ce_source: 'posts', ce_type: 'post.liked' },
  });
  await world.send(good('m5'));
  world.start(t);
  await eventually(async () => (await world.committed()) === 13);
  assert.deepEqual(world.log.ids, ['m1', 'm3', 'l1', 'l3', 'm5']);

  const letters = await world.deadLetters(10);
  const dead = letters.map(({ headers }) => [
    headers['carillon-dead-offset'],
    headers['carillon-dead-code'],
    headers['carillon-dead-path'],
  ]);
  assert.deepEqual(
    dead.sort((a, b) => Number(a[0]) - Number(b[0])),
    [
      ['1', 'CARILLON_REQUEST_MALFORMED', ''],
      ['3', 'CARILLON_REQUEST_MALFORMED', ''],
      ['4', 'CARILLON_REQUEST_TOO_LARGE', ''],
      ['5', 'CARILLON_EVENT_TYPE_UNKNOWN', '/type'],
      ['6', 'CARILLON_EVENT_SOURCE_FOREIGN', '/source'],
      ['7', 'CARILLON_EVENT_INVALID', '/object/kind'],
      ['8', 'CARILLON_REQUEST_MALFORMED', ''],
      ['9', 'CARILLON_REQUEST_MEDIA_TYPE', ''],
      ['10', 'CARILLON_EVENT_INVALID', 'header/ce_id'],
      ['11', 'CARILLON_REQUEST_MALFORMED', ''],
    ],
  );
  const at = (offset: number) => letters.find(({ headers }) => headers['carillon-dead-offset'] === String(offset));
  const m2 = at(1);
  assert.equal(m2?.value?.toString(), '{"id": nonsense');
  assert.equal(m2?.key, 'r1');
  const { 'carillon-dead-timestamp': writtenAt = '', 'carillon-dead-detail': detail = '', ...rest } = m2?.headers ?? {};
  assert.ok(Math.abs(Date.parse(writtenAt) - Date.now()) < 120_000, writtenAt);
  assert.notEqual(detail, '');
  const place = {
    topic: world.settings.topic,
    partition: '0',
    offset: '1',
    code: 'CARILLON_REQUEST_MALFORMED',
    path: '',
  };
  const headers = Object.fromEntries(Object.entries(place).map(([name, value]) => [`carillon-dead-${name}`, value]));
  assert.deepEqual(rest, { trace: 'abc', ...headers });
  assert.deepEqual(at(3)?.value, badUtf8);
  assert.equal(at(4)?.value?.toString(), large);
  assert.equal(at(7)?.headers['carillon-dead-events'], '1,3');
  assert.equal(at(11)?.value, null);
  assert.equal(world.metric('carillon_topic_dead_total'), 10);
  assert.equal(world.metric('carillon_topic_dead_total', 'CARILLON_REQUEST_TOO_LARGE'), 1);
  assert.deepEqual(world.lines.filter(({ event }) => event === 'eventsBuried').length > 0, true);
});

test('E3, E4: an event that came over HTTP, or twice, has no second effect; a tombstone none at all', async (t) => {
  const world = await TopicWorld.open(t);
  await world.send(like('a1', 'p1', 'r1', { id: 'once' }));
  await world.send(null, { key: 'r1' });
  await world.send(like('a1', 'p1', 'r1', { id: 'once' }));
  world.start(t);
  await eventually(async () => (await world.committed()) === 3);
  assert.deepEqual(world.log.ids, ['once']);
  assert.equal(world.metric('carillon_topic_messages_total', 'taken'), 2);
  assert.equal(world.metric('carillon_topic_messages_total', 'empty'), 1);
  assert.equal(world.metric('carillon_topic_dead_total'), 0);
});

test('E6: while its lane is refused a message waits in the topic; nothing is dead and nothing out of order', async (t) => {
  const world = await TopicWorld.open(t);
  world.log.unapplied.social = 1e12;
  for (const id of ['w1', 'w2', 'w3']) await world.send(like('a1', 'p1', 'r1', { id }));
  world.start(t);
  await eventually(() => world.metric('carillon_topic_waits_total', 'overloaded') >= 2);
  assert.equal(await world.committed(), -1);
  world.log.unapplied.social = 0;
  await eventually(async () => (await world.committed()) === 3);
  assert.deepEqual(world.log.ids, ['w1', 'w2', 'w3']);
  assert.equal(world.metric('carillon_topic_dead_total'), 0);
  assert.equal(world.lines.filter(({ event }) => event === 'topicWaits').length, 1);
});

test('N3: while the log cannot be written nothing is committed, and nothing is lost', async (t) => {
  const world = await TopicWorld.open(t);
  let failures = 2;
  world.log.gate = () => (failures-- > 0 ? Promise.reject(new Error('the log is away')) : Promise.resolve());
  for (const id of ['f1', 'f2']) await world.send(like('a1', 'p1', 'r1', { id }));
  world.start(t);
  await eventually(async () => (await world.committed()) === 2);
  assert.deepEqual(world.log.ids, ['f1', 'f2']);
  assert.ok(world.metric('carillon_topic_waits_total', 'logFailed') >= 1);
  assert.equal(world.metric('carillon_topic_dead_total'), 0);
});

test('E4: a letter too large for its topic keeps everything but the value, which lies where its place says', async (t) => {
  const world = await TopicWorld.open(t);
  await world.admin.incrementalAlterConfigs({
    resources: [
      {
        resourceType: 2,
        resourceName: world.settings.deadTopic,
        configs: [{ name: 'max.message.bytes', configOperation: 0, value: '2000' }],
      },
    ],
  });
  await world.send('small');
  await world.send('x'.repeat(3000), { key: 'r1' });
  await world.send('x', { key: 'r1', headers: { big: 'y'.repeat(3000) } });
  world.start(t);
  await eventually(async () => (await world.committed()) === 3);
  const letters = await world.deadLetters(3);
  const seen = letters.map(({ key, value, headers }) => [
    headers['carillon-dead-offset'],
    key,
    value?.toString() ?? null,
    headers['carillon-dead-omitted'],
  ]);
  assert.deepEqual(
    seen.sort((a, b) => Number(a[0]) - Number(b[0])),
    [
      ['0', null, 'small', undefined],
      ['1', 'r1', null, 'value'],
      ['2', null, null, 'value,key,headers'],
    ],
  );
});

test('E4: what a producer rolled back was never sent', async (t) => {
  const world = await TopicWorld.open(t);
  const producer = new Producer({ ...world.kafka, idempotent: true, transactionalId: `${world.settings.topic}.t` });
  t.after(() => producer.close(true));
  const { topic } = world.settings;
  const message = (id: string) => ({
    topic,
    partition: 0,
    value: Buffer.from(JSON.stringify(like('a1', 'p1', 'r1', { id }))),
  });
  for (const [id, commits] of [
    ['t1', false],
    ['t2', true],
    ['t3', false],
    ['t4', false],
    ['t5', true],
  ] as const) {
    const transaction = await producer.beginTransaction();
    await transaction.send({ messages: [message(id), message(`${id}b`)] });
    await (commits ? transaction.commit() : transaction.abort());
  }
  await world.send(like('a1', 'p1', 'r1', { id: 'last' }));
  world.start(t);
  await eventually(() => world.log.ids.includes('last'));
  assert.deepEqual(world.log.ids, ['t2', 't2b', 't5', 't5b', 'last']);
});

test('N3a: what Kafka deleted unread is counted, and the topic goes on from the oldest that is left', async (t) => {
  const world = await TopicWorld.open(t);
  await world.send(like('a1', 'p1', 'r1', { id: 'g1' }));
  const first = world.start(t);
  await eventually(async () => (await world.committed()) === 1);
  await first.stop();
  for (const id of ['g2', 'g3', 'g4']) await world.send(like('a1', 'p1', 'r1', { id }));
  await world.admin.deleteRecords({
    topics: [{ name: world.settings.topic, partitions: [{ partition: 0, offset: 3n }] }],
  });
  world.start(t);
  await eventually(async () => (await world.committed()) === 4);
  assert.deepEqual(world.log.ids, ['g1', 'g4']);
  assert.equal(world.metric('carillon_topic_skipped_total'), 2);
});

test('E4: a topic that is not there yet is read once it is', async (t) => {
  const world = await TopicWorld.open(t);
  await world.admin.deleteTopics({ topics: [world.settings.topic] });
  world.start(t);
  await eventually(() => world.lines.some(({ event }) => event === 'topicFailed'));
  await world.admin.createTopics({ topics: [world.settings.topic], partitions: 1, replicas: 1 });
  await eventually(async () => {
    await world.send(like('a1', 'p1', 'r1', { id: 'late' })).catch(() => {});
    return world.log.ids.includes('late');
  });
});

test('M1: how far the topic is behind is measured', async (t) => {
  const world = await TopicWorld.open(t);
  let open: () => void = () => {};
  world.log.gate = () =>
    new Promise((resolve) => {
      open = resolve;
    });
  for (const id of ['b1', 'b2', 'b3']) await world.send(like('a1', 'p1', 'r1', { id }));
  world.start(t);
  await eventually(() => world.metric('carillon_topic_lag_messages') === 3);
  assert.ok(world.metric('carillon_topic_oldest_seconds') > 0);
  world.log.gate = async () => {};
  open();
  await eventually(() => world.metric('carillon_topic_lag_messages') === 0);
});
