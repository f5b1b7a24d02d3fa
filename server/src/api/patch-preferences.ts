/**
 * `PATCH /v1/notification-preferences`: a merge patch (RFC 7396), so that a device changes one setting and keeps what it
 * knows nothing of (A2, A5).
 */
import { mergePatchSchema } from '@carillon/contract/merge-patch-schema.ts';
import { PreferenceChoices, Preferences } from '@carillon/contract/preferences.ts';
import { limits } from '../base/limits.ts';
import { mergePatch } from '../profile/merge-patch.ts';
import { defineOperation, type Operation } from './operation.ts';
import { type PreferenceParts, writeOperation, writePreferences } from './write-preferences.ts';

const patch = mergePatchSchema(PreferenceChoices);

export function patchPreferences(parts: PreferenceParts): Operation {
  return defineOperation({
    ...writeOperation,
    method: 'PATCH',
    summary: 'Change some of what the person chose; null takes a choice back',
    rawBody: {
      contentTypes: ['application/merge-patch+json', 'application/json'],
      bytesMax: limits.preferencesBytesMax,
      schemas: { 'application/merge-patch+json': patch, 'application/json': patch },
    },
    answers: { 200: Preferences },
    handle: (request) => writePreferences(parts, request, mergePatch),
  });
}
