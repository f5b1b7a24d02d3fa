/** Faults of ours, put into the world's parts to see that a run finds them. Each answers the part with its fault. */
import type { InboxStore } from '../../server/src/inbox/inbox-store.ts';
import type { EventLog } from '../../server/src/log/event-log.ts';
import type { ProfileStore } from '../../server/src/profile/profile-store.ts';
import type { TimerStore } from '../../server/src/shard/timer-store.ts';

export interface Planted {
  readonly log?: (log: EventLog) => EventLog;
  readonly store?: (store: InboxStore) => InboxStore;
  readonly timers?: (timers: TimerStore) => TimerStore;
  readonly profiles?: (profiles: ProfileStore) => ProfileStore;
}
