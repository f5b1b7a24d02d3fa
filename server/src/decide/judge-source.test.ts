/** What is dropped or filtered before it is written: examples, and all combinations against a table in words. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MuteKind } from '@carillon/contract/mutes.ts';
import { type RelationRule, relationRules } from '@carillon/contract/preferences.ts';
import type { Mute } from '../profile/profile.ts';
import { type ActorRelation, compileMutes, type EventSource, judgeSource, unknownRelation } from './judge-source.ts';

const noonMs = Date.UTC(2026, 2, 10, 12);
const comment = { critical: false, fromApp: false };

const mute = (kind: MuteKind, id: string, untilMs: number | null = null): Mute => ({
  kind,
  id,
  sinceMs: noonMs - 1000,
  untilMs,
});

const source = (more: Partial<EventSource> & { text?: string } = {}): EventSource => ({
  actorId: 'a2',
  thing: 'comment:c1',
  parent: 'post:p1',
  texts: () => ['Bo', 'Nice!', 'My trip', more.text ?? ''],
  relation: unknownRelation,
  ...more,
});

const judge = (mutes: readonly Mute[], of: EventSource = source(), nowMs = noonMs) =>
  judgeSource({ mutes: compileMutes(mutes), relations: undefined }, comment, of, nowMs);

describe('mutes (BC-29)', () => {
  it('of nobody and nothing let everything through', () => {
    assert.deepEqual(judge([]), { kind: 'accept', reason: 'default' });
    assert.equal(judge([mute('actor', 'a1'), mute('object', 'post:p2'), mute('word', 'spoiler')]).kind, 'accept');
  });

  it('of an actor, a thing, its thread or a word drop', () => {
    assert.deepEqual(judge([mute('actor', 'a2')]), { kind: 'drop', reason: 'mutedActor' });
    for (const id of ['post:p1', 'p1', 'comment:c1', 'c1']) {
      assert.deepEqual(judge([mute('object', id)]), { kind: 'drop', reason: 'mutedObject' }, id);
    }
    const says = source({ text: 'a SPOILER here' });
    assert.deepEqual(judge([mute('word', 'spoiler')], says), { kind: 'drop', reason: 'mutedWord' });
  });

  it('end at their time, each by its own', () => {
    const mutes = [mute('actor', 'a2', noonMs + 1), mute('word', 'nice', noonMs + 5), mute('word', 'trip', noonMs + 9)];
    const reasonAt = (ms: number) => judge(mutes, source(), noonMs + ms).reason;
    assert.deepEqual([0, 1, 5, 9].map(reasonAt), ['mutedActor', 'mutedWord', 'mutedWord', 'default']);
  });

  it('of words ask for texts only where there are any, and find none across two texts', () => {
    const silent = source({
      texts: () => {
        throw new Error('asked for');
      },
    });
    assert.equal(judge([mute('actor', 'a1')], silent).kind, 'accept');
    assert.equal(judge([mute('word', 'Nice! My')]).kind, 'accept');
    assert.equal(judge([mute('word', 'My trip')]).kind, 'drop');
  });

  it('are nothing to what is critical', () => {
    const mutes = compileMutes([mute('word', 'nice'), mute('actor', 'a2')]);
    const rules = { mutes, relations: { notFollowed: 'drop' } } as const;
    const relation = { ...unknownRelation, isFollowed: false };
    const verdict = judgeSource(rules, { critical: true, fromApp: true }, source({ relation }), noonMs);
    assert.deepEqual(verdict, { kind: 'accept', reason: 'critical' });
  });

  it('of an actor do not catch what the app says, those of words do', () => {
    const fromApp = source({ actorId: '', thing: '', parent: '' });
    assert.equal(judge([mute('actor', ''), mute('object', '')], fromApp).kind, 'accept');
    assert.equal(judge([mute('word', 'nice')], fromApp).kind, 'drop');
  });
});

const maybe = [null, true, false];
const rulesOrNone: readonly (RelationRule | undefined)[] = [undefined, ...relationRules];

function* relationWorlds(): Generator<{ relation: ActorRelation; rules: readonly (RelationRule | undefined)[] }> {
  for (const isFollowed of maybe)
    for (const isFollowing of maybe)
      for (const isNewAccount of maybe)
        for (const notFollowed of rulesOrNone)
          for (const notFollowing of rulesOrNone)
            for (const newAccounts of rulesOrNone) {
              const relation = { isFollowed, isFollowing, isNewAccount };
              yield { relation, rules: [notFollowed, notFollowing, newAccounts] };
            }
}

it('relation rules: the strictest of those that apply, in every combination', () => {
  const strictness = ['accept', 'filter', 'drop'];
  let worlds = 0;
  for (const { relation, rules } of relationWorlds()) {
    const [notFollowed, notFollowing, newAccounts] = rules;
    const relations = Object.fromEntries(
      Object.entries({ notFollowed, notFollowing, newAccounts }).filter(([, rule]) => rule !== undefined),
    );
    const applies = [relation.isFollowed === false, relation.isFollowing === false, relation.isNewAccount === true];
    const strictest = Math.max(
      0,
      ...rules.map((rule, at) => (applies[at] && rule !== undefined ? strictness.indexOf(rule) : 0)),
    );
    const given = { mutes: compileMutes([]), relations };
    const expected = { kind: strictness[strictest], reason: strictest === 0 ? 'default' : 'relation' };
    assert.deepEqual(judgeSource(given, comment, source({ relation }), noonMs), expected, JSON.stringify(relations));
    const fromApp = judgeSource(given, { critical: false, fromApp: true }, source({ relation }), noonMs);
    assert.equal(fromApp.kind, 'accept');
    worlds++;
  }
  assert.equal(worlds, 27 * 64);
});

it('of several that speak, the first in order gives the reason', () => {
  const all = [
    [mute('actor', 'a2'), 'mutedActor'],
    [mute('object', 'post:p1'), 'mutedObject'],
    [mute('word', 'nice'), 'mutedWord'],
  ] as const;
  const relation = { ...unknownRelation, isNewAccount: true };
  for (let subset = 0; subset < 8; subset++) {
    const chosen = all.filter((_, at) => (subset & (1 << at)) !== 0);
    const rules = { mutes: compileMutes(chosen.map(([each]) => each)), relations: { newAccounts: 'drop' } } as const;
    const verdict = judgeSource(rules, comment, source({ relation }), noonMs);
    assert.deepEqual(verdict, { kind: 'drop', reason: chosen[0]?.[1] ?? 'relation' });
  }
});
