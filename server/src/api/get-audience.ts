/** `GET /v1/subscriptions/{audience}`: how many are in it, and how far events to it have come (F1, F2). */
import { AudienceName, AudienceState } from '@carillon/contract/subscriptions.ts';
import { Type } from 'typebox';
import type { AudienceService } from '../audience/audience-service.ts';
import { audienceKey } from '../base/ids.ts';
import { fanoutView } from './fanout-view.ts';
import { defineOperation, type Operation } from './operation.ts';

export function getAudience(audiences: AudienceService): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/subscriptions/:audience',
    summary: 'How many people are in an audience, and how far its events have come',
    caller: 'producer',
    params: Type.Object({ audience: AudienceName }),
    answers: { 200: AudienceState },
    errors: [],
    async handle({ principal, params }) {
      const { audience } = params;
      const { count, fanouts } = await audiences.view(audienceKey(principal.tenant, audience));
      return { status: 200, body: { audience, count, fanouts: fanouts.map(fanoutView) } };
    },
  });
}
