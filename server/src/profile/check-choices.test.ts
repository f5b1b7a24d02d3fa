import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { limits } from '../base/limits.ts';
import { builtInTypes } from '../content/type-catalogue.ts';
import { checkChoices } from './check-choices.ts';

const nowMs = Date.UTC(2026, 2, 10, 12);

function check(value: unknown, previous: PreferenceChoices = {}): PreferenceChoices {
  return checkChoices(value, { previous, types: builtInTypes, nowMs });
}

/** The paths complained about. */
function faults(value: unknown, previous: PreferenceChoices = {}): string[] {
  try {
    check(value, previous);
    return [];
  } catch (error) {
    assert.ok(error instanceof CarillonError && error.code === 'CARILLON_PREFERENCES_INVALID');
    return error.fields.map(({ path }) => path);
  }
}

const quiet = (mon: { from: string; to: string }[], enabled = true) => ({ quietHours: { enabled, days: { mon } } });

test('a whole document is kept as it is', () => {
  const whole: PreferenceChoices = {
    muteAll: false,
    pausedUntil: '2026-03-11T12:00:00.000Z',
    locale: 'de-AT',
    timeZone: 'Europe/Berlin',
    channels: { inApp: true, push: true, email: true },
    categories: { reactions: { email: false } },
    types: { 'post.liked': { push: false } },
    relations: { notFollowed: 'accept', notFollowing: 'accept', newAccounts: 'filter' },
    quietHours: { enabled: true, days: { mon: [{ from: '22:00', to: '08:00' }] } },
    digest: { email: 'daily', at: '08:00', weekday: 'mon' },
    privacy: { lockScreen: 'full' },
  };
  assert.deepEqual(check(whole), whole);
  assert.deepEqual(check({}), {});
});

test('what does not fit is named by its path, all of it', () => {
  assert.deepEqual(faults({ muteall: true, channels: { push: 'no' } }).toSorted(), ['/channels/push', '/muteall']);
  assert.deepEqual(faults({ relations: { notFollowed: 'maybe' }, digest: { at: '08:00' } }).toSorted(), [
    '/digest/email',
    '/relations/notFollowed',
  ]);
  assert.deepEqual(faults(null), ['']);
  assert.deepEqual(faults([]), ['']);
  assert.deepEqual(faults({ quietHours: { enabled: true, days: { mon: [{ from: '24:00', to: '08:00' }] } } }), [
    '/quietHours/days/mon/0/from',
  ]);
});

test('D7: zones get their canonical name; offsets and unknown ones are refused', () => {
  assert.equal(check({ timeZone: 'asia/calcutta' }).timeZone, 'Asia/Kolkata');
  for (const timeZone of ['+05:30', 'UTC+1', 'Mars/Olympus', '']) assert.deepEqual(faults({ timeZone }), ['/timeZone']);
});

test('languages get their canonical name; what is none is refused', () => {
  assert.equal(check({ locale: 'zh-hant-tw' }).locale, 'zh-Hant-TW');
  for (const locale of ['', 'deutsch_AT', '-']) assert.deepEqual(faults({ locale }), ['/locale']);
});

test('BC-22: a span that ends when it begins is refused, never read as always', () => {
  assert.deepEqual(faults(quiet([{ from: '08:00', to: '08:00' }])), ['/quietHours/days/mon/0']);
  assert.deepEqual(
    faults(
      quiet(
        [
          { from: '08:00', to: '09:00' },
          { from: '00:00', to: '00:00' },
        ],
        false,
      ),
    ),
    ['/quietHours/days/mon/1'],
  );
  check(quiet([{ from: '08:00', to: '07:59' }]));
});

test('a week without any time that is not quiet is refused', () => {
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  const halves = [
    { from: '00:00', to: '12:00' },
    { from: '12:00', to: '00:00' },
  ];
  const all = (spans: object[]) => ({
    quietHours: { enabled: true, days: Object.fromEntries(days.map((day) => [day, spans])) },
  });
  assert.deepEqual(faults(all(halves)), ['/quietHours/days']);
  assert.deepEqual(faults(all([{ from: '20:00', to: '19:59' }])), []);
  assert.deepEqual(
    faults(
      all([
        { from: '20:00', to: '19:59' },
        { from: '19:00', to: '20:00' },
      ]),
    ),
    ['/quietHours/days'],
  );
});

test('a pause ends within a year; one that is over, or null, is none', () => {
  assert.deepEqual(check({ pausedUntil: '2026-03-10T13:00:00+01:00' }), {});
  assert.deepEqual(check({ pausedUntil: null }), {});
  assert.deepEqual(check({ pausedUntil: '2026-03-10T14:00:00+01:00' }), { pausedUntil: '2026-03-10T13:00:00.000Z' });
  const at = (ms: number) => ({ pausedUntil: new Date(nowMs + ms).toISOString() });
  assert.deepEqual(faults(at(limits.pauseMsMax)), []);
  assert.deepEqual(faults(at(limits.pauseMsMax + 1)), ['/pausedUntil']);
});

test('names of types and categories are those of the catalogue, or stored already', () => {
  const value = { types: { 'post.lked': { push: true } }, categories: { 'a/b': { push: true } } };
  assert.deepEqual(faults(value), ['/types/post.lked', '/categories/a~1b']);
  assert.deepEqual(faults(value, value), []);
  assert.deepEqual(faults({ types: { 'post.unliked': { push: false } } }), ['/types/post.unliked']);
  assert.deepEqual(faults({ types: { 'post.liked@1': { push: false } } }), ['/types/post.liked@1']);
  assert.deepEqual(faults({ types: { toString: { push: false } } }), ['/types/toString']);
});

test('zones and languages that are stored already stay, though they be unknown now', () => {
  const previous = { timeZone: 'Mars/Olympus', locale: 'x_y' };
  assert.deepEqual(check({ ...previous, muteAll: true }, previous), { ...previous, muteAll: true });
});

test('what says nothing about a type or category is not kept', () => {
  assert.deepEqual(check({ types: { 'post.liked': {} }, categories: { reactions: {} } }), {
    types: {},
    categories: {},
  });
});

test('a document has bounds', () => {
  const types = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`old.type${n}`, { push: true }]));
  assert.deepEqual(faults({ types }, { types }), ['']);
});
