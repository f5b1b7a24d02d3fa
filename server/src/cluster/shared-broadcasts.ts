/**
 * Broadcasts as a process that people speak with sees them (F3): whoever opens an inbox gets theirs before it is read.
 * Bringing them in is for the owner of the person's shard, the only writer; it is asked over the bus, and answers there.
 *
 *   open ──nothing newer than is known to be there──▶ done
 *     └──▶ asked ──answer──▶ done        ──no answer in time──▶ done without: the next opening asks again
 *
 * A shard whose owner did not answer in time is asked, but not waited for, until it answers again.
 * What the newest broadcast of a tenant is, the process that keeps one tells all; it is looked up now and then all the same,
 * since the bus may lose what is told.
 */
import type { AudienceStore } from '../audience/audience-store.ts';
import type { BroadcastStore } from '../audience/broadcast-store.ts';
import { LiveMerge } from '../audience/live-merge.ts';
import type { Clock } from '../base/clock.ts';
import { shardOf } from '../base/hash.ts';
import { type PersonKey, splitAudienceKey, splitPersonKey, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Service } from '../base/service.ts';
import type { Bus } from '../deliver/realtime/bus.ts';
import { liveChannels, liveMessage, readLiveMessage } from '../deliver/realtime/live-messages.ts';
import type { GatewayId } from '../deliver/realtime/presence.ts';
import type { Problem } from '../embedded/shard-reports.ts';

export interface SharedBroadcastsParts {
  readonly broadcasts: Pick<BroadcastStore, 'newest'>;
  readonly audiences: AudienceStore;
  readonly bus: Bus;
  /** This process. */
  readonly name: GatewayId;
  readonly shards: number;
  readonly clock: Clock;
  /** Whoever is connected to this process. */
  readonly people: () => readonly PersonKey[];
  readonly onProblem: (problem: Problem) => void;
}

interface Newest {
  readonly number: number;
  readonly readMs: number;
}

export class SharedBroadcasts implements Service {
  readonly #parts: SharedBroadcastsParts;
  readonly #live: LiveMerge;
  readonly #newest = new Map<TenantId, Newest>();
  /** The number through which the inbox has them, of those who were last here. */
  readonly #through = new Map<PersonKey, number>();
  readonly #waiting = new Map<PersonKey, Set<() => void>>();
  readonly #silentShards = new Set<number>();
  readonly #stops: readonly (() => void)[];

  constructor(parts: SharedBroadcastsParts) {
    this.#parts = parts;
    const { audiences, bus, name, people } = parts;
    const merge = (_tenant: TenantId, some: readonly PersonKey[]): Promise<void> => this.#ask(some, null);
    this.#live = new LiveMerge({ audiences, people, merge, failed: (error) => this.#failed(error) });
    const message = (bytes: Uint8Array): void => this.#hear(bytes);
    this.#stops = [
      bus.subscribe(liveChannels.all, { message, missed: () => this.#newest.clear() }),
      bus.subscribe(liveChannels.gateway(name), { message, missed() {} }),
    ];
  }

  /** Never rejects. */
  open = async (person: PersonKey): Promise<void> => {
    try {
      const newest = await this.#newestOf(splitPersonKey(person).tenant);
      if ((this.#through.get(person) ?? 0) < newest) await this.#merged(person);
    } catch (error) {
      this.#failed(error);
    }
  };

  /** After everything that opens inboxes. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#live.stop();
    for (const person of [...this.#waiting.keys()]) this.#answered(person);
  }

  async #newestOf(tenant: TenantId): Promise<number> {
    const { broadcasts, clock } = this.#parts;
    const known = this.#newest.get(tenant);
    if (known !== undefined && clock.monotonic() - known.readMs < limits.broadcastsLookMs) return known.number;
    const number = await broadcasts.newest(tenant);
    this.#noteNewest(tenant, number);
    return number;
  }

  #noteNewest(tenant: TenantId, number: number): void {
    const known = this.#newest.get(tenant)?.number ?? 0;
    this.#newest.set(tenant, { number: Math.max(number, known), readMs: this.#parts.clock.monotonic() });
  }

  async #merged(person: PersonKey): Promise<void> {
    const { clock, shards, name } = this.#parts;
    const shard = shardOf(person, shards);
    if (this.#silentShards.has(shard)) return this.#ask([person], name);
    await new Promise<void>((resolve) => {
      const cancel = clock.after(limits.mergeWaitMs, () => {
        this.#silentShards.add(shard);
        this.#answered(person);
      });
      const answered = (): void => {
        cancel();
        resolve();
      };
      this.#waiting.set(person, (this.#waiting.get(person) ?? new Set()).add(answered));
      // While the bus is away nobody is asked, and nobody waits.
      this.#ask([person], name).catch(() => this.#answered(person));
    });
  }

  /** `asker`: who is to be answered. */
  #ask(people: readonly PersonKey[], asker: GatewayId | null): Promise<void> {
    const { bus, shards } = this.#parts;
    const byShard = Map.groupBy(people, (person) => shardOf(person, shards));
    return bus.publish(
      [...byShard].map(([shard, some]) =>
        liveMessage(liveChannels.shard(shard), { kind: 'merge', people: some, asker }),
      ),
    );
  }

  #hear(bytes: Uint8Array): void {
    const message = readLiveMessage(bytes);
    if (message?.kind === 'merged') {
      const { person, through } = message;
      this.#silentShards.delete(shardOf(person, this.#parts.shards));
      this.#through.delete(person);
      this.#through.set(person, through);
      const [idlest] = this.#through.keys();
      if (this.#through.size > limits.broadcastReadersMax && idlest !== undefined) this.#through.delete(idlest);
      this.#answered(person);
    } else if (message?.kind === 'broadcast') {
      this.#noteNewest(splitAudienceKey(message.audience).tenant, message.number);
      this.#live.told(message);
    }
  }

  #answered(person: PersonKey): void {
    const waiting = this.#waiting.get(person);
    this.#waiting.delete(person);
    for (const answered of waiting ?? []) answered();
  }

  #failed(error: unknown): void {
    this.#parts.onProblem({ event: 'broadcastFailed', fields: {}, error });
  }
}
