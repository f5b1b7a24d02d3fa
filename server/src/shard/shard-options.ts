/** What a shard executor works with. */
import type { RecordWatch } from '../audience/record-watch.ts';
import type { Clock } from '../base/clock.ts';
import type { TypeCatalogue } from '../content/type-catalogue.ts';
import type { CapRules } from '../decide/caps.ts';
import type { OutwardChannel } from '../deliver/outward-channel.ts';
import type { LookingPeople } from '../deliver/realtime/looking-people.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import type { EventLog } from '../log/event-log.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import type { RelationReader } from './relation-reader.ts';
import type { ShardListener } from './shard-listener.ts';
import type { ShardMemory } from './shard-memory.ts';
import type { TimerStore } from './timer-store.ts';

/** What tells people outside the inbox. */
export interface Outward {
  readonly timers: TimerStore;
  readonly channels: readonly OutwardChannel[];
  /** Absent: nobody is known to look at the app. */
  readonly looking?: LookingPeople;
}

export interface ShardOptions {
  readonly shard: number;
  readonly log: EventLog;
  readonly store: InboxStore;
  /** Absent: nobody has a profile. */
  readonly profiles?: ProfileStore;
  /** Absent: nobody has said how people stand to each other. */
  readonly relations?: RelationReader;
  /** Absent: nobody can be told outside the inbox. */
  readonly outward?: Outward;
  /** How much a person is sent; the usual where absent. */
  readonly capRules?: CapRules;
  /** The rules of zones; those of this process where absent. */
  readonly zoneData?: string;
  readonly catalogue: TypeCatalogue;
  readonly clock: Clock;
  readonly listener: ShardListener;
  readonly memory: ShardMemory;
  /** Sees every record, and has its say before positions move. */
  readonly watch?: RecordWatch;
}
