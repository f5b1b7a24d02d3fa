/** Two writes of one job as one: of each delivery the one that counts (`delivery-store.ts`). Pure. */
import type { Delivery } from './delivery.ts';
import { stateRank } from './delivery-state.ts';

export function mergeDeliveries(stored: readonly Delivery[], written: readonly Delivery[]): readonly Delivery[] {
  const known = new Map(stored.map((delivery) => [delivery.endpoint, delivery]));
  for (const delivery of written) {
    const other = known.get(delivery.endpoint);
    if (other === undefined || weight(delivery) >= weight(other)) known.set(delivery.endpoint, delivery);
  }
  return [...known.values()];
}

/** Greater counts. Whole, so that a store can take it for a time of writing. */
export function weight({ version, state }: Delivery): number {
  return version * 8 + stateRank(state);
}
