/**
 * What audiences need of a shard's records: follows and unfollows, which keep `followers:<whom>` (F2), and events for an
 * audience, whose fan-out begins (F1). Both have their effect once, however often a record is seen.
 */
import { audienceKey } from '../base/ids.ts';
import { series, telemetry } from '../base/telemetry.ts';
import type { RecordView } from '../log/record.ts';
import type { AudienceStore } from './audience-store.ts';
import { type FanoutJob, toJob } from './fanout-job.ts';
import type { FanoutStore } from './fanout-store.ts';
import type { MembershipChange } from './membership.ts';
import type { RecordWatch } from './record-watch.ts';

export interface AudienceWatchParts {
  readonly audiences: AudienceStore;
  readonly fanouts: FanoutStore;
  /** Kind of the audiences that follow events keep; empty where none does. */
  readonly followersKind: string;
  /** These have begun. Must not throw. */
  readonly begun: (jobs: readonly FanoutJob[]) => void;
}

/** What an event of these types makes of its actor: a follower of its object, or none. */
const follows: Readonly<Record<string, boolean>> = { 'user.followed': true, 'user.unfollowed': false };
const followed = series('carillon_audience_changes_total', { by: 'event' });

export class AudienceWatch implements RecordWatch {
  readonly #parts: AudienceWatchParts;
  #changes: MembershipChange[] = [];
  #jobs: FanoutJob[] = [];

  constructor(parts: AudienceWatchParts) {
    this.#parts = parts;
  }

  saw(record: RecordView, type: string): void {
    if (record.isToAudience) this.#jobs.push(toJob(record));
    const present = follows[type];
    if (present !== undefined) this.#sawFollow(record, present);
  }

  settle(): Promise<void> | null {
    return this.#changes.length === 0 && this.#jobs.length === 0 ? null : this.#settle();
  }

  async #settle(): Promise<void> {
    const { audiences, fanouts, begun } = this.#parts;
    // Follows first: of two events of one micro-batch, the post is to reach whoever followed before it.
    if (this.#changes.length > 0) await audiences.apply(this.#changes, { logged: true });
    telemetry.add(followed, this.#changes.length);
    this.#changes = [];
    if (this.#jobs.length > 0) begun(await fanouts.begin(this.#jobs));
    this.#jobs = [];
  }

  #sawFollow(record: RecordView, present: boolean): void {
    const { followersKind } = this.#parts;
    const whom = record.text('objectId');
    const user = record.text('actorId');
    if (followersKind === '' || whom === '' || user === '' || record.text('objectKind') !== 'user') return;
    this.#changes.push({
      audience: audienceKey(record.tenant, `${followersKind}:${whom}`),
      user,
      present,
      notify: null,
      seq: record.seq,
      timeMs: record.timeMs,
      takenMs: record.acceptedMs,
    });
  }
}
