/**
 * Port: which gateways hold a person's streams, seen by every process.
 *
 * An entry expires `limits.presenceKeptMs` after it was last entered, so that a gateway that died is forgotten by itself;
 *   a gateway enters its people again well before. Entering again is no change but of the expiry.
 * It is a hint, never truth: an entry may be missing for a while or outlive its stream. Whoever looks at it in vain
 *   loses a live frame, and the gateway finds the change in the inbox (see `bus.ts`).
 * Failure: all calls reject while presence cannot be reached, within `limits.busWaitMs`.
 */
import type { PersonKey } from '../../base/ids.ts';

/** Name of one gateway process, new with each start. */
export type GatewayId = string;

export interface Presence {
  enter(gateway: GatewayId, people: readonly PersonKey[]): Promise<void>;
  leave(gateway: GatewayId, people: readonly PersonKey[]): Promise<void>;
  /** The gateways of each person, in the order of `people`; empty where nobody is connected. */
  gatewaysOf(people: readonly PersonKey[]): Promise<readonly (readonly GatewayId[])[]>;
  /** Every gateway that holds somebody, for what concerns all. */
  gateways(): Promise<readonly GatewayId[]>;
}
