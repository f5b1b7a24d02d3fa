/** Broadcasts within the store's thread (F3): into an inbox when it is opened, and at once for those who are connected. */
import type { AudienceStore } from '../audience/audience-store.ts';
import type { NumberedBroadcast } from '../audience/broadcast-store.ts';
import { LiveMerge } from '../audience/live-merge.ts';
import { shardOf } from '../base/hash.ts';
import { type PersonKey, splitAudienceKey, splitPersonKey, type TenantId } from '../base/ids.ts';
import type { Service } from '../base/service.ts';
import type { AudienceWork } from './audience-work.ts';
import type { ShardHost } from './shard-host.ts';

export interface LocalBroadcastsParts {
  readonly work: Pick<AudienceWork, 'merge'>;
  readonly audiences: AudienceStore;
  readonly host: Pick<ShardHost, 'take' | 'watched' | 'forgetPagesOf' | 'report'>;
  readonly shards: number;
}

export class LocalBroadcasts implements Service {
  readonly #parts: LocalBroadcastsParts;
  readonly #live: LiveMerge;

  constructor(parts: LocalBroadcastsParts) {
    this.#parts = parts;
    const { audiences, host } = parts;
    this.#live = new LiveMerge({
      audiences,
      people: () => host.watched(),
      merge: (tenant, people) => this.#merge(tenant, people),
      failed: this.#failed,
    });
  }

  kept(broadcast: NumberedBroadcast): void {
    this.#parts.host.forgetPagesOf(splitAudienceKey(broadcast.audience).tenant);
    this.#live.told(broadcast);
  }

  open = (person: PersonKey): Promise<void> => this.#merge(splitPersonKey(person).tenant, [person]).catch(this.#failed);

  /** Before the shards stop. */
  stop(): Promise<void> {
    return this.#live.stop();
  }

  async #merge(tenant: TenantId, people: readonly PersonKey[]): Promise<void> {
    const { work, host, shards } = this.#parts;
    const byShard = Map.groupBy(people, (person) => shardOf(person, shards));
    for (const [shard, some] of byShard) await work.merge(tenant, some, (batches) => host.take(shard, batches));
  }

  #failed = (error: unknown): void => this.#parts.host.report('broadcastFailed', error);
}
