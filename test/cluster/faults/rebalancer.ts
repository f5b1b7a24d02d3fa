/** Has the last shard process leave in good order and come back, again and again, so that shards are always on the move. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultCluster } from './fault-cluster.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/** How long it stays, and stays away. */
const betweenMs = 2000;

export class Rebalancer {
  moves = 0;
  readonly #process: SupervisedProcess;
  #isStopped = false;
  #running: Promise<void> | null = null;

  constructor(cluster: FaultCluster) {
    const last = cluster.of('shard').at(-1);
    if (last === undefined) throw new Error('There is no shard process.');
    this.#process = last.process;
  }

  start(): void {
    this.#running = this.#move();
  }

  /** Resolves when the process is there for good. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #move(): Promise<void> {
    while (!this.#isStopped) {
      await pause(betweenMs);
      await this.#process.stop();
      await pause(betweenMs);
      this.#process.start();
      await this.#process.ready();
      this.moves++;
    }
  }
}
