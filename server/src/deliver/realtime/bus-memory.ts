/**
 * The bus in memory, for tests of several processes in one. What a real one has outside of all of them is `BusHub`;
 * it can be taken away, and then forgets as a real one does.
 */
import type { Bus, BusListener, BusMessage } from './bus.ts';

export class BusHub {
  readonly buses: Set<BusMemory> = new Set();
  isAway = false;

  /** Breaks all connections; messages under way are lost. */
  takeAway(): void {
    this.isAway = true;
    for (const bus of this.buses) bus.lostConnection();
  }

  /** Each bus finds its way back by itself, in its own time. */
  bringBack(): void {
    this.isAway = false;
    for (const bus of this.buses) queueMicrotask(() => bus.connect());
  }
}

interface Subscription {
  readonly channel: string;
  readonly listener: BusListener;
  isHeard: boolean;
}

export class BusMemory implements Bus {
  readonly #hub: BusHub;
  readonly #subscriptions = new Set<Subscription>();

  constructor(hub: BusHub) {
    this.#hub = hub;
    hub.buses.add(this);
  }

  async publish(messages: readonly BusMessage[]): Promise<void> {
    // Not within the publisher's call: a real bus never is.
    await null;
    if (this.#hub.isAway || !this.#hub.buses.has(this)) throw new Error('the bus cannot be reached');
    for (const { channel, bytes } of messages) for (const bus of this.#hub.buses) bus.#deliver(channel, bytes);
  }

  subscribe(channel: string, listener: BusListener): () => void {
    const subscription = { channel, listener, isHeard: false };
    this.#subscriptions.add(subscription);
    queueMicrotask(() => this.connect());
    return () => this.#subscriptions.delete(subscription);
  }

  isConnected(): boolean {
    return [...this.#subscriptions].every(({ isHeard }) => isHeard);
  }

  close(): void {
    this.#subscriptions.clear();
    this.#hub.buses.delete(this);
  }

  connect(): void {
    if (this.#hub.isAway) return;
    for (const subscription of this.#subscriptions) {
      if (subscription.isHeard) continue;
      subscription.isHeard = true;
      subscription.listener.missed();
    }
  }

  lostConnection(): void {
    for (const subscription of this.#subscriptions) subscription.isHeard = false;
  }

  #deliver(channel: string, bytes: Uint8Array): void {
    for (const { channel: heard, listener, isHeard } of this.#subscriptions) {
      if (isHeard && heard === channel) listener.message(bytes);
    }
  }
}
