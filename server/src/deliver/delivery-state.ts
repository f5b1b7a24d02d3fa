/**
 * The states of a delivery (V1), in words first:
 *
 * A delivery is `pending` from when it is known that something is to go to an endpoint. It becomes `dispatched`, durably,
 * before the provider is called: so whoever finds it so after a crash knows that the provider may have it.
 *
 *   pending ──dispatch──▶ dispatched ──accepted──▶ accepted
 *      ▲                      ├──refused, gone, exhausted──▶ failed
 *      ├──retry, wait─────────┤
 *      │                      └──lost──▶ unknown ──accepted──▶ accepted
 *      ├──skip──▶ suppressed
 *      ├──expire──▶ expired
 *      └──redrive── failed, expired, unknown
 *
 * - `lost`: the connection ended after the provider may have taken it, or the process died meanwhile. It is never sent again
 *   by itself. The answer may still come, from a process that was taken for dead: then it counts.
 * - `wait` is not the endpoint's fault: the provider is down, slows us down or does not let us. It burns no attempt.
 * - Each last check may end a pending one: `skip` for what is not wanted any more, `expire` for what is too late.
 * - What has ended stays, but for an operator who sends it again: `redrive`.
 */
export const deliveryStates = [
  'pending',
  'dispatched',
  'unknown',
  'failed',
  'expired',
  'suppressed',
  'accepted',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export type DeliveryStep =
  | 'dispatch'
  | 'accepted'
  | 'retry'
  | 'wait'
  | 'refused'
  | 'gone'
  | 'exhausted'
  | 'lost'
  | 'skip'
  | 'expire'
  | 'redrive';

const table: Readonly<Record<DeliveryState, Partial<Readonly<Record<DeliveryStep, DeliveryState>>>>> = {
  pending: {
    dispatch: 'dispatched',
    // Put off again without having been sent.
    wait: 'pending',
    skip: 'suppressed',
    expire: 'expired',
    exhausted: 'failed',
  },
  dispatched: {
    accepted: 'accepted',
    retry: 'pending',
    wait: 'pending',
    refused: 'failed',
    gone: 'failed',
    exhausted: 'failed',
    expire: 'expired',
    lost: 'unknown',
  },
  unknown: { accepted: 'accepted', redrive: 'pending' },
  failed: { redrive: 'pending' },
  expired: { redrive: 'pending' },
  suppressed: {},
  accepted: {},
};

/** Null: the step means nothing in this state, which stays. */
export function transition(state: DeliveryState, step: DeliveryStep): DeliveryState | null {
  return table[state][step] ?? null;
}

export function isSettled(state: DeliveryState): boolean {
  return state !== 'pending' && state !== 'dispatched';
}

/**
 * Which of two writes of one version counts, greater first: what is known beats what was taken for lost, which beats what
 * would send it again.
 */
export function stateRank(state: DeliveryState): number {
  return ranks[state];
}

const ranks: Readonly<Record<DeliveryState, number>> = {
  pending: 0,
  dispatched: 1,
  unknown: 2,
  expired: 3,
  suppressed: 3,
  failed: 3,
  accepted: 4,
};
