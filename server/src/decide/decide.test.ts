import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limits } from '../base/limits.ts';
import { type TestEvent, TestInbox } from './test-inbox.ts';

const second = 1000;
const hour = 3600 * second;
const like = (actor: string, more: Partial<TestEvent> = {}): TestEvent => ({
  type: 'post.liked',
  actor,
  on: 'post:p1',
  ...more,
});
const unlike = (actor: string, more: Partial<TestEvent> = {}): TestEvent => ({
  ...like(actor, more),
  type: 'post.unliked',
});
const comment = (actor: string, id: string, more: Partial<TestEvent> = {}): TestEvent => ({
  type: 'comment.created',
  actor,
  on: `comment:${id}`,
  parent: 'post:p1',
  ...more,
});

describe('who is told (F5)', () => {
  it('an actor never notifies themself', () => {
    const inbox = new TestInbox('r1');
    assert.equal(inbox.event(like('r1')).reason, 'self');
    assert.deepEqual(inbox.shown, []);
  });

  it('a notice of the app itself is shown even where the app names the person as its actor', () => {
    const inbox = new TestInbox('r1');
    inbox.give({ type: 'security.alert', actor: 'r1', on: 'session:s1' });
    assert.equal(inbox.told, 1);
  });
});

describe('grouping (D5)', () => {
  it('likes of one post by several people are one row with the newest three first', () => {
    const inbox = new TestInbox();
    for (let n = 1; n <= 6; n++) inbox.give(like(`a${n}`, { atMs: n * second }));
    assert.deepEqual(inbox.shown, ['post.liked post:p1 a6,a5,a4 (6)']);
  });

  it('comments group by their parent, and one person with two comments counts once', () => {
    const inbox = new TestInbox().give(
      comment('a1', 'c1'),
      comment('a1', 'c2', { atMs: 1 }),
      comment('a2', 'c3', { atMs: 2 }),
    );
    assert.equal(inbox.rows.length, 1);
    assert.equal(inbox.rows[0]?.actorCount, 2);
    inbox.give({ type: 'comment.deleted', actor: 'a1', on: 'comment:c1', atMs: 5 });
    assert.equal(inbox.rows[0]?.actorCount, 2, 'the second comment still stands');
    inbox.give({ type: 'comment.deleted', actor: 'a1', on: 'comment:c2', atMs: 6 });
    assert.equal(inbox.rows[0]?.actorCount, 1);
  });

  it('follows group by kind alone; mentions and messages stand alone', () => {
    const inbox = new TestInbox().give(
      { type: 'user.followed', actor: 'a1', on: 'user:r1' },
      { type: 'user.followed', actor: 'a2', on: 'user:r1', atMs: 1 },
      { type: 'mention.created', actor: 'a1', on: 'post:m1', atMs: 2 },
      { type: 'mention.created', actor: 'a1', on: 'post:m2', atMs: 3 },
      { type: 'message.sent', actor: 'a1', on: 'message:1', atMs: 4 },
      { type: 'message.sent', actor: 'a1', on: 'message:2', atMs: 5 },
    );
    assert.equal(inbox.rows.length, 5);
  });

  it('a group closes when it is read, and the next event opens another', () => {
    const inbox = new TestInbox()
      .give(like('a1'))
      .readAll()
      .give(like('a2', { atMs: second }));
    assert.deepEqual(inbox.shown, ['post.liked post:p1 a2 (1)', 'post.liked post:p1 a1 (1)']);
    assert.equal(inbox.unread, 1);
  });

  it('a group takes events until 24 h after its first and not at 24 h', () => {
    const inbox = new TestInbox().give(like('a1'), like('a2', { atMs: limits.groupSpanMs - 1 }));
    assert.equal(inbox.rows.length, 1);
    inbox.give(like('a3', { atMs: limits.groupSpanMs }));
    assert.equal(inbox.rows.length, 2);
  });

  it('an event that comes late joins the group that is open', () => {
    const inbox = new TestInbox().give(like('a1'), like('a2', { atMs: -5 * hour }));
    assert.deepEqual(inbox.shown, ['post.liked post:p1 a1,a2 (2)']);
  });

  it('a growing row moves at most once in 10 s, and then only when it has grown noticeably', () => {
    const inbox = new TestInbox().give(like('a0'), { type: 'user.followed', actor: 'b', on: 'user:r1', atMs: second });
    inbox.give(like('a1', { atMs: 9 * second }));
    assert.equal(inbox.rows[0]?.type, 'user.followed', 'not within 10 s');
    inbox.give(like('a2', { atMs: 10 * second }));
    assert.equal(inbox.rows[0]?.type, 'post.liked');
    const place = inbox.rows[0]?.activityAtMs;
    for (let n = 3; n < 60; n++) inbox.give(like(`a${n}`, { atMs: 10 * second + n }));
    assert.equal(inbox.rows[0]?.activityAtMs, place);
  });
});

