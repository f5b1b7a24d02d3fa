/**
 * Somebody whose posts get 36,000 likes a week, seen one at a time, while people look who liked: reading must not wade
 * through deleted rows (I7). Cassandra warns at 1,000 of them and refuses at 100,000.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { limits } from '../../../server/src/base/limits.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { movesUp } from '../../../server/src/decide/move.ts';
import { InboxStoreCassandra } from '../../../server/src/inbox/inbox-store-cassandra.ts';
import type { Item, PersonWrite } from '../../../server/src/inbox/item.ts';
import { ana, noonMs, testItem, testMember } from '../../../server/src/inbox/test-items.ts';
import { TestKeyspace } from '../test-keyspace.ts';

const likes = 36_000;
const posts = 10;
const weekMs = 7 * 24 * 3600 * 1000;
const lookEvery = 500;
const atOnce = 250;

const keyspace = new TestKeyspace();
const client = await keyspace.open();
after(() => keyspace.drop());
const store = new InboxStoreCassandra({ client, clock: new VirtualClock() });

/** The open row of each post. */
const open = new Map<number, Item>();
let moves = 0;

/** The write that the like number `n` makes. */
function like(n: number): PersonWrite {
  const timeMs = noonMs + Math.floor((n * weekMs) / likes);
  const revision = n + 1;
  const post = n % posts;
  const row = open.get(post);
  if (row === undefined || timeMs >= row.createdAtMs + limits.groupSpanMs) {
    const item = testItem(ana, `e${n}`, timeMs, { revision, groupKey: `post.liked:p${post}` });
    open.set(post, item);
    return { person: ana, items: [{ item, movedFrom: null }], members: [], deepRevision: null };
  }
  const grown = { ...row, revision, actorCount: row.actorCount + 1 };
  const isMoving = movesUp(grown, timeMs, grown.actorCount);
  const item = isMoving ? up(grown, timeMs) : grown;
  open.set(post, item);
  const members = [{ item: item.id, revision, members: [testMember(`m${n}`)] }];
  return { person: ana, items: [{ item, movedFrom: isMoving ? row : null }], members, deepRevision: null };
}

function up(item: Item, timeMs: number): Item {
  moves++;
  const former = { activityAtMs: item.activityAtMs, from: item.activityRevision, until: item.revision };
  return {
    ...item,
    activityAtMs: timeMs,
    activityRevision: item.revision,
    actorCountAtMove: item.actorCount,
    formerPlaces: [...item.formerPlaces, former].slice(-limits.formerPlacesMax),
  };
}

/** Deleted rows and cells that a query met. */
async function deletedMet(query: string, params: unknown[]): Promise<number> {
  const { info } = await client.execute(query, params, { prepare: true, traceQuery: true });
  assert.equal(info.warnings ?? null, null);
  const { events } = await client.metadata.getTrace(info.traceId, 1);
  const texts = (events as { activity: string }[]).map(({ activity }) => activity);
  const counts = texts.flatMap((text) => /and (\d+) tombstone cells/.exec(text)?.[1] ?? []).map(Number);
  assert.ok(counts.length > 0, texts.join('\n'));
  return Math.max(...counts);
}

test('a week of likes leaves no deleted rows in the list, and few among the members', async () => {
  for (let n = 0; n < likes; n += atOnce) {
    const writes = Array.from({ length: atOnce }, (_, index) => like(n + index));
    // Each is a mutation of its own, as if it had come alone.
    await store.write(0, writes, [n]);
    if (n % lookEvery === 0) for (const { id } of open.values()) await store.members(ana, id);
  }
  assert.ok(moves > 1000, `${moves} moves`);
  const head = await store.head(ana, limits.changesMax);
  assert.equal(head.items.length, 7 * posts);
  assert.equal(
    head.items.reduce((sum, { actorCount }) => sum + actorCount, 0),
    likes,
  );
  const person = ['default', 'ana'];
  assert.equal(
    await deletedMet('SELECT id, item, facts FROM inbox WHERE tenant = ? AND user = ? LIMIT 300', person),
    0,
  );
  const met: number[] = [];
  for (const { id } of open.values()) {
    assert.ok((await store.members(ana, id)).length > 400);
    const query = 'SELECT revision, members FROM inbox_members WHERE tenant = ? AND user = ? AND id = ?';
    met.push(await deletedMet(query, [...person, id]));
  }
  assert.ok(Math.max(...met) < 100, `${met}`);
});
