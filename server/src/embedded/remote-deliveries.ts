/** What became of deliveries, as the sockets' thread sees it: asked of the store's thread. */
import type { NotificationId, PersonKey } from '../base/ids.ts';
import type { Job } from '../deliver/delivery.ts';
import type { DeliveryHistory } from '../deliver/delivery-store.ts';
import type { Caller, Handler } from './channel.ts';

export class RemoteDeliveries implements DeliveryHistory {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  ofNotification(person: PersonKey, notification: NotificationId): Promise<readonly Job[]> {
    return this.#caller.call('deliveriesOfNotification', [person, notification]);
  }

  byProviderId(provider: string, providerId: string): Promise<Job | null> {
    return this.#caller.call('deliveriesByProviderId', [provider, providerId]);
  }
}

/** The answering side; none where nothing is sent. */
export function deliveryHandlers(history: DeliveryHistory | null): Record<string, Handler> {
  if (history === null) return {};
  return {
    deliveriesOfNotification: history.ofNotification.bind(history),
    deliveriesByProviderId: history.byProviderId.bind(history),
  };
}
