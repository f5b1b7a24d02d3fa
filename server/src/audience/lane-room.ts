/**
 * Keeps fan-out from writing more than the bulk lane can take at the moment (F4): a chunk may be written once little waits
 * in the lane, or after some micro-batches, so that others who keep the lane full do not keep fan-out from going on.
 */
export interface LaneRoomOptions {
  /** Durable and not yet applied, of the lane. */
  readonly behindBytes: () => number;
  readonly bytesMax: number;
  readonly batchesMax: number;
}

export class LaneRoom {
  readonly #options: LaneRoomOptions;
  #wake: (() => void) | null = null;
  #isOpen = true;
  /** Micro-batches since a chunk was let through. */
  #batches = 0;

  constructor(options: LaneRoomOptions) {
    this.#options = options;
  }

  /** Resolves when there is room, or once it is closed. One may wait at a time. */
  room = async (): Promise<void> => {
    while (this.#isOpen && !this.#hasRoom()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#batches = 0;
  };

  /** A micro-batch has been applied. */
  applied(): void {
    this.#batches++;
    if (!this.#hasRoom()) return;
    this.#wake?.();
    this.#wake = null;
  }

  close(): void {
    this.#isOpen = false;
    this.#wake?.();
    this.#wake = null;
  }

  #hasRoom(): boolean {
    const { behindBytes, bytesMax, batchesMax } = this.#options;
    return behindBytes() <= bytesMax || this.#batches >= batchesMax;
  }
}
