/** Which broadcasts come to whom when an inbox is opened, and in what order (F3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AudienceKey, audienceKey, defaultTenant, type PersonKey, personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { type PackedBatch, RecordView } from '../log/record.ts';
import { sampleBatch } from '../log/sample-records.ts';
import { AudienceStoreMemory } from './audience-store-memory.ts';
import { BroadcastMerge } from './broadcast-merge.ts';
import { BroadcastStoreMemory } from './broadcast-store-memory.ts';

const [fans, thread] = [audienceKey(defaultTenant, 'followers:u1'), audienceKey(defaultTenant, 'thread:p1')];
const person = (user: string): PersonKey => personKey(defaultTenant, user);

function scene() {
  const audiences = new AudienceStoreMemory();
  const broadcasts = new BroadcastStoreMemory();
  const takesBack = (type: string): boolean => type === 'post.deleted';
  const merge = new BroadcastMerge({ audiences, broadcasts, shards: 1, takesBack });
  let kept = 0;
  return {
    broadcasts,
    /** At one time each: the first at 1000, the next at 2000. */
    async keep(name: string, audience: AudienceKey = fans, type = 'post.published') {
      const record = Buffer.from(sampleBatch([{ id: name, recipients: [] }]).bytes);
      await broadcasts.keep({ id: `f_${name}`, audience, type, acceptedMs: ++kept * 1000 }, record);
    },
    join: (user: string, takenMs = 0, audience = fans, present = true) =>
      audiences.apply([{ audience, user, present, notify: null, seq: null, timeMs: takenMs, takenMs }]),
    /** `event users`, in the order in which they are applied. */
    async open(...users: string[]): Promise<string[]> {
      const applied: string[] = [];
      await merge.merge(defaultTenant, users.map(person), async (batches) => {
        applied.push(...batches.flatMap(told));
      });
      return applied;
    },
    openInVain: (user: string) =>
      merge.merge(defaultTenant, [person(user)], () => Promise.reject(new Error('the store is away'))),
  };
}

function told({ bytes }: PackedBatch): string[] {
  const [buffer, view, found] = [Buffer.from(bytes), new RecordView(), [] as string[]];
  for (let at = 0; at < buffer.length; ) {
    at = view.move(buffer, at);
    assert.ok(view.isMerged && !view.isToAudience && !view.isAskedForPush);
    found.push(`${view.text('id')} ${view.recipients().join()}`);
  }
  return found;
}

test('each broadcast comes once, in order, to those who were members when it came and still are', async () => {
  const { keep, join, open } = scene();
  await join('a');
  await join('b', 1500);
  await join('c');
  await keep('e1');
  await keep('e2');
  await join('c', 2500, fans, false);
  assert.deepEqual(await open('a', 'b', 'c', 'x'), ['e1 a', 'e2 a,b']);
  assert.deepEqual(await open('a', 'b', 'c', 'x'), []);
  await keep('e3');
  assert.deepEqual(await open('b'), ['e3 b']);
  assert.deepEqual(await open('a', 'b'), ['e3 a']);
});

test('what could not be applied comes when the inbox is opened again', async () => {
  const { keep, join, open, openInVain } = scene();
  await join('a');
  await keep('e1');
  await assert.rejects(openInVain('a'));
  assert.deepEqual(await open('a'), ['e1 a']);
});

test('what takes back goes first, whatever is new beside it', async () => {
  const { keep, join, open } = scene();
  await join('a');
  await join('a', 0, thread);
  await keep('e1');
  await keep('e2', thread);
  await keep('e3', fans, 'post.deleted');
  assert.deepEqual(await open('a'), ['e3 a', 'e1 a', 'e2 a']);
});

test('whoever has missed very many gets those of their audiences, and is not asked for them again', async () => {
  const { keep, join, open, broadcasts } = scene();
  await join('a');
  await join('b', 0, thread);
  const many = 3 * limits.broadcastsRecent;
  for (let n = 1; n <= many; n++)
    await keep(`e${n}`, n % 30 === 0 ? fans : audienceKey(defaultTenant, 'followers:other'));
  const own = Array.from({ length: Math.floor(many / 30) }, (_, n) => `e${(n + 1) * 30} a`);
  assert.deepEqual(await open('a', 'b'), own);
  assert.deepEqual(await broadcasts.through([person('a'), person('b')]), [many, many]);
});

test('whoever has nothing to get is not noted each time', async () => {
  const { keep, join, open, broadcasts } = scene();
  await join('a');
  await keep('e1');
  await open('x');
  assert.deepEqual(await broadcasts.through([person('x')]), [0]);
});
