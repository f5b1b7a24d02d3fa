/** Announcements as an engine has them: what operators ask, who they are for, and what begins and ends them (A4). */
import { AnnouncementMembers } from '../announce/announcement-members.ts';
import { AnnouncementRunner } from '../announce/announcement-runner.ts';
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { AnnouncementServiceStore } from '../announce/announcement-service-store.ts';
import type { AnnouncementStore } from '../announce/announcement-store.ts';
import type { AudienceSource } from '../audience/audience-source.ts';
import type { AudienceStore } from '../audience/audience-store.ts';
import type { FanoutStore } from '../audience/fanout-store.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config-schema.ts';
import type { Random } from '../base/random.ts';
import type { Service } from '../base/service.ts';
import { series, telemetry } from '../base/telemetry.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import type { EventTypes } from '../intake/event-types.ts';
import type { EventLog } from '../log/event-log.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import type { AnnouncementSettings } from './announcement-settings.ts';
import { sourcesOf } from './audience-work.ts';
import type { Problem } from './shard-reports.ts';

export interface AnnouncementWorkParts {
  readonly announcements: AnnouncementStore;
  readonly fanouts: FanoutStore;
  readonly audiences: AudienceStore;
  readonly settings: Config['audiences'];
  readonly announce: AnnouncementSettings;
  readonly profiles: ProfileStore;
  readonly inboxes: Pick<InboxStore, 'people'>;
  readonly types: EventTypes;
  readonly clock: Clock;
  readonly random: Random;
}

export interface RunnerParts {
  readonly log: Pick<EventLog, 'append'>;
  readonly shards: number;
  readonly onProblem: (problem: Problem) => void;
}

const failures = series('carillon_announcement_failures_total', {});

export class AnnouncementWork implements Service {
  readonly service: AnnouncementService;
  /** Who they are for: of audiences of kind `announcement`. */
  readonly members: AudienceSource;
  readonly #parts: AnnouncementWorkParts;
  #runner: AnnouncementRunner | null = null;

  constructor(parts: AnnouncementWorkParts) {
    const { audiences, settings, clock, announce } = parts;
    this.#parts = parts;
    this.service = new AnnouncementServiceStore({ ...parts, selfApproval: announce.selfApproval });
    this.members = new AnnouncementMembers({ ...parts, audiences: sourcesOf(audiences, settings, clock) });
  }

  /** Begins what is due from now on. */
  run({ log, shards, onProblem }: RunnerParts): void {
    const { announce } = this.#parts;
    this.#runner = new AnnouncementRunner({
      ...this.#parts,
      shards,
      append: (batch) => log.append(batch),
      staleAfterMs: announce.staleAfterMs,
      failed: (error) => {
        telemetry.add(failures);
        onProblem({ event: 'announcementFailed', fields: {}, error });
      },
    });
  }

  async stop(): Promise<void> {
    await this.#runner?.stop();
  }
}
