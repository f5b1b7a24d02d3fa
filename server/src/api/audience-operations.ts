/** Operations about audiences: who is in them, and what is on its way to them. */
import type { AudienceService } from '../audience/audience-service.ts';
import type { Clock } from '../base/clock.ts';
import { getAudience } from './get-audience.ts';
import { importSubscriptions } from './import-subscriptions.ts';
import { listFanouts } from './list-fanouts.ts';
import type { Operation } from './operation.ts';
import { subscribe } from './subscribe.ts';
import { unsubscribe } from './unsubscribe.ts';

export function audienceOperations(audiences: AudienceService, clock: Clock): Operation[] {
  return [
    subscribe(audiences),
    unsubscribe(audiences),
    importSubscriptions(audiences, clock),
    getAudience(audiences),
    listFanouts(audiences),
  ];
}