describe('the same meaning within 24 h (D4)', () => {
  it('like, unlike, like again is one notification', () => {
    const inbox = new TestInbox().give(like('a1'), unlike('a1', { atMs: 1 }), like('a1', { atMs: 2 }));
    assert.equal(inbox.told, 1);
    assert.deepEqual(inbox.shown, ['post.liked post:p1 a1 (1)']);
  });

  it('counts anew 24 h after the last that counted', () => {
    const inbox = new TestInbox().give(like('a1')).readAll();
    inbox.give(like('a1', { atMs: limits.sameMeaningMs - 1 }));
    assert.equal(inbox.told, 1);
    inbox.give(like('a1', { atMs: limits.sameMeaningMs }));
    assert.equal(inbox.told, 2);
    assert.equal(inbox.unread, 1);
  });

  it('the same event again has no effect', () => {
    const inbox = new TestInbox().give(like('a1', { id: 'e1', seq: 1 }));
    const before = JSON.stringify(inbox.rows);
    assert.equal(inbox.event(like('a1', { id: 'e1', seq: 1 })).reason, 'duplicate');
    assert.equal(JSON.stringify(inbox.rows), before);
  });

  it('events about nothing are never the same (BC-21 c)', () => {
    const inbox = new TestInbox().give({ type: 'system.notice', actor: '' }, { type: 'system.notice', actor: '' });
    assert.equal(inbox.rows.length, 2);
  });
});

describe('undo and edit follow the order of the source (E7)', () => {
  it('BC-11 run 1: an unlike that overtakes its like ends in no notification', () => {
    const inbox = new TestInbox().give(unlike('a1', { seq: 2, atMs: second }), like('a1', { seq: 1 }));
    assert.deepEqual([inbox.shown, inbox.unread, inbox.told], [[], 0, 0]);
  });

  it('BC-11 run 2: a late unlike that an even later like has overtaken changes nothing', () => {
    const inbox = new TestInbox().give(
      like('a1', { seq: 1 }),
      like('a1', { seq: 3, atMs: 2 * second }),
      unlike('a1', { seq: 2, atMs: second }),
    );
    assert.deepEqual([inbox.shown, inbox.unread, inbox.told], [['post.liked post:p1 a1 (1)'], 1, 1]);
  });

  it('a remembered undo does not keep others out, nor bring the undone back', () => {
    const inbox = new TestInbox().give(
      unlike('a1', { seq: 2 }),
      like('a2', { atMs: 1 }),
      like('a1', { seq: 1, atMs: 2 }),
    );
    assert.deepEqual(inbox.shown, ['post.liked post:p1 a2 (1)']);
  });

  it('undo removes the person, re-words the row, and removes it when nobody is left', () => {
    const inbox = new TestInbox().give(like('a1'), like('a2', { atMs: 1 }), unlike('a2', { atMs: 2 }));
    assert.deepEqual(inbox.shown, ['post.liked post:p1 a1 (1)']);
    inbox.give(unlike('a1', { atMs: 3 }));
    assert.deepEqual([inbox.shown, inbox.unread], [[], 0]);
  });

  it('without seq, event time decides, and at a tie the undo wins in any order of arrival', () => {
    for (const events of [
      [like('a1', { atMs: 7 }), unlike('a1', { atMs: 7 })],
      [unlike('a1', { atMs: 7 }), like('a1', { atMs: 7 })],
    ]) {
      assert.deepEqual(new TestInbox().give(...events).shown, []);
    }
  });

  it('BC-17: toggling tells once, and a read row that comes back stays read', () => {
    const inbox = new TestInbox();
    for (let n = 0; n < 21; n++) inbox.give((n % 2 === 0 ? like : unlike)('a1', { atMs: n * 2500, seq: n }));
    assert.deepEqual([inbox.shown.length, inbox.told], [1, 1]);
    inbox.readAll();
    inbox.give(unlike('a1', { atMs: 120 * second, seq: 30 }), like('a1', { atMs: 121 * second, seq: 31 }));
    assert.deepEqual([inbox.shown.length, inbox.unread, inbox.told], [1, 0, 1]);
    inbox.give(unlike('a1', { atMs: 200 * second, seq: 32 }));
    assert.deepEqual([inbox.shown, inbox.unread], [[], 0]);
  });

  it('BC-05: a mention added by an edit tells once; removed it is withdrawn; added again it is back in silence', () => {
    const edit = (atMs: number, mentions?: string[]): TestEvent => ({
      type: 'comment.edited',
      actor: 'a1',
      on: 'comment:c1',
      parent: 'post:p9',
      atMs,
      ...(mentions === undefined ? {} : { mentions }),
    });
    const inbox = new TestInbox().give(edit(10 * second, ['r1']), edit(20 * second, ['r1']));
    assert.deepEqual([inbox.told, inbox.unread], [1, 1]);
    inbox.give(edit(30 * second, []));
    assert.deepEqual([inbox.shown, inbox.unread], [[], 0]);
    inbox.give(edit(40 * second, ['r1']));
    assert.deepEqual([inbox.shown.length, inbox.told], [1, 1]);
    inbox.give(edit(50 * second));
    assert.deepEqual([inbox.shown.length, inbox.told], [1, 1]);
  });
});

