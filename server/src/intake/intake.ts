/**
 * Intake (E2, E5, E6): from the body of a request to durable records and one result per event.
 *
 * Promise: what is answered `accepted` is durable; `duplicate` was before; anything else stored nothing of that event.
 * Refusal comes early: rate and load are judged before the body is read, a lane that is behind once types are known.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import type { ProducerPrincipal } from '../auth/principal.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { type AudienceCheck, noAudiences } from './audience-check.ts';
import { audiencesIn } from './audiences-in.ts';
import { type EventOutcomes, EventResults } from './event-results.ts';
import type { EventTypes } from './event-types.ts';
import type { IntakeLog } from './intake-log.ts';
import { RateLimit } from './rate-limit.ts';
import { bodyForm, type EventBatch, readBatch } from './read-batch.ts';
import { RecordBuilder, type Sender } from './record-builder.ts';
import { EventScanner } from './scan-event.ts';
import { TurnBatcher } from './turn-batcher.ts';
import { eventTooLarge, validateEvent } from './validate-event.ts';

export interface IntakeOptions {
  readonly log: IntakeLog;
  readonly types: EventTypes;
  readonly clock: Clock;
  readonly rate?: RateLimit;
  /** Without, no audience exists. */
  readonly audiences?: AudienceCheck;
  /** Hears of every request that was answered with results, for metrics. */
  readonly onResult?: (outcomes: EventOutcomes) => void;
}

export class Intake {
  readonly #log: IntakeLog;
  readonly #clock: Clock;
  readonly #rate: RateLimit;
  readonly #batcher: TurnBatcher;
  readonly #scanner = new EventScanner();
  readonly #builder: RecordBuilder;
  readonly #audiences: AudienceCheck;
  readonly #onResult: ((outcomes: EventOutcomes) => void) | undefined;

  constructor(options: IntakeOptions) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#rate = options.rate ?? new RateLimit(options.clock);
    this.#batcher = new TurnBatcher(options.log);
    this.#builder = new RecordBuilder(options.types, options.log.shards, this.#batcher.writer);
    this.#audiences = options.audiences ?? noAudiences;
    this.#onResult = options.onResult;
  }

  /** Before the body is read. Throws CARILLON_REQUEST_MEDIA_TYPE, CARILLON_RATE_LIMITED or CARILLON_OVERLOADED. */
  admit(producer: ProducerPrincipal, headers: IncomingHttpHeaders): void {
    bodyForm(headers);
    this.#rate.check(callerKey(producer));
    if (this.#batcher.waitingBytes() > limits.uncommittedBytesMax) {
      throw new CarillonError('CARILLON_OVERLOADED', 'Too much waits to be stored.', {
        retryAfterSeconds: limits.overloadRetrySeconds,
      });
    }
  }

  /**
   * Answers the results as JSON. Throws what makes the body unreadable as a whole, what is wrong with an event that
   * came by itself, and CARILLON_STORAGE_FULL when nothing could be stored.
   */
  async accept(producer: ProducerPrincipal, body: Buffer, headers: IncomingHttpHeaders): Promise<Buffer> {
    const batch = readBatch(bodyForm(headers), body, headers);
    this.#rate.spend(callerKey(producer), Math.max(1, batch.count));
    const results = new EventResults(batch.bytes, batch.count);
    const { tenant } = producer;
    const audiences = audiencesIn(batch, this.#scanner);
    const unknownAudiences = audiences.length === 0 ? none : await this.#audiences.unknown(tenant, audiences);
    const sender: Sender = {
      tenant,
      sources: producer.sources,
      nowMs: this.#clock.now(),
      closedLanes: this.closedLanes(),
      unknownAudiences,
    };
    for (let event = 0; event < batch.count; event++) this.#take(batch, event, sender, results);
    const statuses = results.packedCount > 0 ? await this.#batcher.committed() : [];
    this.#onResult?.(results.outcomes(statuses));
    return results.toJson(statuses);
  }

  /** Lanes that are refused for now. Bulk has the least room, so it closes first (D8). */
  closedLanes(): readonly Lane[] {
    return lanes.filter((lane) => this.#log.unappliedBytes(lane) > limits.unappliedBytesMax[lane]);
  }

  #take(batch: EventBatch, event: number, sender: Sender, results: EventResults): void {
    const start = batch.spans[2 * event] as number;
    const end = batch.spans[2 * event + 1] as number;
    let fits = false;
    try {
      if (end - start > limits.eventBytesMax) throw eventTooLarge();
      fits = batch.isUtf8 && batch.convert === null && this.#scanner.scan(batch.bytes, start, end);
      if (fits) this.#pack(sender, results);
      else this.#takeSlowly(batch, batch.bytes.subarray(start, end), sender, results);
    } catch (error) {
      if (batch.single || !(error instanceof CarillonError)) throw error;
      // Under overload there are many of these: what the scanner holds need not be read again.
      results.rejected(fits ? this.#scannedId() : readId(batch.bytes.subarray(start, end)), error);
    }
  }

  #takeSlowly(batch: EventBatch, part: Buffer, sender: Sender, results: EventResults): void {
    const canonical = batch.convert ? batch.convert(part) : validateEvent(part);
    if (!this.#scanner.scan(canonical, 0, canonical.length, true)) {
      throw new CarillonError('CARILLON_INTERNAL', 'A valid event could not be packed.');
    }
    this.#pack(sender, results);
  }

  /** The event that the scanner holds. */
  #pack(sender: Sender, results: EventResults): void {
    const { writer } = this.#batcher;
    const scan = this.#scanner;
    const first = writer.count;
    const lane = this.#builder.add(scan, sender);
    results.packed(scan.buffer, this.#idSpan(), { first, behind: writer.count, lane: lanes.indexOf(lane) });
  }

  #scannedId(): string {
    const { start, end } = this.#idSpan();
    return JSON.parse(this.#scanner.buffer.toString('utf8', start - 1, end + 1)) as string;
  }

  /** Where the id lies in the scanner's bytes, without its quotes. */
  #idSpan(): { start: number; end: number } {
    const start = this.#scanner.start + (this.#scanner.ranges[2] as number);
    return { start, end: start + (this.#scanner.ranges[3] as number) };
  }
}

const none: ReadonlySet<string> = new Set();

function callerKey(producer: ProducerPrincipal): string {
  return `${producer.tenant}\u0001${producer.caller}`;
}

/** The id of an event that was refused, where there is one to be read. */
function readId(part: Buffer): string | null {
  if (part.length > limits.eventBytesMax) return null;
  try {
    const { id } = JSON.parse(part.toString('utf8')) as { id?: unknown };
    return typeof id === 'string' ? id.toWellFormed().slice(0, 256) : null;
  } catch {
    return null;
  }
}
