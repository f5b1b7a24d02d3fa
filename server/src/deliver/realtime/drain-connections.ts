/** Closes all connections in even waves, then waits for them to go, then drops those that did not (V32, BC-43). */
import type { Clock } from '../../base/clock.ts';
import type { Connection } from './connection.ts';

const waves = 10;
/** The last half of the time is for clients to answer. */
const waveShare = 0.5;
const lookMs = 50;

export interface Drain {
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly close: (connection: Connection) => void;
}

/** `open` is the live set: connections leave it when they have ended. */
export async function drainConnections(open: ReadonlySet<Connection>, drain: Drain): Promise<void> {
  const { clock, deadlineMs } = drain;
  const deadlineAtMs = clock.monotonic() + deadlineMs;
  const waiting = [...open];
  const waveSize = Math.max(1, Math.ceil(waiting.length / waves));
  while (waiting.length > 0) {
    for (const connection of waiting.splice(0, waveSize)) drain.close(connection);
    if (waiting.length > 0) await pause(clock, (deadlineMs * waveShare) / waves);
  }
  // Also those that were being accepted when the drain began.
  while (open.size > 0 && clock.monotonic() < deadlineAtMs) await pause(clock, lookMs);
  for (const connection of [...open]) {
    connection.transport.terminate();
    connection.ended();
  }
}

function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs, resolve));
}
