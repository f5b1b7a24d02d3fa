/**
 * From messages of one partition to durable records, through the same intake as a request (E4, E5).
 *
 * Promise: once `take` resolves, every message is durable in the log, is in the dead-letter topic, or had nothing in it,
 * unless `signal` was aborted meanwhile. Messages of one call are offered in order.
 * What is refused for what it is goes into the dead-letter topic. What is refused for how things stand (a lane that is
 * behind, a rate, a full disk, a log that cannot be reached) waits and is offered again: the topic keeps it.
 */
import type { ErrorCode } from '@carillon/contract/error-codes.ts';
import type { ProducerPrincipal } from '../../auth/principal.ts';
import { CarillonError } from '../../base/carillon-error.ts';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { Intake } from '../intake.ts';
import type { DeadLetter, Refusal } from './dead-letter.ts';
import type { DeadLetterProducer } from './dead-letter-producer.ts';
import { pause } from './pause.ts';
import { LogFailure } from './topic-log.ts';
import { requestHeaders, type TopicMessage } from './topic-message.ts';
import type { TopicTally, WaitReason } from './topic-tally.ts';

export interface MessageTakerParts {
  readonly intake: Pick<Intake, 'admit' | 'accept'>;
  readonly producer: ProducerPrincipal;
  readonly deadLetters: Pick<DeadLetterProducer, 'send'>;
  readonly clock: Clock;
  readonly tally: TopicTally;
}

interface Wait {
  readonly kind: 'later';
  readonly reason: WaitReason;
  readonly waitMs: number;
  readonly error?: unknown;
}

type Outcome = { readonly kind: 'taken' | 'empty' } | { readonly kind: 'refused'; readonly refusal: Refusal } | Wait;

/** Refusals that say nothing about the message. */
const waits: Partial<Record<ErrorCode, WaitReason>> = {
  CARILLON_OVERLOADED: 'overloaded',
  CARILLON_RATE_LIMITED: 'rateLimited',
  CARILLON_STORAGE_FULL: 'storageFull',
};

const noBytes = Buffer.alloc(0);

export class MessageTaker {
  readonly #parts: MessageTakerParts;

  constructor(parts: MessageTakerParts) {
    this.#parts = parts;
  }

  async take(messages: readonly TopicMessage[], signal: AbortSignal): Promise<void> {
    const { deadLetters, clock, tally } = this.#parts;
    let left = messages;
    while (left.length > 0 && !signal.aborted) {
      const round = sorted(left, await this.#offerAll(left));
      await deadLetters.send(round.letters, signal);
      if (signal.aborted) return;
      tally.settled('taken', round.taken);
      tally.settled('empty', round.empty);
      tally.buried(round.letters);
      left = round.later;
      if (round.wait === null) continue;
      tally.waited(round.wait.reason, round.wait.error);
      await pause(clock, round.wait.waitMs, signal);
    }
  }

  /** All of them in one turn of the event loop, so that they become one append, in order. */
  #offerAll(messages: readonly TopicMessage[]): Promise<Outcome[]> {
    const { intake, producer } = this.#parts;
    try {
      intake.admit(producer, { 'content-type': 'application/json' });
    } catch (error) {
      const outcome = outcomeOf(error);
      return Promise.resolve(messages.map(() => outcome));
    }
    return Promise.all(messages.map((message) => this.#offer(message)));
  }

  async #offer(message: TopicMessage): Promise<Outcome> {
    const headers = requestHeaders(message);
    if (message.value === null && headers['ce-specversion'] === undefined) return { kind: 'empty' };
    try {
      const answer = await this.#parts.intake.accept(this.#parts.producer, message.value ?? noBytes, headers);
      return outcomeOfList(answer);
    } catch (error) {
      return outcomeOf(error);
    }
  }
}

interface Round {
  taken: number;
  empty: number;
  readonly letters: DeadLetter[];
  /** What must wait, in order, and the first reason why. */
  readonly later: TopicMessage[];
  wait: Wait | null;
}

function sorted(messages: readonly TopicMessage[], outcomes: readonly Outcome[]): Round {
  const round: Round = { taken: 0, empty: 0, letters: [], later: [], wait: null };
  for (const [index, message] of messages.entries()) {
    const outcome = outcomes[index] as Outcome;
    if (outcome.kind === 'refused') round.letters.push({ message, refusal: outcome.refusal });
    else if (outcome.kind === 'later') {
      round.later.push(message);
      round.wait ??= outcome;
    } else round[outcome.kind]++;
  }
  return round;
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof LogFailure) {
    return { kind: 'later', reason: 'logFailed', waitMs: limits.topicRetryMs, error: error.cause };
  }
  if (!(error instanceof CarillonError)) {
    // A fault of ours that this message brings out. It is kept, and the others go on.
    const detail = error instanceof Error ? error.name : typeof error;
    return { kind: 'refused', refusal: { code: 'CARILLON_INTERNAL', detail, path: '', events: null } };
  }
  const reason = waits[error.code];
  if (reason !== undefined) return { kind: 'later', reason, waitMs: 1000 * (error.retryAfterSeconds ?? 1) };
  const field = error.fields[0];
  const detail = field?.detail ?? error.message;
  return {
    kind: 'refused',
    refusal: { code: error.code, detail, path: pathInMessage(field?.path ?? ''), events: null },
  };
}

interface EventResult {
  readonly status: 'accepted' | 'duplicate' | 'rejected';
  readonly error?: { readonly code: ErrorCode; readonly path: string; readonly detail: string };
}

/** A list answers with a result per event. One event of it that must wait makes the list wait: it may be sent twice. */
function outcomeOfList(answer: Buffer): Outcome {
  if (!answer.includes('"status":"rejected"')) return { kind: 'taken' };
  const { results } = JSON.parse(answer.toString('utf8')) as { results: EventResult[] };
  const rejected = [...results.entries()].filter(([, { status }]) => status === 'rejected');
  for (const [, { error }] of rejected) {
    const reason = error && waits[error.code];
    if (reason !== undefined) return { kind: 'later', reason, waitMs: 1000 * limits.overloadRetrySeconds };
  }
  const first = rejected[0]?.[1].error;
  // An id may look like a status.
  if (first === undefined) return { kind: 'taken' };
  return { kind: 'refused', refusal: { ...first, events: rejected.map(([index]) => index) } };
}

/** Where a header of a request is named, the message has one with an underscore. */
function pathInMessage(path: string): string {
  return path.replace(/^header\/ce-/, 'header/ce_');
}
