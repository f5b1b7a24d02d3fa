/** `GET /v1/admin/fanouts`: events to audiences that are under way, then those done lately (F1). */
import { FanoutList } from '@carillon/contract/subscriptions.ts';
import type { AudienceService } from '../audience/audience-service.ts';
import { fanoutView } from './fanout-view.ts';
import { defineOperation, type Operation } from './operation.ts';

export function listFanouts(audiences: AudienceService): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/admin/fanouts',
    summary: 'Events on their way to audiences, with their progress',
    caller: 'operator',
    answers: { 200: FanoutList },
    errors: [],
    async handle({ principal }) {
      const fanouts = await audiences.fanouts(principal.tenant);
      return { status: 200, body: { items: fanouts.map(fanoutView) } };
    },
  });
}