describe('one thing, one notification (BC-04)', () => {
  const mention: TestEvent = { type: 'mention.created', actor: 'a1', on: 'comment:c1', parent: 'post:p1' };
  const reply: TestEvent = { ...mention, type: 'reply.created' };

  for (const [name, events] of [
    ['reply first', [reply, mention, mention]],
    ['mention first', [mention, reply, mention]],
  ] as const) {
    it(`a reply that also mentions is one row, flagged: ${name}`, () => {
      const inbox = new TestInbox().give(...events);
      assert.deepEqual([inbox.shown, inbox.unread, inbox.told], [['reply.created comment:c1 a1 (1) mentioned'], 1, 1]);
    });
  }

  for (const [name, events] of [
    ['comment first', [comment('a1', 'c1'), mention]],
    ['mention first', [mention, comment('a1', 'c1')]],
  ] as const) {
    it(`so is a comment that also mentions: ${name}`, () => {
      const inbox = new TestInbox().give(...events);
      assert.deepEqual([inbox.shown, inbox.told], [['comment.created comment:c1 a1 (1) mentioned'], 1]);
    });
  }

  it('a mention that is taken back leaves the reply', () => {
    const inbox = new TestInbox().give(reply, mention, { ...mention, type: 'mention.removed', atMs: 5 });
    assert.deepEqual(inbox.shown, ['reply.created comment:c1 a1 (1)']);
  });
});

describe('deletions', () => {
  it('BC-33: a deleted post takes everything about it along, and what comes late is not shown', () => {
    const inbox = new TestInbox().give(
      like('a1'),
      comment('a2', 'c1', { atMs: 1 }),
      { type: 'comment.liked', actor: 'a3', on: 'comment:c9', parent: 'post:p1', atMs: 2 },
      { type: 'user.followed', actor: 'a3', on: 'user:r1', atMs: 3 },
      { type: 'post.deleted', actor: 'r1', on: 'post:p1', atMs: 4 },
      like('a4', { atMs: 3 }),
      comment('a5', 'c2', { atMs: 3 }),
    );
    assert.deepEqual([inbox.shown, inbox.unread], [['user.followed user:r1 a3 (1)'], 1]);
  });

  it('a deletion that comes first keeps the thing from being shown', () => {
    const inbox = new TestInbox().give(
      { type: 'message.deleted', actor: 'a1', on: 'message:1', atMs: 5 },
      { type: 'message.sent', actor: 'a1', on: 'message:1' },
    );
    assert.deepEqual([inbox.shown, inbox.told], [[], 0]);
  });

  it('a deleted reply or mention goes with its row', () => {
    const inbox = new TestInbox().give(
      { type: 'reply.created', actor: 'a1', on: 'comment:c1', parent: 'post:p1' },
      { type: 'comment.deleted', actor: 'a1', on: 'comment:c1', atMs: 1 },
    );
    assert.deepEqual(inbox.shown, []);
  });
});
