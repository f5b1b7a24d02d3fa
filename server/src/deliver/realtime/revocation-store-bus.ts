/**
 * Makes revocations of one process known to all (V33): a store that every process reads, and the bus to be quick.
 *
 * `put` tells the others at once, beside the writing. Whom it cannot tell it tells later, for as long as it lives; they
 * also look into the store whenever the bus may have lost something, and again and again while it is away. So a
 * revocation reaches everybody within a moment, or within `limits.revocationReloadMs` while there is no bus.
 */
import type { RevocationStore, RevokedSession } from '../../auth/revocation-store.ts';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { Bus } from './bus.ts';
import { liveChannels, liveMessage, readLiveMessage } from './live-messages.ts';

export interface RevocationStoreBusParts {
  /** Shared by all processes. */
  readonly store: RevocationStore;
  readonly bus: Bus;
  readonly clock: Clock;
}

type Listener = (revoked: RevokedSession) => void;

export class RevocationStoreBus implements RevocationStore {
  readonly #parts: RevocationStoreBusParts;
  readonly #listeners = new Set<Listener>();
  readonly #stops: readonly (() => void)[];
  /** Session → its entry, that others have not been told of; oldest first. */
  readonly #untold = new Map<string, RevokedSession>();
  #stopRetry: (() => void) | null = null;
  /** The store is being read; `again` if it must be once more. */
  #loading: 'no' | 'once' | 'again' = 'no';

  constructor(parts: RevocationStoreBusParts) {
    this.#parts = parts;
    const { bus, clock } = parts;
    this.#stops = [
      bus.subscribe(liveChannels.all, {
        message: (bytes) => this.#receive(bytes),
        missed: () => void this.#reload(),
      }),
      clock.every(limits.revocationReloadMs, () => bus.isConnected() || void this.#reload()),
    ];
  }

  async put(revoked: RevokedSession): Promise<void> {
    const [oldest] = this.#untold.keys();
    if (oldest !== undefined && this.#untold.size >= limits.revocationsUntoldMax) this.#untold.delete(oldest);
    this.#untold.set(revoked.session, revoked);
    void this.#tell();
    await this.#parts.store.put(revoked);
  }

  load(nowMs: number): Promise<readonly RevokedSession[]> {
    return this.#parts.store.load(nowMs);
  }

  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#stopRetry?.();
    this.#untold.clear();
    this.#listeners.clear();
  }

  async #tell(): Promise<void> {
    const telling = [...this.#untold.values()];
    try {
      await this.#parts.bus.publish(
        telling.map((revoked) => liveMessage(liveChannels.all, { kind: 'revoked', ...revoked })),
      );
      for (const each of telling) if (this.#untold.get(each.session) === each) this.#untold.delete(each.session);
    } catch {
      this.#stopRetry ??= this.#parts.clock.after(limits.busRetryMs, () => {
        this.#stopRetry = null;
        if (this.#untold.size > 0) void this.#tell();
      });
    }
  }

  #receive(bytes: Uint8Array): void {
    const message = readLiveMessage(bytes);
    if (message?.kind === 'revoked') this.#hear({ session: message.session, untilMs: message.untilMs });
    else if (message === null) void this.#reload();
  }

  #hear(revoked: RevokedSession): void {
    for (const listener of this.#listeners) listener(revoked);
  }

  async #reload(): Promise<void> {
    if (this.#loading !== 'no') {
      this.#loading = 'again';
      return;
    }
    this.#loading = 'once';
    const { store, clock } = this.#parts;
    const isRead = await store.load(clock.now()).then(
      (all) => {
        for (const each of all) this.#hear(each);
        return true;
      },
      () => false,
    );
    const isDue = (this.#loading as string) === 'again';
    this.#loading = 'no';
    if (!isRead) clock.after(limits.busRetryMs, () => this.#listeners.size > 0 && void this.#reload());
    else if (isDue) void this.#reload();
  }
}
