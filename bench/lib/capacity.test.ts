import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityFor, capacityText, type Footprint } from './capacity.ts';

const footprint: Footprint = {
  cpuUs: { intake: 12, shard: 60, gateway: 24, kafka: 12, cassandra: 120, redis: 3 },
  residentMb: { intake: 128, shard: 512, gateway: 256, kafka: 512, cassandra: 1024, redis: 16 },
  kafkaBytes: 500,
  cassandraBytes: 1000,
  streams: 15_000,
};

const needOf = (perSecond: number, part: string) => {
  const need = capacityFor(perSecond, footprint).find((each) => each.part === part);
  assert.ok(need);
  return need;
};

test('M9: a process of ours has one core, a node of a service eight, none busier than 60 %', () => {
  // 60 µs × 25,000/s = 1.5 cores busy; at 60 % 2.5 processes.
  assert.equal(needOf(25_000, 'shard').busyCores, 1.5);
  assert.equal(needOf(25_000, 'shard').count, 3);
  assert.equal(needOf(200_000, 'shard').count, 20);
  assert.equal(needOf(200_000, 'shard').memoryGb, 10);
  // 120 µs × 3 copies × 200,000/s = 72 cores busy; at 60 % 120 cores, 15 nodes.
  assert.equal(needOf(200_000, 'cassandra').busyCores, 72);
  assert.equal(needOf(200_000, 'cassandra').count, 15);
});

test('M9: never fewer than three of anything', () => {
  assert.ok(capacityFor(10, footprint).every(({ count }) => count === 3));
});

test('M9: disk is for the average load that belongs to the peak, in all copies', () => {
  // 200 million a day: 90 days × 1,000 B × 3 copies.
  const { diskTb } = needOf(25_000, 'cassandra');
  assert.ok(Math.abs(diskTb - 54) < 0.1, String(diskTb));
  assert.equal(needOf(25_000, 'redis').diskTb, 0);
});

test('M9: the page says what was computed', () => {
  const text = capacityText(footprint, [25_000, 200_000]);
  assert.match(text, /\| shard \| 60 µs \| 1\.5 \| 3 processes \| 1\.5 GB \| – \|/);
  assert.match(text, /\| cassandra \| 120 µs \| 72 \| 15 nodes \|/);
});
