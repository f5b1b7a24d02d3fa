/** What a profile means is made once, and its quiet hours are asked for again only when they may have changed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { weekdays } from '@carillon/contract/weekdays.ts';
import type { Profile } from '../profile/profile.ts';
import { noWishes, RecipientPolicy } from './recipient-policy.ts';

const nightly = {
  enabled: true,
  days: Object.fromEntries(weekdays.map((weekday) => [weekday, [{ from: '22:00', to: '08:00' }]])),
};

function policyOf(choices: PreferenceChoices, factsZone: string | null = null): RecipientPolicy {
  const facts = {
    locale: null,
    timeZone: factsZone,
    email: null,
    emailVerified: false,
    createdAtMs: null,
    suspended: false,
  };
  const profile: Profile = { revision: 1, version: 1, choices, facts, mutes: [], devices: 0 };
  return new RecipientPolicy(profile);
}

describe('quiet hours of a profile (BC-22)', () => {
  const at = (text: string): number => Date.parse(text);

  it('are in the zone that the person chose, else in that of the app, else in UTC', () => {
    const eveningInUtc = at('2026-03-10T22:30:00Z');
    const until = (policy: RecipientPolicy) => policy.quietUntilMs(eveningInUtc);
    assert.equal(until(policyOf({ quietHours: nightly })), at('2026-03-11T08:00:00Z'));
    assert.equal(until(policyOf({ quietHours: nightly }, 'Asia/Kolkata')), at('2026-03-11T02:30:00Z'));
    const chosen = policyOf({ quietHours: nightly, timeZone: 'America/New_York' }, 'Asia/Kolkata');
    assert.equal(until(chosen), null);
    assert.equal(until(noWishes), null);
  });

  it('change at their time, forward and back', () => {
    const policy = policyOf({ quietHours: nightly });
    const asked = ['21:59', '22:00', '23:00', '21:00', '22:00'].map((time) =>
      policy.quietUntilMs(at(`2026-03-10T${time}:00Z`)),
    );
    const morning = at('2026-03-11T08:00:00Z');
    assert.deepEqual(asked, [null, morning, morning, null, morning]);
  });

  it('in a zone that is not known are in UTC, and the profile says so; without quiet hours no zone is asked', () => {
    const unknown = policyOf({ quietHours: nightly, timeZone: 'Mars/Olympus_Mons' });
    assert.equal(unknown.isZoneKnown, false);
    assert.equal(unknown.quietUntilMs(at('2026-03-10T22:30:00Z')), at('2026-03-11T08:00:00Z'));
    assert.equal(policyOf({ timeZone: 'Mars/Olympus_Mons' }).isZoneKnown, true);
    assert.equal(policyOf({ quietHours: nightly }).isZoneKnown, true);
  });
});
