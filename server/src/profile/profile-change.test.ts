/** What changes do to a profile, beyond what every store must keep to (`profile-store.contract.ts`). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mute, Profile } from './profile.ts';
import { changeProfile, type ProfileChange } from './profile-change.ts';

const nowMs = Date.UTC(2026, 2, 10, 12);
const hour = 3_600_000;

function after(changes: readonly (ProfileChange & { readonly atMs?: number })[]): Profile | null {
  let profile: Profile | null = null;
  for (const change of changes) profile = changeProfile(profile, change, change.atMs ?? nowMs).profile;
  return profile;
}

const mute = (id: string, untilMs: number | null = null, atMs = nowMs) =>
  ({ kind: 'mute', mute: { kind: 'actor', id, untilMs }, atMs }) as const;
const mutes = (profile: Profile | null): readonly Mute[] => profile?.mutes ?? [];

test('A5: versions rise though the clock steps back', () => {
  const first = after([{ kind: 'choices', choices: {}, expected: 0 }]) as Profile;
  const second = changeProfile(first, { kind: 'choices', choices: {}, expected: first.version }, nowMs - hour);
  assert.ok(second.kind === 'changed' && (second.profile?.version ?? 0) > first.version);
});

test('mutes and facts leave the version of the choices as it is', () => {
  const choices = after([{ kind: 'choices', choices: {}, expected: 0 }]) as Profile;
  const muted = changeProfile(choices, mute('a'), nowMs).profile as Profile;
  assert.equal(muted.version, choices.version);
  assert.ok(muted.revision > choices.revision);
});

test('a mute made again keeps its beginning and takes the new end', () => {
  const profile = after([mute('a', nowMs + hour), mute('b'), mute('a', null, nowMs + 1)]);
  assert.deepEqual(
    mutes(profile).map(({ id, sinceMs, untilMs }) => [id, sinceMs, untilMs]),
    [
      ['b', nowMs, null],
      ['a', nowMs, null],
    ],
  );
});

test('a mute that is over goes when another comes, and begins anew when it comes itself', () => {
  const later = nowMs + 2 * hour;
  assert.deepEqual(
    mutes(after([mute('a', nowMs + hour), mute('b', null, later)])).map(({ id }) => id),
    ['b'],
  );
  assert.deepEqual(
    mutes(after([mute('a', nowMs + hour), mute('a', null, later)])).map(({ sinceMs }) => sinceMs),
    [later],
  );
});

test('the same id of another kind is another thing', () => {
  const word: ProfileChange = { kind: 'mute', mute: { kind: 'word', id: 'a', untilMs: null } };
  const profile = after([mute('a'), word, { kind: 'unmute', mute: { kind: 'actor', id: 'a' } }]);
  assert.deepEqual(
    mutes(profile).map(({ kind }) => kind),
    ['word'],
  );
});
