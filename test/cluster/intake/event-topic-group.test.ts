/** E4, N3: several processes share the topic, and any of them may go at any moment. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { like } from '../../flow/events.ts';
import { eventually } from '../../flow/eventually.ts';
import type { AppendAnswer, AppendRequest } from './topic-process.ts';
import { type Gate, TopicWorld } from './topic-world.ts';

/** Holds appends that have one of these events in them until it is opened. */
function holding(...held: string[]): { gate: Gate; open: () => void; holds: (id: string) => boolean } {
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const seen = new Set<string>();
  const gate: Gate = async (ids) => {
    if (!ids.some((id) => held.includes(id))) return;
    for (const id of ids) seen.add(id);
    await promise;
  };
  return { gate, open, holds: (id) => seen.has(id) };
}

async function sendAll(world: TopicWorld, partition: number, ids: readonly string[]): Promise<void> {
  for (const id of ids) await world.send(like('a1', 'p1', 'r1', { id }), { partition });
}

const bothPartitions = [0, 1] as const;

test('BC-08: finished work is committed before another process takes over, and nothing after that', async (t) => {
  const world = await TopicWorld.open(t, { partitions: 2 });
  const first = holding('slow0', 'slow1');
  world.start(t, world.log.behind(first.gate));
  t.after(first.open);
  for (const partition of bothPartitions) await sendAll(world, partition, [`x${partition}`, `y${partition}`]);
  await eventually(async () => (await world.committed(0)) === 2 && (await world.committed(1)) === 2);
  for (const partition of bothPartitions) await sendAll(world, partition, [`slow${partition}`]);
  await eventually(() => first.holds('slow0') && first.holds('slow1'));

  world.start(t);
  await eventually(() => world.log.times('slow0') + world.log.times('slow1') === 1);
  const moved = world.log.times('slow0') === 1 ? 0 : 1;
  await eventually(async () => (await world.committed(moved)) === 3);
  assert.equal(await world.committed(1 - moved), 2);
  await sendAll(world, moved, ['later1', 'later2']);
  await eventually(async () => (await world.committed(moved)) === 5);

  first.open();
  await eventually(async () => (await world.committed(1 - moved)) === 3);
  assert.equal(world.log.times(`slow${moved}`), 2);
  assert.equal(await world.committed(moved), 5);
  assert.equal(new Set(world.log.ids).size, world.log.ids.length);
  assert.equal(world.log.ids.length, 8);
});

test('BC-13: what was fetched before a partition was lost is not used when it comes back', async (t) => {
  const world = await TopicWorld.open(t, { partitions: 2 });
  const ids = (partition: number): string[] => Array.from({ length: 50 }, (_, n) => `${partition}-${n}`);
  const first = holding('0-0', '1-0');
  for (const partition of bothPartitions) await sendAll(world, partition, ids(partition));
  world.start(t, world.log.behind(first.gate));
  t.after(first.open);
  await eventually(() => first.holds('0-0') && first.holds('1-0'));

  const second = holding('0-0', '1-0');
  t.after(second.open);
  const other = world.start(t, world.log.behind(second.gate));
  await eventually(() => second.holds('0-0') || second.holds('1-0'));
  const stopped = other.stop();
  first.open();
  await eventually(async () => (await world.committed(0)) === 50 && (await world.committed(1)) === 50);
  for (const partition of bothPartitions) {
    assert.deepEqual(
      world.log.ids.filter((id) => id.startsWith(`${partition}-`)),
      ids(partition),
    );
  }
  second.open();
  await stopped;
});

test('N3: killed between append and commit: no event twice, none lost', async (t) => {
  const world = await TopicWorld.open(t);
  const killed = startProcess(t, world, (ids) => ids.includes('k3'));
  await sendAll(world, 0, ['k1', 'k2']);
  await eventually(async () => (await world.committed()) === 2);
  await sendAll(world, 0, ['k3', 'k4']);
  await eventually(() => world.log.ids.includes('k3'));
  assert.equal(await killed, 'SIGKILL');
  assert.equal(await world.committed(), 2);
  startProcess(t, world, () => false);
  await sendAll(world, 0, ['k5']);
  await eventually(async () => (await world.committed()) === 5);
  assert.deepEqual(world.log.ids, ['k1', 'k2', 'k3', 'k4', 'k5']);
  assert.equal(world.log.times('k3'), 2);
});

test('M4: a stop finishes and commits what is at hand, and the next process need not wait for a session to end', async (t) => {
  const world = await TopicWorld.open(t);
  const first = holding('s2');
  const topic = world.start(t, world.log.behind(first.gate));
  await sendAll(world, 0, ['s1']);
  await eventually(async () => (await world.committed()) === 1);
  await sendAll(world, 0, ['s2']);
  await eventually(() => first.holds('s2'));
  const stopped = topic.stop();
  first.open();
  await stopped;
  assert.equal(await world.committed(), 2);
  const group = (await world.admin.describeGroups({ groups: [world.settings.group] })).get(world.settings.group);
  assert.equal(group?.members.size, 0);
  await sendAll(world, 0, ['s3']);
  world.start(t);
  await eventually(async () => (await world.committed()) === 3);
  assert.equal(world.log.times('s2'), 1);
});

/** Resolves with the signal that ended it. Killed right after an append that `isLast` names, before it hears of it. */
function startProcess(
  t: TestContext,
  world: TopicWorld,
  isLast: (ids: readonly string[]) => boolean,
): Promise<string | null> {
  const path = fileURLToPath(new URL('./topic-process.ts', import.meta.url));
  const child = fork(path, [JSON.stringify(world.options), JSON.stringify(world.settings)]);
  t.after(() => child.kill('SIGKILL'));
  child.on('message', async ({ number, bytes, count }: AppendRequest) => {
    const batch = { bytes: Buffer.from(bytes, 'base64'), count };
    const statuses = await world.log.append(batch);
    if (isLast(world.log.appends.at(-1) ?? [])) child.kill('SIGKILL');
    else child.send({ number, statuses } satisfies AppendAnswer);
  });
  return new Promise((resolve) => child.on('exit', (_, signal) => resolve(signal)));
}
