/**
 * The loop of a replay: takes events in order, waits until each is due, sends them in batches, several at once.
 *
 * An event is due at the speed asked for; a batch leaves when it is full or the next event is not due yet. When the server
 * is slower than the trace, the replay falls behind and then hurries: events wait in the file, never in memory.
 */
import type { Event } from '@carillon/contract/event.ts';
import { addCounts, noCounts, type SendCounts } from './send-batch.ts';

/** How fast: times faster than recorded, events per second, or as fast as the server takes them. */
export type Pace =
  | { readonly kind: 'speed'; readonly times: number }
  | { readonly kind: 'rate'; readonly perSecond: number }
  | { readonly kind: 'max' };

export interface ReplayPlan {
  readonly pace: Pace;
  readonly batchEventsMax: number;
  readonly inFlightMax: number;
}

export interface ReplayPorts {
  readonly monotonicMs: () => number;
  readonly wait: (delayMs: number) => Promise<void>;
  readonly send: (events: readonly Event[]) => Promise<SendCounts>;
  /** Called after each batch with the totals so far. */
  readonly progress: (counts: SendCounts) => void;
  /** True ends the replay after what is in flight. */
  readonly stopped: () => boolean;
}

/** Resolves with the totals when all events have their results. Throws what `send` or `events` throw, once. */
export async function replayTrace(
  events: AsyncIterable<Event>,
  plan: ReplayPlan,
  ports: ReplayPorts,
): Promise<SendCounts> {
  const sending = new Set<Promise<void>>();
  let counts = noCounts;
  let failure: { readonly error: unknown } | undefined;
  let batch: Event[] = [];

  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    while (sending.size >= plan.inFlightMax) await Promise.race(sending);
    if (failure !== undefined) throw failure.error;
    const sent = ports.send(batch).then(
      (result) => {
        counts = addCounts(counts, result);
        ports.progress(counts);
      },
      (error: unknown) => {
        failure ??= { error };
      },
    );
    batch = [];
    const settled = sent.finally(() => sending.delete(settled));
    sending.add(settled);
  };

  const dueMs = schedule(plan.pace, ports.monotonicMs());
  for await (const event of events) {
    if (ports.stopped()) break;
    const waitMs = dueMs(event) - ports.monotonicMs();
    if (waitMs > 0) {
      await flush();
      await ports.wait(waitMs);
    }
    batch.push(event);
    if (batch.length >= plan.batchEventsMax) await flush();
  }
  if (!ports.stopped()) await flush();
  await Promise.all(sending);
  if (failure !== undefined) throw failure.error;
  return counts;
}

/** When each event, asked in order, is due on the monotonic clock; the first is due at once. */
function schedule(pace: Pace, startMs: number): (event: Event) => number {
  let index = 0;
  let firstTimeMs: number | undefined;
  return (event) => {
    if (pace.kind === 'max') return startMs;
    if (pace.kind === 'rate') return startMs + (index++ * 1000) / pace.perSecond;
    const timeMs = Date.parse(event.time);
    firstTimeMs ??= timeMs;
    return startMs + (timeMs - firstTimeMs) / pace.times;
  };
}
