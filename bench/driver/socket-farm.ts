/** Thousands of listening clients of one target; what they hear goes to the tally. */
import { ListeningSocket } from './listening-socket.ts';
import type { Tally } from './tally.ts';
import type { SocketOpening, Target } from './target.ts';

const inParallel = 64;

export class SocketFarm {
  readonly #target: Target;
  readonly #tally: Tally;
  readonly #nowUs: () => number;
  readonly #sockets = new Set<ListeningSocket>();
  /** Sockets the server closed: 0 in a correct run. */
  cut = 0;
  lastClose = '';
  #isClosing = false;

  constructor(target: Target, tally: Tally, nowUs: () => number) {
    this.#target = target;
    this.#tally = tally;
    this.#nowUs = nowUs;
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** Opens one socket per opening and resolves when each has its first answer (`isReady`). */
  async open(port: number, openings: readonly SocketOpening[]): Promise<void> {
    const waiting = openings.values();
    const work = async (): Promise<void> => {
      for (const opening of waiting) await this.#connect(port, opening);
    };
    await Promise.all(Array.from({ length: inParallel }, work));
  }

  close(): void {
    this.#isClosing = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  #connect(port: number, opening: SocketOpening): Promise<void> {
    return new Promise((resolve, reject) => {
      let isReady = false;
      const socket = new ListeningSocket(port, opening, {
        beforeRead: () => {
          this.#tally.nowUs = this.#nowUs();
        },
        message: (payload, reply) => {
          this.#target.message(payload, this.#tally, reply);
          if (isReady || !this.#target.isReady(payload)) return;
          isReady = true;
          resolve();
        },
        closed: (why) => {
          this.#sockets.delete(socket);
          if (this.#isClosing) return;
          this.cut++;
          this.lastClose = why;
          reject(new Error(`the server closed a socket: ${why}`));
        },
      });
      this.#sockets.add(socket);
    });
  }
}
