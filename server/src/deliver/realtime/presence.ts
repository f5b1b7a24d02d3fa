/**
 * Port: which gateways hold a person's streams, seen by every process.
 *
 * An entry expires `limits.presenceKeptMs` after it was last entered, so that a gateway that died is forgotten by itself;
 *   a gateway enters its people again well before. Entering again is no change but of the expiry.
 * It is a hint, never truth: an entry may be missing for a while or outlive its stream. Whoever looks at it in vain
 *   loses a live frame; the gateway learns from `enter` that an entry was missing, and looks into the inbox.
 * Order: whoever looks after `enter` has resolved finds the entry.
 * Failure: all calls reject while presence cannot be reached, within `limits.busWaitMs`; parts of a call may have been
 *   done then.
 */
import type { PersonKey } from '../../base/ids.ts';

/** Name of one gateway process, new with each start. */
export type GatewayId = string;

export interface Presence {
  /** Answers for each person whether the entry was there already, and so nothing can have been published past it. */
  enter(gateway: GatewayId, people: readonly PersonKey[]): Promise<readonly boolean[]>;
  leave(gateway: GatewayId, people: readonly PersonKey[]): Promise<void>;
  /** The gateways of everybody who is connected; others are not in it. */
  gatewaysOf(people: readonly PersonKey[]): Promise<ReadonlyMap<PersonKey, readonly GatewayId[]>>;
}
