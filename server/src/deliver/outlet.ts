/**
 * Port: what a channel sends by, as its workers see it. It knows endpoints and makes messages; when, whether and how often
 * is the worker's.
 *
 * `reach` answers where the person can be reached at this moment, `endpoints` empty unless `state` says that something may
 *   go. It may reject when that cannot be known just now; then it is asked again.
 * `prepare` renders (C6): it does not wait, and throws only for a fault of the program.
 * `send` of a route makes one attempt, as providers promise (`push/push-provider.ts`, `email/email-provider.ts`).
 * `ended` hears of every outcome, to forget endpoints that are gone. It may reject: then it is told again of the next.
 */
import type { PersonKey } from '../base/ids.ts';
import type { EndpointState } from '../decide/decide-channels.ts';
import type { Item } from '../inbox/item.ts';
import type { Profile } from '../profile/profile.ts';
import type { OutwardName } from './delivery.ts';
import type { Outcome } from './outcome.ts';
import type { Quota } from './quotas.ts';

export interface Endpoint {
  /** Names it in what is stored: never an address or a token. */
  readonly id: string;
}

export interface Reached<Known extends Endpoint = Endpoint> {
  readonly state: EndpointState;
  readonly endpoints: readonly Known[];
}

/** What is to be told, as it stands at this moment. */
export interface Outgoing {
  readonly person: PersonKey;
  readonly profile: Profile | null;
  /** The most important first, at least one; all of them still to be told. */
  readonly items: readonly Item[];
  /** Exact, as the inbox counts. */
  readonly unread: number;
  readonly isDigest: boolean;
  readonly expiresAtMs: number;
}

/** One way a message may go: by a provider, with one set of credentials. */
export interface Route {
  readonly provider: string;
  /** What is blocked, throttled or down together. */
  readonly project: string;
  /** Calls to the provider under way at once, of this process. */
  readonly sendsMax: number;
  /** What its provider allows of such calls; absent: it says nothing. */
  readonly quotas?: readonly Quota[];
  send(): Promise<Outcome>;
}

export interface Outlet<Known extends Endpoint = Endpoint> {
  readonly channel: OutwardName;
  reach(person: PersonKey, profile: Profile | null): Promise<Reached<Known>>;
  /** In the order in which they are to be tried; none: this endpoint cannot show it. `delivery`: see `deliveryId`. */
  prepare(outgoing: Outgoing, endpoint: Known, delivery: string): readonly Route[];
  ended(endpoint: Known, outcome: Outcome, provider: string): Promise<void>;
}
