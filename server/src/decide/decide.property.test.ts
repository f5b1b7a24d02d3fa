/** Whatever the order of arrival, however often each event comes and whoever crashes, an inbox ends up the same (E7, D4, D5). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { type TestEvent, TestInbox } from './test-inbox.ts';

const actor = fc.constantFrom('a1', 'a2', 'a3', 'a4');
const minute = 60_000;

/** Each actor's toggles of one thing, numbered by the source in the order they were made. */
function toggles(on: string, doIt: string, undoIt: string, parent?: string): fc.Arbitrary<TestEvent[]> {
  return fc
    .uniqueArray(fc.tuple(actor, fc.nat(9)), { maxLength: 8, selector: ([who, seq]) => `${who}${seq}` })
    .map((steps) =>
      steps.map(([who, seq]) => ({
        type: seq % 2 === 0 ? doIt : undoIt,
        actor: who,
        on,
        ...(parent === undefined ? {} : { parent }),
        seq,
        atMs: seq * minute,
        id: `${on}-${who}-${seq}`,
      })),
    );
}

const history = fc
  .tuple(
    toggles('post:p1', 'post.liked', 'post.unliked'),
    toggles('user:r1', 'user.followed', 'user.unfollowed'),
    toggles('comment:c1', 'mention.created', 'mention.removed', 'post:p1'),
    toggles('comment:c2', 'comment.liked', 'comment.unliked', 'post:p1'),
  )
  .map((parts) => parts.flat());

/** What a person sees, apart from when it came: rows with all their people. */
function seen(inbox: TestInbox): string[] {
  return inbox.rows
    .map((item) => `${item.type} ${item.groupKey} ${inbox.peopleIn(item).join(',')}=${item.actorCount}`)
    .sort();
}

/** The plain answer: per actor and thing the step with the greatest number stands. */
function expected(events: readonly TestEvent[]): Map<string, number> {
  const last = new Map<string, TestEvent>();
  for (const event of events) {
    const key = `${event.on} ${event.actor}`;
    if ((last.get(key)?.seq ?? -1) < (event.seq as number)) last.set(key, event);
  }
  const people = new Map<string, number>();
  for (const event of last.values()) {
    if ((event.seq as number) % 2 === 0) people.set(event.on as string, (people.get(event.on as string) ?? 0) + 1);
  }
  return people;
}

it('any order, any repetition, any crash: the same rows with the same people, told at most once of each', () => {
  fc.assert(
    fc.property(history, fc.infiniteStream(fc.nat()), (events, picks) => {
      const inOrder = new TestInbox().give(...events);
      const inbox = new TestInbox();
      for (const batch of batchesOf(shuffleWithRepeats(events, picks), picks)) {
        if ((picks.next().value as number) % 4 === 0) inbox.lose(...batch);
        inbox.give(...batch);
      }
      assert.deepEqual(seen(inbox), seen(inOrder));
      const people = new Map<string, number>();
      for (const row of inbox.rows) {
        const thing = `${row.object.kind}:${row.object.id}`;
        people.set(thing, (people.get(thing) ?? 0) + row.actorCount);
      }
      assert.deepEqual(new Map([...people].sort()), new Map([...expected(events)].sort()), 'what a plain count gives');
      const things = new Set(events.map((event) => `${event.on} ${event.actor}`));
      assert.ok(inbox.unread <= inbox.rows.length);
      assert.ok(inbox.told <= things.size);
    }),
    { numRuns: 10_000 },
  );
});

/** Micro-batches of one to five events. */
function batchesOf(events: readonly TestEvent[], picks: fc.Stream<number>): TestEvent[][] {
  const batches: TestEvent[][] = [];
  for (let at = 0; at < events.length; ) {
    const size = 1 + ((picks.next().value as number) % 5);
    batches.push(events.slice(at, at + size));
    at += size;
  }
  return batches;
}

function shuffleWithRepeats(events: readonly TestEvent[], picks: fc.Stream<number>): TestEvent[] {
  const pick = (below: number): number => (picks.next().value as number) % below;
  const pool = [...events, ...events.slice(0, events.length === 0 ? 0 : pick(events.length))];
  for (let at = pool.length - 1; at > 0; at--) {
    const other = pick(at + 1);
    [pool[at], pool[other]] = [pool[other] as TestEvent, pool[at] as TestEvent];
  }
  return pool;
}
