/** Port: what would happen if an event came now (D12). Nothing is stored, and nobody is told. */
import type { ChannelDecision, Reason } from '@carillon/contract/reasons.ts';

/** For one recipient. */
export interface SimulatedDecision {
  readonly user: string;
  /** The person would be told something new. */
  readonly tells: boolean;
  /** Why, or why not. */
  readonly reason: Reason;
  /** One for each channel. */
  readonly decisions: readonly ChannelDecision[];
  /** What the person reads and sets clocks by; null where nobody has said. */
  readonly locale: string | null;
  readonly timeZone: string | null;
}

export interface EventSimulator {
  /** `records`: the event as intake would pack it. Answers in the order of its recipients. */
  simulate(records: Uint8Array): Promise<readonly SimulatedDecision[]>;
}
