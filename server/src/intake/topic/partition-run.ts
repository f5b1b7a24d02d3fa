/**
 * One partition while this process owns it: fetched messages wait here and are taken in order, one chunk after the other.
 * Once it has ended nothing moves any more, whatever is still under way: the next owner goes on from what was committed.
 */
import { limits } from '../../base/limits.ts';
import type { TopicMessage } from './topic-message.ts';

export interface Chunk {
  readonly messages: readonly TopicMessage[];
  /** Offset behind it, past whatever was left out. */
  readonly next: number;
  readonly bytes: number;
}

/** Resolves once all messages are durable somewhere, or `signal` is aborted. */
export type Take = (messages: readonly TopicMessage[], signal: AbortSignal) => Promise<void>;

export interface PartitionRunParts {
  readonly partition: number;
  /** What the group has committed: where to begin. */
  readonly from: number;
  readonly take: Take;
  /** A chunk is done: `taken` has moved and there is room for more. */
  readonly onTaken: () => void;
  /** A fault in the program. */
  readonly onFault: (error: unknown) => void;
}

export class PartitionRun {
  readonly partition: number;
  /** Next offset to fetch. */
  fetchAt: number;
  /** Next offset to take: everything before is durable. */
  taken: number;
  /** As the group has it, as far as known. */
  committed: number;
  readonly #parts: PartitionRunParts;
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  #chunks: Chunk[] = [];
  #bytes = 0;
  #isFinishing = false;
  #wake: () => void = () => {};

  constructor(parts: PartitionRunParts) {
    this.#parts = parts;
    this.partition = parts.partition;
    this.fetchAt = parts.from;
    this.taken = parts.from;
    this.committed = parts.from;
    this.#ended = this.#run().catch(parts.onFault);
  }

  get isOver(): boolean {
    return this.#isFinishing || this.#abort.signal.aborted;
  }

  get hasRoom(): boolean {
    return !this.isOver && this.#bytes < limits.topicBufferBytesMax;
  }

  /** When the oldest message that waits here was written; null without one. */
  get oldestMs(): number | null {
    return this.#chunks[0]?.messages[0]?.timestampMs ?? null;
  }

  add(chunk: Chunk): void {
    if (this.isOver) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.bytes;
    this.fetchAt = chunk.next;
    this.#wake();
  }

  /** Goes on from `offset`; only while nothing waits here. */
  moveTo(offset: number): void {
    this.fetchAt = offset;
    if (this.#chunks.length === 0) this.taken = offset;
  }

  /** The partition is somebody else's now. */
  end(): void {
    this.#abort.abort();
    this.#wake();
  }

  /** Takes the chunk at hand to its end, and no other. */
  finish(): Promise<void> {
    this.#isFinishing = true;
    this.#wake();
    return this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!this.isOver) {
      const chunk = this.#chunks[0];
      if (chunk === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      await this.#parts.take(chunk.messages, signal);
      if (signal.aborted) return;
      this.#chunks.shift();
      this.#bytes -= chunk.bytes;
      this.taken = chunk.next;
      this.#parts.onTaken();
    }
  }
}
