/** `PUT /v1/notification-preferences`: replaces all choices of the person (A2, A5). */
import { PreferenceChoices, Preferences } from '@carillon/contract/preferences.ts';
import { limits } from '../base/limits.ts';
import { defineOperation, type Operation } from './operation.ts';
import { type PreferenceParts, writeOperation, writePreferences } from './write-preferences.ts';

export function putPreferences(parts: PreferenceParts): Operation {
  return defineOperation({
    ...writeOperation,
    method: 'PUT',
    summary: 'Replace everything the person chose',
    rawBody: {
      contentTypes: ['application/json'],
      bytesMax: limits.preferencesBytesMax,
      schemas: { 'application/json': PreferenceChoices },
    },
    answers: { 200: Preferences },
    handle: (request) => writePreferences(parts, request, (_stored, sent) => sent),
  });
}
