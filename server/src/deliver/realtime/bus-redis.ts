/**
 * The bus over Redis or Valkey: PUBLISH in one pipeline per call, SUBSCRIBE on a connection of its own.
 *
 *   channel: new ──subscribed──▶ heard ──connection lost──▶ lost ──subscribed again──▶ heard
 *
 * `missed` is called on every way into `heard`. Redis keeps nothing for who is away, and drops a subscriber that reads
 * too slowly: both show as a lost connection. One that is dead without saying so is found by a ping now and then, since
 * the client gives up a socket that does not answer (`cluster/redis-client.ts`).
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { Bus, BusListener, BusMessage } from './bus.ts';

export interface BusRedisParts {
  readonly publisher: Redis;
  /** Used for nothing else. */
  readonly subscriber: Redis;
  /** In front of every channel's name. */
  readonly prefix: string;
  readonly clock: Clock;
}

interface Channel {
  readonly listeners: Set<BusListener>;
  isHeard: boolean;
}

export class BusRedis implements Bus {
  readonly #parts: BusRedisParts;
  /** By full name. */
  readonly #channels = new Map<string, Channel>();
  readonly #stopBeating: () => void;

  constructor(parts: BusRedisParts) {
    this.#parts = parts;
    const { subscriber, clock } = parts;
    subscriber.on('messageBuffer', this.#receive);
    subscriber.on('ready', this.#subscribeAll);
    subscriber.on('close', this.#lost);
    this.#stopBeating = clock.every(limits.busBeatMs, () => void subscriber.ping().catch(() => {}));
  }

  async publish(messages: readonly BusMessage[]): Promise<void> {
    const { publisher, prefix } = this.#parts;
    const pipeline = publisher.pipeline();
    for (const { channel, bytes } of messages) pipeline.publish(prefix + channel, bufferOf(bytes));
    for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
  }

  subscribe(name: string, listener: BusListener): () => void {
    const fullName = this.#parts.prefix + name;
    const known = this.#channels.get(fullName);
    const channel = known ?? { listeners: new Set(), isHeard: false };
    channel.listeners.add(listener);
    this.#channels.set(fullName, channel);
    if (known === undefined) this.#ask([fullName]);
    else if (known.isHeard) queueMicrotask(() => channel.listeners.has(listener) && listener.missed());
    return () => {
      channel.listeners.delete(listener);
      if (channel.listeners.size > 0 || this.#channels.get(fullName) !== channel) return;
      this.#channels.delete(fullName);
      this.#parts.subscriber.unsubscribe(fullName).catch(() => {});
    };
  }

  isConnected(): boolean {
    for (const { isHeard } of this.#channels.values()) if (!isHeard) return false;
    return this.#parts.subscriber.status === 'ready';
  }

  /** The connections stay with whoever made them. */
  close(): void {
    this.#stopBeating();
    const { subscriber } = this.#parts;
    subscriber.off('messageBuffer', this.#receive);
    subscriber.off('ready', this.#subscribeAll);
    subscriber.off('close', this.#lost);
    if (this.#channels.size > 0) subscriber.unsubscribe(...this.#channels.keys()).catch(() => {});
    this.#channels.clear();
  }

  #subscribeAll = (): void => {
    if (this.#channels.size > 0) this.#ask([...this.#channels.keys()]);
  };

  #lost = (): void => {
    for (const channel of this.#channels.values()) channel.isHeard = false;
  };

  /** One that fails is asked for again when the connection is back. */
  #ask(names: readonly string[]): void {
    const { subscriber } = this.#parts;
    if (subscriber.status !== 'ready') return;
    const asked = names.map((name): [string, Channel | undefined] => [name, this.#channels.get(name)]);
    subscriber.subscribe(...names).then(
      () => {
        // In the meantime it may have been given up, or the connection lost once more.
        if (subscriber.status !== 'ready') return;
        for (const [name, channel] of asked) if (channel === this.#channels.get(name)) hear(channel);
      },
      () => {
        // Refused or too slow: a new connection asks for all again.
        if (subscriber.status === 'ready') subscriber.disconnect(true);
      },
    );
  }

  #receive = (name: Buffer, bytes: Buffer): void => {
    const channel = this.#channels.get(name.toString());
    if (channel === undefined) return;
    // The first message may be here before the answer to SUBSCRIBE has been looked at.
    hear(channel);
    for (const listener of channel.listeners) listener.message(bytes);
  };
}

function hear(channel: Channel | undefined): void {
  if (channel === undefined || channel.isHeard) return;
  channel.isHeard = true;
  for (const listener of channel.listeners) listener.missed();
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
