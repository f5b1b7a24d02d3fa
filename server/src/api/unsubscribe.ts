/** `DELETE /v1/subscriptions/{audience}/{user}`: whether or not somebody was a member, afterwards they are none (F2). */
import { Id } from '@carillon/contract/event.ts';
import { AudienceName } from '@carillon/contract/subscriptions.ts';
import { Type } from 'typebox';
import type { AudienceService } from '../audience/audience-service.ts';
import { audienceKey } from '../base/ids.ts';
import { defineOperation, type Operation } from './operation.ts';

export function unsubscribe(audiences: AudienceService): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/v1/subscriptions/:audience/:user',
    summary: 'Take somebody out of an audience',
    caller: 'producer',
    params: Type.Object({ audience: AudienceName, user: Id }),
    answers: { 204: null },
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ principal, params }) {
      const audience = audienceKey(principal.tenant, params.audience);
      await audiences.set({ audience, user: params.user, present: false, notify: null });
      return { status: 204 };
    },
  });
}
