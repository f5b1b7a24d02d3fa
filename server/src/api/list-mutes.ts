/** `GET /v1/mutes`: what the person does not want to hear of at present (A2, D3). */
import { Mutes } from '@carillon/contract/mutes.ts';
import type { Clock } from '../base/clock.ts';
import { isMuteOver } from '../profile/profile.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { muteJson } from './mute-json.ts';
import { defineOperation, type Operation } from './operation.ts';
import { personOf } from './person-of.ts';

export function listMutes(profiles: ProfileStore, clock: Clock): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/mutes',
    summary: 'All mutes of the person, in the order they were made',
    caller: 'user',
    answers: { 200: Mutes },
    errors: [],
    async handle({ principal }) {
      const [profile = null] = await profiles.read([personOf(principal)]);
      const nowMs = clock.now();
      const items = (profile?.mutes ?? []).filter((mute) => !isMuteOver(mute, nowMs)).map(muteJson);
      return { status: 200, body: { items } };
    },
  });
}
