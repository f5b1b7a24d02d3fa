/**
 * Which broker leads each partition of the log's topics, and the connection to it. Learnt as a whole and kept until
 * somebody meets an error and says `forget`; when to try again is the callers' choice.
 */
import type { Base, Connection } from '@platformatic/kafka';
import { CarillonError } from '../../base/carillon-error.ts';

export class PartitionLeaders {
  readonly #client: Base;
  readonly #topics: readonly string[];
  #nodes: Map<string, number> | null = null;
  #loading: Promise<void> | null = null;

  constructor(client: Base, topics: readonly string[]) {
    this.#client = client;
    this.#topics = topics;
  }

  get isKnown(): boolean {
    return this.#nodes !== null;
  }

  /** Asks the brokers, unless it is known. Rejects when none can be reached. */
  load(): Promise<void> {
    if (this.#nodes !== null) return Promise.resolve();
    this.#loading ??= this.#ask().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** The number of the broker; undefined while the partition has none. */
  of(topic: string, partition: number): number | undefined {
    return this.#nodes?.get(`${topic}/${partition}`);
  }

  async connection(node: number | undefined): Promise<Connection> {
    const connection = node === undefined ? undefined : (await this.#client.connectToBrokers([node])).get(node);
    if (connection !== undefined) return connection;
    this.forget();
    throw new CarillonError('CARILLON_LOG_UNAVAILABLE', 'A partition of the event log has no leader now.');
  }

  forget(): void {
    this.#nodes = null;
  }

  async #ask(): Promise<void> {
    const { topics } = await this.#client.metadata({ topics: [...this.#topics], forceUpdate: true });
    const nodes = new Map<string, number>();
    for (const [topic, { partitions }] of topics) {
      for (const [partition, { leader }] of partitions.entries()) {
        if (leader >= 0) nodes.set(`${topic}/${partition}`, leader);
      }
    }
    this.#nodes = nodes;
  }
}
