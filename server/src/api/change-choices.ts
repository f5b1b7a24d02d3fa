/** Changes a person's choices by a link of a mail: in one step, upon whatever they are at that moment (A5). */

import { isDeepStrictEqual } from 'node:util';
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { checkChoices } from '../profile/check-choices.ts';
import type { PreferenceParts } from './write-preferences.ts';

/** Nothing is written of somebody who is not known (any more), or where nothing changes. */
export async function changeChoices(
  { profiles, types, clock }: PreferenceParts,
  person: PersonKey,
  next: (stored: PreferenceChoices) => PreferenceChoices,
): Promise<void> {
  for (let tries = 1; tries <= limits.preferenceTriesMax; tries++) {
    const [profile = null] = await profiles.read([person]);
    // Mail goes to whom the app has given an address of; an erased person stays erased.
    if (profile === null || profile.facts === null) return;
    const previous = profile.choices;
    const changed = next(previous);
    if (isDeepStrictEqual(changed, previous)) return;
    const choices = checkChoices(changed, { previous, types, nowMs: clock.now() });
    const change = { kind: 'choices', choices, expected: profile.version } as const;
    const [outcome] = await profiles.change([{ person, change }]);
    if (outcome?.kind === 'changed') return;
  }
  throw new CarillonError('CARILLON_STORE_UNAVAILABLE', 'Others are changing the same.', { retryAfterSeconds: 1 });
}
