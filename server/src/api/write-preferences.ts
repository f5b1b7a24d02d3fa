/**
 * What PUT and PATCH of the preferences share: the caller's own are written, from the version that the request names, and
 * nobody else's change in between is lost (A5).
 */
import type { PreferenceChoices, Preferences } from '@carillon/contract/preferences.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { readJson } from '../base/read-json.ts';
import type { TypeCatalogue } from '../content/type-catalogue.ts';
import { checkChoices } from '../profile/check-choices.ts';
import type { Profile } from '../profile/profile.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import type { Answer, OperationRequest } from './operation.ts';
import { personOf } from './person-of.ts';
import { etagOf, preconditionFailed, preconditionOf } from './preconditions.ts';

export interface PreferenceParts {
  readonly profiles: ProfileStore;
  readonly types: TypeCatalogue;
  readonly clock: Clock;
}

export const preferencesPath = '/v1/notification-preferences';

/** Those parts of a writing operation that do not differ. */
export const writeOperation = {
  path: preferencesPath,
  caller: 'user',
  idempotent: true,
  versioned: true,
  errors: ['CARILLON_REQUEST_INVALID', 'CARILLON_PREFERENCES_INVALID', 'CARILLON_STORAGE_FULL'],
} as const;

/** `next`: the document that the request leads to, unchecked, from what is stored and what was sent. */
export async function writePreferences(
  { profiles, types, clock }: PreferenceParts,
  { principal, headers, body }: Pick<OperationRequest<'user'>, 'principal' | 'headers' | 'body'>,
  next: (stored: PreferenceChoices, sent: unknown) => unknown,
): Promise<Answer> {
  const precondition = preconditionOf(headers);
  const person = personOf(principal as UserPrincipal);
  const sent = readJson(body as Buffer, limits.jsonDepthMax, 'CARILLON_REQUEST_INVALID');
  for (let tries = 1; ; tries++) {
    const [profile = null] = await profiles.read([person]);
    const version = profile?.version ?? 0;
    if (!precondition.isMet(version)) throw preconditionFailed(version);
    const previous = profile?.choices ?? {};
    const choices = checkChoices(next(previous, sent), { previous, types, nowMs: clock.now() });
    const change = { kind: 'choices', choices, expected: version } as const;
    const [outcome] = await profiles.change([{ person, change }]);
    if (outcome?.kind === 'changed') return preferencesAnswer(outcome.profile);
    // Somebody was quicker: for a request that takes any version, that is one more.
    if (!precondition.isAny || tries === limits.preferenceTriesMax) {
      throw preconditionFailed(outcome?.profile?.version ?? 0);
    }
  }
}

export function preferencesAnswer(profile: Profile | null): Omit<Answer, 'body'> & { readonly body: Preferences } {
  const version = profile?.version ?? 0;
  const body: Preferences = { version, ...profile?.choices };
  return { status: 200, headers: { etag: etagOf(version) }, body };
}
