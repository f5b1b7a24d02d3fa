/** The dropped events of one person that the micro-batch at hand will write: of very many, the last. */
import { limits } from '../base/limits.ts';
import { type DroppedEvent, type DroppedSlot, encodeDropped } from '../inbox/dropped-event.ts';

export class DroppedEvents {
  /** The slot that was used last; of somebody who was not in memory any. */
  #last: number;
  readonly #slots = new Map<number, DroppedEvent>();

  constructor(nowMs: number) {
    this.#last = Math.floor(nowMs / 1000) % limits.droppedKept;
  }

  get isEmpty(): boolean {
    return this.#slots.size === 0;
  }

  note(event: DroppedEvent): void {
    this.#last = (this.#last + 1) % limits.droppedKept;
    this.#slots.set(this.#last, event);
  }

  toWrite(): DroppedSlot[] {
    return [...this.#slots].map(([slot, event]) => ({
      slot,
      text: encodeDropped(event),
      decidedAtMs: event.decidedAtMs,
    }));
  }

  written(): void {
    this.#slots.clear();
  }
}
