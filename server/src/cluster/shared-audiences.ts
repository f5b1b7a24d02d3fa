/**
 * Audiences of a cluster's process: for intake and API what is asked of them, and for the shards it owns the fan-out of
 * events to them.
 */

import type { AnnouncementStore } from '../announce/announcement-store.ts';
import type { AudienceService } from '../audience/audience-service.ts';
import { AudienceServiceStore } from '../audience/audience-service-store.ts';
import type { AudienceSource } from '../audience/audience-source.ts';
import type { AudienceStore } from '../audience/audience-store.ts';
import type { BroadcastStore, NumberedBroadcast } from '../audience/broadcast-store.ts';
import type { FanoutStore } from '../audience/fanout-store.ts';
import { LagRoom } from '../audience/lag-room.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config-schema.ts';
import { limits } from '../base/limits.ts';
import type { TypeCatalogue } from '../content/type-catalogue.ts';
import type { Bus } from '../deliver/realtime/bus.ts';
import { liveChannels, liveMessage } from '../deliver/realtime/live-messages.ts';
import { AudienceWork, openKinds } from '../embedded/audience-work.ts';
import type { Problem } from '../embedded/shard-reports.ts';
import type { EventLog } from '../log/event-log.ts';

export interface AudienceStores {
  readonly audiences: AudienceStore;
  readonly fanouts: FanoutStore;
  readonly broadcasts: BroadcastStore;
  readonly announcements: AnnouncementStore;
  readonly settings: Config['audiences'];
}

export interface SharedAudiencesParts extends AudienceStores {
  readonly clock: Clock;
  readonly shards: number;
  /** Records of the bulk lane that are durable and not yet applied. */
  readonly bulkBehind: () => Promise<number>;
  readonly onProblem: (problem: Problem) => void;
}

export interface SharedWorkParts extends SharedAudiencesParts {
  /** Who announcements are for. */
  readonly announced: AudienceSource;
  readonly types: TypeCatalogue;
  readonly bus: Bus;
}

export function sharedService({ audiences, fanouts, settings, clock }: SharedAudiencesParts): AudienceService {
  let countedMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  const waiting = async (): Promise<number> => {
    if (clock.monotonic() - countedMs >= limits.fanoutsCountedMs) {
      countedMs = clock.monotonic();
      count = await fanouts.waiting(limits.fanoutsWaitingMax);
    }
    return count;
  };
  return new AudienceServiceStore({ audiences, fanouts, clock, openKinds: openKinds(settings), waiting });
}

export function sharedWork(parts: SharedWorkParts, log: EventLog): AudienceWork {
  const { bulkBehind: behind, shards, clock, bus } = parts;
  const chunksAhead = Math.max(1, Math.round((shards * limits.fanoutPeoplePerShard) / limits.fanoutChunkMembers));
  // A chunk has people in every shard, so it is a record in each.
  const room = new LagRoom({ behind, chunksAhead, recordsMax: chunksAhead * shards, clock });
  const kept = ({ audience, number, acceptedMs }: NumberedBroadcast): void => {
    const told = liveMessage(liveChannels.all, { kind: 'broadcast', audience, number, acceptedMs });
    // Whoever does not hear of it looks by itself.
    bus.publish([told]).catch(() => {});
  };
  return new AudienceWork({ ...parts, log, room, kept });
}
