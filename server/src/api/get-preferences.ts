/** `GET /v1/notification-preferences`: what the person explicitly chose, with its version as `ETag` (A2, A5). */
import { PreferencesAnswer, PreferencesQuery } from '@carillon/contract/resolved-preferences.ts';
import type { TypeCatalogue } from '../content/type-catalogue.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { defineOperation, type Operation } from './operation.ts';
import { personOf } from './person-of.ts';
import { resolvedView } from './resolved-view.ts';
import { preferencesAnswer, preferencesPath } from './write-preferences.ts';

export function getPreferences(profiles: ProfileStore, types: TypeCatalogue): Operation {
  return defineOperation({
    method: 'GET',
    path: preferencesPath,
    summary: 'What the person chose; `resolved` adds what applies, and where each value comes from',
    caller: 'user',
    versioned: true,
    query: PreferencesQuery,
    answers: { 200: PreferencesAnswer },
    errors: [],
    async handle({ principal, query }) {
      const [profile = null] = await profiles.read([personOf(principal)]);
      const answer = preferencesAnswer(profile);
      if (!query.resolved) return answer;
      return { ...answer, body: { ...answer.body, resolved: resolvedView(profile, types) } };
    },
  });
}
