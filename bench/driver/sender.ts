/**
 * Sends posts over a fixed number of connections. Open loop: each post has its time, whatever the service does, and waits
 * count from it; closed loop: the next post goes when a connection is free, which shows the rate but hides stalls.
 */
import { Histogram } from '../lib/histogram.ts';
import { type HttpAnswer, HttpConnection, requestHead } from '../lib/http-connection.ts';
import type { Bodies } from './bodies.ts';
import type { Target } from './target.ts';

export interface Pace {
  /** Events per second; null is the closed loop. */
  readonly perSecond: number | null;
  readonly durationMs: number;
  /** Posts in flight at most. */
  readonly connections: number;
  /** Give up this long after the last delivery; 15 s unless told. */
  readonly silenceMs?: number;
  /** How often a post is sent while the target refuses it for overload; for a minute unless told. */
  readonly onOverload?: { readonly triesMax: number; readonly waitMs: number };
}

export interface SendReport {
  readonly events: number;
  /** The first and last-plus-one post, by number since the driver began. */
  readonly ranges: readonly (readonly [lap: number, fromSeq: number, toSeq: number])[];
  readonly seconds: number;
  readonly acks: Histogram;
  /** Times that a post was sent once more, for the target had too much to do. */
  readonly again: number;
  readonly refused: Readonly<Record<string, number>>;
}

export interface SendContext {
  readonly port: number;
  readonly target: Target;
  readonly bodies: Bodies;
  readonly scheduledUs: number[];
  readonly nowUs: () => number;
  readonly headers: Readonly<Record<string, string>>;
}

const overloadNeedle = Buffer.from('CARILLON_OVERLOADED');

export async function sendAll(context: SendContext, pace: Pace): Promise<SendReport> {
  const { target, nowUs } = context;
  const { triesMax, waitMs: overloadWaitMs } = pace.onOverload ?? { triesMax: 120, waitMs: 500 };
  const acks = new Histogram();
  const refused: Record<string, number> = {};
  const ranges: [number, number, number][] = [];
  let events = 0;
  let again = 0;
  const head = requestHead('POST', target.eventsPath, { 'content-type': target.contentType, ...context.headers });
  const connections = await Promise.all(
    Array.from({ length: pace.connections }, () => HttpConnection.open(context.port)),
  );
  const startUs = nowUs();
  const endUs = startUs + pace.durationMs * 1000;
  let dueUs = startUs;
  const work = async (connection: HttpConnection): Promise<void> => {
    for (;;) {
      const scheduledUs = pace.perSecond === null ? nowUs() : dueUs;
      if (scheduledUs >= endUs) return;
      const post = context.bodies.next();
      events += post.events;
      if (pace.perSecond !== null) dueUs += (post.events * 1e6) / pace.perSecond;
      ranges.push([post.lap, post.firstSeq, post.firstSeq + post.events]);
      context.scheduledUs[context.bodies.postOf(post.lap, post.firstSeq)] = scheduledUs;
      const waitMs = (scheduledUs - nowUs()) / 1000;
      if (waitMs > 0.5) await sleep(waitMs);
      let answer = await connection.send(head, post.body);
      // As an app does: what was taken of the post the first time is a duplicate the second time.
      for (let tries = 1; tries < triesMax && answer.body.includes(overloadNeedle); tries++) {
        again++;
        await sleep(overloadWaitMs);
        answer = await connection.send(head, post.body);
      }
      acks.record(nowUs() - scheduledUs);
      if (!target.isAccepted(answer.status, answer.body)) {
        const key = whyRefused(answer);
        refused[key] = (refused[key] ?? 0) + 1;
      }
    }
  };
  await Promise.all(connections.map(work));
  for (const connection of connections) connection.close();
  return { events, ranges, seconds: (nowUs() - startUs) / 1e6, acks, again, refused };
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The status and the error codes of an answer, or its beginning when it has none: alike for all that failed alike. */
function whyRefused({ status, body }: HttpAnswer): string {
  const text = body.toString('utf8');
  const codes = new Set(text.match(/CARILLON_[A-Z_]+/g));
  return `${status} ${codes.size > 0 ? [...codes].join(', ') : text.slice(0, 160)}`;
}
