/** `GET /v1/notification-preferences`: what the person explicitly chose, with its version as `ETag` (A2, A5). */
import { Preferences } from '@carillon/contract/preferences.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { defineOperation, type Operation } from './operation.ts';
import { personOf } from './person-of.ts';
import { preferencesAnswer, preferencesPath } from './write-preferences.ts';

export function getPreferences(profiles: ProfileStore): Operation {
  return defineOperation({
    method: 'GET',
    path: preferencesPath,
    summary: 'What the person chose; what is absent follows the type catalogue',
    caller: 'user',
    versioned: true,
    answers: { 200: Preferences },
    errors: [],
    async handle({ principal }) {
      const [profile = null] = await profiles.read([personOf(principal)]);
      return preferencesAnswer(profile);
    },
  });
}
