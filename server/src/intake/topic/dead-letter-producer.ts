/**
 * Writes dead letters: `send` resolves once every letter is durable in the dead-letter topic, or nobody waits any more.
 * It never gives a letter up: while the topic cannot be written its partition waits, and shows as lag. A letter may be
 * there twice after a crash or a lost answer; its place (topic, partition, offset) tells.
 */
import { findErrorBy, type Producer } from '@platformatic/kafka';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { type DeadLetter, deadMessage, type Kept } from './dead-letter.ts';
import { pause } from './pause.ts';

export type DeadLetterClient = Pick<Producer<Buffer, Buffer, Buffer, Buffer | null>, 'send'>;

export interface DeadLetterProducerParts {
  /** Idempotent, acknowledged by all. */
  readonly client: DeadLetterClient;
  readonly topic: string;
  readonly clock: Clock;
  /** Letters could not be written; they are tried again. */
  readonly onFailure: (error: unknown) => void;
}

export class DeadLetterProducer {
  readonly #parts: DeadLetterProducerParts;

  constructor(parts: DeadLetterProducerParts) {
    this.#parts = parts;
  }

  async send(letters: readonly DeadLetter[], signal: AbortSignal): Promise<void> {
    if (letters.length === 0 || (await this.#write(letters, 'whole', signal))) return;
    // One by one: together they may be too much where each is not.
    for (const letter of letters) await this.#writeOne(letter, signal);
  }

  async #writeOne(letter: DeadLetter, signal: AbortSignal): Promise<void> {
    const { clock, onFailure } = this.#parts;
    while (!signal.aborted) {
      for (const kept of ['whole', 'withoutValue', 'placeOnly'] as const) {
        if (await this.#write([letter], kept, signal)) return;
      }
      // A topic that does not even take the place of a message: an operator must give it more room.
      onFailure(new Error('the dead-letter topic takes no message that is large enough'));
      await pause(clock, limits.topicRetryMs, signal);
    }
  }

  /** Tries until it is done, or nobody waits. Answers false where the broker says that it is too large. */
  async #write(letters: readonly DeadLetter[], kept: Kept, signal: AbortSignal): Promise<boolean> {
    const { client, topic, clock, onFailure } = this.#parts;
    while (!signal.aborted) {
      try {
        const messages = letters.map((letter) => deadMessage(letter, topic, kept));
        // The client waits for ever while the broker is away. So do we, but not past a stop.
        await Promise.race([client.send({ messages }), aborted(signal)]);
        return true;
      } catch (error) {
        if (isTooLarge(error)) return false;
        if (signal.aborted) return true;
        onFailure(error);
        await pause(clock, limits.topicRetryMs, signal);
      }
    }
    return true;
  }
}

function isTooLarge(error: unknown): boolean {
  return ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'].some(
    (apiId) => error instanceof Error && findErrorBy(error, 'apiId', apiId) !== null,
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
