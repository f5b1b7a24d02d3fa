/** The load of crash and fault tests: the sample trace again and again until there are as many events as asked for. */
import type { Event } from '@carillon/contract/event.ts';
import { readTraceEvents, summarizeTrace } from '../../scripts/trace/read-trace.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { fingerprintOf } from '../../server/src/base/hash.ts';
import type { ExpectedInboxes } from './expected-inboxes.ts';

const sample = new URL('../../examples/traces/higgs-sample.txt.gz', import.meta.url).pathname;
const sampleEvents = 20_000;

export interface TraceLoad {
  readonly events: number;
  readonly senders: number;
}

/**
 * One list of events for each sender; all are added to `expected`. Events of one recipient go through one sender, so that
 * they arrive in order, as an app's own queue would send them.
 */
export async function traceStreams(load: TraceLoad, expected: ExpectedInboxes): Promise<Event[][]> {
  const streams: Event[][] = Array.from({ length: load.senders }, () => []);
  const { firstTimeMs, lastTimeMs } = await summarizeTrace(sample);
  const nowMs = systemClock.now();
  for (let lap = 0; expected.events < load.events; lap++) {
    const lapsLeft = Math.ceil(load.events / sampleEvents) - lap;
    const endsMs = nowMs - (lapsLeft - 1) * (lastTimeMs - firstTimeMs + 1000);
    for await (const event of readTraceEvents(sample, { lastTimeMs, nowMs: endsMs })) {
      if (expected.events >= load.events) break;
      const own = event.type === 'post.reposted' ? event.object : { ...event.object, id: `${event.object?.id}-${lap}` };
      const lapEvent = { ...event, id: `${event.id}-${lap}`, object: own } as Event;
      expected.add(lapEvent);
      const user = 'user' in event.to ? event.to.user : '';
      (streams[fingerprintOf(user) % load.senders] as Event[]).push(lapEvent);
    }
  }
  return streams;
}
