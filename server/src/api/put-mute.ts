/** `PUT /v1/mutes/{kind}/{id}`: an actor, an object or a word is not to be heard of, perhaps until a time (A2, D3). */
import { Mute, MuteParams, MuteRequest } from '@carillon/contract/mutes.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { parseTime } from '../base/parse-time.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { mutedThing, muteInvalid, muteJson } from './mute-json.ts';
import { defineOperation, type Operation } from './operation.ts';
import { personOf } from './person-of.ts';

export function putMute(profiles: ProfileStore, clock: Clock): Operation {
  return defineOperation({
    method: 'PUT',
    path: '/v1/mutes/:kind/:id',
    summary: 'Mute an actor, an object or a word, or change until when',
    caller: 'user',
    idempotent: true,
    params: MuteParams,
    body: MuteRequest,
    answers: { 200: Mute },
    errors: ['CARILLON_MUTE_INVALID', 'CARILLON_MUTES_TOO_MANY', 'CARILLON_STORAGE_FULL'],
    async handle({ principal, params, body }) {
      const thing = mutedThing(params);
      const untilMs = typeof body.until === 'string' ? parseTime(body.until) : null;
      if (untilMs !== null && untilMs <= clock.now()) throw muteInvalid('/until', 'Has passed already.');
      const change = { kind: 'mute', mute: { ...thing, untilMs } } as const;
      const [outcome] = await profiles.change([{ person: personOf(principal), change }]);
      if (outcome?.kind === 'tooManyMutes')
        throw new CarillonError('CARILLON_MUTES_TOO_MANY', `A person may have ${limits.mutesMax} mutes.`);
      const mute = outcome?.profile?.mutes.find(({ kind, id }) => kind === thing.kind && id === thing.id);
      if (mute === undefined) throw new Error('a mute was stored and is not there');
      return { status: 200, body: muteJson(mute) };
    },
  });
}
