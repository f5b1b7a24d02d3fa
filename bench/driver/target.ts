/** What differs between the services under load: how to post events, how to listen, how to read a message. */
import type { PlanEvent } from './plan.ts';
import type { Tally } from './tally.ts';

export interface Target {
  readonly eventsPath: string;
  readonly contentType: string;
  /** One event as text with the marks of `plan.ts`. */
  event(event: PlanEvent, recipient: string): string;
  /** Events to the body of one POST. */
  body(events: readonly string[]): string;
  /** Headers of the POST, and of each socket's upgrade. */
  postHeaders(port: number): Promise<Record<string, string>>;
  /** Whether a repost by somebody already in the group is told again. */
  readonly tellsRepeats: boolean;
  /** How many recipients one socket stands for. */
  readonly usersPerSocket: (users: number) => number;
  /** How to open one socket for each of these sets of recipients. */
  openings(port: number, sets: readonly (readonly string[])[]): Promise<SocketOpening[]>;
  /** Reads one message: counts what it delivers, and answers through `reply` if the protocol wants that. */
  message(payload: Buffer, tally: Tally, reply: (text: string) => void): void;
  /** Whether the socket is ready once this message has come. */
  isReady(payload: Buffer): boolean;
  /** Whether an answer to a POST says that all its events were taken. */
  isAccepted(status: number, body: Buffer): boolean;
}

export interface SocketOpening {
  readonly path: string;
  readonly headers: Record<string, string>;
  /** Sent right after the upgrade. */
  readonly first: string | null;
}

/** Reads the digits at `at`; answers the number, leaving the end to the caller's search. */
export function digitsAt(bytes: Buffer, at: number): number {
  let value = 0;
  for (let i = at; i < bytes.length; i++) {
    const digit = (bytes[i] ?? 0) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return value;
}
