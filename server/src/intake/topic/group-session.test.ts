import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { CommitOptionsPartition, Consumer } from '@platformatic/kafka';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { GroupSession } from './group-session.ts';
import type { PartitionRun } from './partition-run.ts';

/** What a session uses of the client. A commit is answered when a test says so; the list it holds is the caller's own. */
class FakeClient extends EventEmitter {
  readonly topics = { track: () => true };
  committed: bigint[] = [101n, 300n];
  readonly commits: { offsets: CommitOptionsPartition[]; resolve: () => void; reject: (error: Error) => void }[] = [];

  joinGroup = async (): Promise<string> => 'member';
  listCommittedOffsets = async () => new Map([['events', this.committed]]);
  listOffsets = async () => new Map([['events', [7n, 8n]]]);
  close = async (): Promise<void> => {};

  commit({ offsets }: { offsets: CommitOptionsPartition[] }): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.commits.push({ offsets, resolve, reject });
    return promise;
  }

  join(generationId: number, partitions: readonly number[], memberId = 'm'): void {
    this.emit('consumer:group:join', { memberId, generationId, assignments: [{ topic: 'events', partitions }] });
  }

  /** What the n-th commit would write if it were sent now. */
  pending(n: number): [number, bigint][] | undefined {
    return this.commits[n]?.offsets.map(({ partition, offset }) => [partition, offset]);
  }
}

function scene() {
  const client = new FakeClient();
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const session = new GroupSession({
    client: client as unknown as Consumer,
    topic: 'events',
    clock,
    take: async () => {},
    onRoom: () => {},
    onJoined: () => {},
    onFailed: (error) => failures.push(error),
    onFault: (error) => failures.push(error),
  });
  const run = (partition: number): PartitionRun => session.runs.get(partition) as PartitionRun;
  /** Everything before `next` has been taken. */
  const take = async (partition: number, next: number): Promise<void> => {
    run(partition).add({ messages: [], next, bytes: 0 });
    await turn();
  };
  const commitDue = async (): Promise<void> => {
    clock.advance(100);
    await turn();
  };
  return { client, session, failures, run, take, commitDue };
}

test('E4: partitions begin at what is committed, or at the oldest message that there is', async () => {
  const { client, run } = scene();
  client.committed = [101n, -1n];
  client.join(1, [0, 1]);
  await turn();
  assert.deepEqual([run(0).fetchAt, run(1).fetchAt], [101, 8]);
});

test('BC-08: a commit that meets a rebalance is not repeated for partitions of others', async () => {
  const { client, run, take, commitDue } = scene();
  client.join(1, [0, 1]);
  await turn();
  await take(0, 102);
  await take(1, 301);
  await commitDue();
  assert.deepEqual(client.pending(0), [
    [0, 102n],
    [1, 301n],
  ]);
  // The client repeats the request in the new generation, with the list as it is then.
  client.join(2, [0]);
  assert.deepEqual(client.pending(0), []);
  client.commits[0]?.resolve();
  await turn();
  assert.equal(run(0).committed, 101);
  await commitDue();
  assert.deepEqual(client.pending(1), [[0, 102n]]);
});

test('BC-08: what stays ours from one generation to the next goes on; after a gap it begins anew', async () => {
  const { client, session, run } = scene();
  client.join(1, [0, 1]);
  await turn();
  const [first, second] = [run(0), run(1)];
  client.join(2, [0]);
  await turn();
  assert.equal(run(0), first);
  assert.equal(session.runs.has(1), false);
  assert.equal(second.isOver, true);
  client.join(4, [0]);
  await turn();
  assert.notEqual(run(0), first);
  client.join(5, [0], 'another');
  await turn();
  assert.equal(first.isOver, true);
});

test('BC-13: what comes for a partition that was lost is dropped', async () => {
  const { client, run, take } = scene();
  client.join(1, [0]);
  await turn();
  const lost = run(0);
  client.join(2, []);
  lost.add({ messages: [], next: 151, bytes: 0 });
  assert.equal(lost.fetchAt, 101);
  client.join(3, [0]);
  await turn();
  assert.equal(run(0).fetchAt, 101);
  await take(0, 151);
  assert.equal(run(0).taken, 151);
});

test('BC-08: no commit while the group is being divided anew', async () => {
  const { client, take, commitDue } = scene();
  client.join(1, [0]);
  await turn();
  client.emit('consumer:group:rebalance', {});
  await take(0, 102);
  await commitDue();
  assert.equal(client.commits.length, 0);
  client.join(2, [0]);
  await commitDue();
  assert.deepEqual(client.pending(0), [[0, 102n]]);
});

test('E4: the first failure ends the session, and is told once', async () => {
  const { client, failures, run, take, commitDue } = scene();
  client.join(1, [0]);
  await turn();
  const only = run(0);
  await take(0, 102);
  await commitDue();
  client.commits[0]?.reject(new Error('coordinator away'));
  await turn();
  client.emit('error', new Error('again'));
  assert.deepEqual(failures.map(String), ['Error: coordinator away']);
  assert.equal(only.isOver, true);
});
