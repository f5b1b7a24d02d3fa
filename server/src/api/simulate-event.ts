/** `POST /v1/admin/simulate`: what would happen if an event came now, for each person it names (D12). Stores nothing. */
import { Event } from '@carillon/contract/event.ts';
import { SimulateAnswer } from '@carillon/contract/inbox-requests.ts';
import type { Clock } from '../base/clock.ts';
import type { LiveContent } from '../content/live-content.ts';
import type { EventSimulator } from '../decide/event-simulator.ts';
import { packEvent } from '../intake/pack-event.ts';
import { defineOperation, type Operation } from './operation.ts';

export interface SimulateParts {
  readonly simulator: EventSimulator;
  readonly content: LiveContent;
  readonly clock: Clock;
}

export function simulateEvent({ simulator, content, clock }: SimulateParts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/admin/simulate',
    summary: 'What would happen if this event came now; nothing is stored',
    caller: 'operator',
    body: Event,
    answers: { 200: SimulateAnswer },
    errors: ['CARILLON_EVENT_INVALID', 'CARILLON_EVENT_TYPE_UNKNOWN', 'CARILLON_EVENT_MENTIONS_TOO_MANY'],
    async handle({ principal, body }) {
      const packed = packEvent(body, { types: content, tenant: principal.tenant, nowMs: clock.now() });
      const found = await simulator.simulate(packed);
      const recipients = found.map(({ user, tells, reason, decisions, locale, timeZone }) => ({
        user,
        tells,
        reason,
        // In the person's own words: whoever answers them can read it out.
        decisions: decisions.map((decision) => ({
          ...decision,
          text: content.explain(decision, locale, timeZone ?? 'UTC'),
        })),
      }));
      return { status: 200, body: { recipients } };
    },
  });
}
