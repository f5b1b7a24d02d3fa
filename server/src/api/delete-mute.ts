/** `DELETE /v1/mutes/{kind}/{id}`: takes a mute back; what is not muted stays so (A2, D3). */
import { MuteParams } from '@carillon/contract/mutes.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { mutedThing } from './mute-json.ts';
import { defineOperation, type Operation } from './operation.ts';
import { personOf } from './person-of.ts';

export function deleteMute(profiles: ProfileStore): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/v1/mutes/:kind/:id',
    summary: 'Take a mute back',
    caller: 'user',
    idempotent: true,
    params: MuteParams,
    answers: { 204: null },
    errors: ['CARILLON_MUTE_INVALID', 'CARILLON_STORAGE_FULL'],
    async handle({ principal, params }) {
      const change = { kind: 'unmute', mute: mutedThing(params) } as const;
      await profiles.change([{ person: personOf(principal), change }]);
      return { status: 204 };
    },
  });
}
