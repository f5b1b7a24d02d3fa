/**
 * Audiences of a cluster's process: for intake and API what is asked of them, and for the shards it owns the fan-out of
 * events to them.
 */

import { lanes } from '@carillon/contract/lanes.ts';
import type { AudienceService } from '../audience/audience-service.ts';
import { AudienceServiceStore } from '../audience/audience-service-store.ts';
import type { AudienceStore } from '../audience/audience-store.ts';
import type { FanoutStore } from '../audience/fanout-store.ts';
import { LagRoom } from '../audience/lag-room.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config-schema.ts';
import { limits } from '../base/limits.ts';
import { AudienceWork, openKinds } from '../embedded/audience-work.ts';
import type { Problem } from '../embedded/shard-reports.ts';
import type { EventLog } from '../log/event-log.ts';

export interface AudienceStores {
  readonly audiences: AudienceStore;
  readonly fanouts: FanoutStore;
  readonly settings: Config['audiences'];
}

export interface SharedAudiencesParts extends AudienceStores {
  readonly clock: Clock;
  readonly shards: number;
  /** Records that are durable and not yet applied, by lane. */
  readonly behind: () => Promise<readonly number[]>;
  readonly onProblem: (problem: Problem) => void;
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

export function sharedWork(parts: SharedAudiencesParts, log: EventLog): AudienceWork {
  const { behind, shards, clock } = parts;
  const room = new LagRoom({
    behind: async () => (await behind())[lanes.indexOf('bulk')] ?? 0,
    recordsMax: shards * limits.fanoutRecordsPerShard,
    clock,
  });
  return new AudienceWork({ ...parts, log, room });
}
