/**
 * The connections of one process to Kafka, with the options the log relies on. A broker answers the requests of one
 * connection in turn, so a fetch that waits there for something new has a client of its own: it would hold up
 * everything behind it. Each client connects when it is first used.
 *
 * `producer` is idempotent with acks=all: with acks alone a send came out doubled and in another order when a leader was
 * not ready. It tries for ever, under the same sequence numbers; the log puts a deadline on its callers' wait instead.
 */
import {
  Admin,
  Base,
  type BaseOptions,
  type ConnectionOptions,
  Consumer,
  type GroupOptions,
  Producer,
} from '@platformatic/kafka';
import { CarillonError } from '../../base/carillon-error.ts';
import { limits } from '../../base/limits.ts';

export interface KafkaOptions {
  /** `host:port` of some brokers; the others are learnt from them. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly tls?: ConnectionOptions['tls'];
  readonly sasl?: ConnectionOptions['sasl'];
}

export type GroupMember = Consumer<Buffer, Buffer, Buffer, Buffer>;

export interface GroupMemberOptions extends Omit<GroupOptions, 'groupProtocol'> {
  readonly groupId: string;
  /** Longer than the group may take to gather: joining is answered only then. */
  readonly requestMs: number;
}

export class KafkaClients {
  readonly producer: Producer<Buffer, Buffer, Buffer, Buffer>;
  /** For fetches that wait. */
  readonly tailing: Base;
  /** For fetches that are answered at once. */
  readonly reading: Base;
  readonly admin: Admin;
  readonly #options: BaseOptions;
  readonly #brokers: string;
  readonly #members: GroupMember[] = [];

  constructor(options: KafkaOptions) {
    this.#brokers = options.brokers.join(', ');
    this.#options = clientOptions(options);
    this.producer = new Producer({ ...this.#options, idempotent: true, metadataMaxAge: limits.kafkaMetadataMs });
    this.tailing = new Base({ ...this.#options, retries: 0, metadataMaxAge: limits.kafkaMetadataMs });
    this.reading = new Base({ ...this.#options, retries: 0, metadataMaxAge: limits.kafkaMetadataMs });
    this.admin = new Admin({ ...this.#options, retries: 3 });
  }

  /** Resolves when some broker answers; else says which were asked. */
  async check(): Promise<void> {
    try {
      await this.admin.metadata({ topics: [], forceUpdate: true });
    } catch (cause) {
      throw new CarillonError('CARILLON_LOG_UNAVAILABLE', `No broker of Kafka answers at ${this.#brokers}.`, { cause });
    }
  }

  /** A member of a group, on connections of its own. Closed with the others. */
  member(options: GroupMemberOptions): GroupMember {
    const { groupId, requestMs, ...group } = options;
    const member: GroupMember = new Consumer({
      ...this.#options,
      ...group,
      groupId,
      groupProtocol: 'classic',
      requestTimeout: requestMs,
      retries: true,
      autocommit: false,
    });
    this.#members.push(member);
    return member;
  }

  async close(): Promise<void> {
    for (const member of this.#members) if (!member.closed) await member.close(true);
    await Promise.all([this.admin, this.reading, this.tailing, this.producer].map((client) => client.close()));
  }
}

/** What every client of the service has in common. */
export function clientOptions({ brokers, clientId, tls, sasl }: KafkaOptions): BaseOptions {
  return {
    clientId,
    bootstrapBrokers: [...brokers],
    connectTimeout: limits.kafkaConnectMs,
    requestTimeout: limits.kafkaRequestMs,
    retryDelay: limits.kafkaRetryMs,
    autocreateTopics: false,
    ...(tls === undefined ? {} : { tls }),
    ...(sasl === undefined ? {} : { sasl }),
  };
}
