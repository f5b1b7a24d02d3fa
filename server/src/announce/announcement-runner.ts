/**
 * Begins announcements when they are due, and ends them when everybody has theirs. Looks every second, in each process that
 * works at shards: each step counts once, and what is repeated after a crash in between is without effect.
 *
 *   scheduled ──due──▶ running ──event in the log──▶ sent ──fan-out done──▶ finished
 *       └──overdue for long: the service was down──▶ stale, until somebody confirms it (BC-62)
 */
import type { FanoutStore } from '../audience/fanout-store.ts';
import type { Clock } from '../base/clock.ts';
import { audienceKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Service } from '../base/service.ts';
import type { EventTypes } from '../intake/event-types.ts';
import type { PackedBatch } from '../log/record.ts';
import { type Announcement, type AnnouncementStep, type StepFacts, stepped } from './announcement.ts';
import { announcementEvent, announcementKind } from './announcement-event.ts';
import type { AnnouncementStore } from './announcement-store.ts';

export interface AnnouncementRunnerParts {
  readonly announcements: AnnouncementStore;
  readonly fanouts: Pick<FanoutStore, 'list'>;
  readonly types: EventTypes;
  readonly shards: number;
  readonly clock: Clock;
  /** Resolves when durable. */
  readonly append: (batch: PackedBatch) => Promise<unknown>;
  /** One that is overdue for longer waits to be confirmed. */
  readonly staleAfterMs: number;
  /** It is tried again. Must not throw. */
  readonly failed: (error: unknown) => void;
}

const self = 'carillon';

export class AnnouncementRunner implements Service {
  readonly #parts: AnnouncementRunnerParts;
  readonly #cancel: () => void;
  #looking: Promise<void> | null = null;

  constructor(parts: AnnouncementRunnerParts) {
    this.#parts = parts;
    this.#cancel = parts.clock.every(limits.announcementsLookMs, () => void this.look());
  }

  /** Everything that can be done now; joins the look that is under way. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { announcements, failed } = this.#parts;
    try {
      for (const one of await announcements.underWay(limits.announcementsUnderWayMax)) {
        await this.#attend(one).catch(failed);
      }
    } catch (error) {
      failed(error);
    }
  }

  async #attend(one: Announcement): Promise<void> {
    const { clock, staleAfterMs } = this.#parts;
    if (one.status === 'running') {
      if (one.isSent) await this.#finish(one);
      else await this.#send(one);
      return;
    }
    const overdueMs = clock.now() - (one.startAtMs ?? Number.POSITIVE_INFINITY);
    if (overdueMs < 0) return;
    if (overdueMs > staleAfterMs) {
      await this.#step(one, 'miss');
      return;
    }
    const running = await this.#step(one, 'begin');
    if (running !== null) await this.#send(running);
  }

  /** The event first: whoever comes after a crash in between finds it in the log, and the second is dropped as a repeat. */
  async #send(one: Announcement): Promise<void> {
    const { announcements, append, types, shards, clock } = this.#parts;
    // Taken when it began, however often it is written: so its fan-out is the same one, too.
    await append(announcementEvent(one, { types, shards, nowMs: one.startedAtMs ?? clock.now() }));
    await announcements.replace({ ...one, version: one.version + 1, isSent: true });
  }

  async #finish(one: Announcement): Promise<void> {
    const { tenant, id } = one;
    const audience = audienceKey(tenant, `${announcementKind}:${id}`);
    const [fanout] = await this.#parts.fanouts.list({ tenant, audience }, 1);
    if (fanout !== undefined && fanout.doneMs !== null) await this.#step(one, 'finish', fanout.recipients);
  }

  /** Null where somebody else was first: what is to be done now shows next time. */
  async #step(one: Announcement, action: AnnouncementStep, recipients?: number): Promise<Announcement | null> {
    const nowMs = this.#parts.clock.now();
    const facts: StepFacts = { nowMs, by: self, ...(recipients === undefined ? {} : { recipients }) };
    const after = stepped(one, action, facts);
    return (await this.#parts.announcements.replace(after)) ? after : null;
  }
}
