/** What a shard executor works with. */
import type { RecordWatch } from '../audience/record-watch.ts';
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import type { TypeCatalogue } from '../content/type-catalogue.ts';
import type { OutwardChannel } from '../deliver/outward-channel.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Profile } from '../profile/profile.ts';
import type { RelationReader } from './relation-reader.ts';
import type { ShardListener } from './shard-listener.ts';
import type { ShardMemory } from './shard-memory.ts';
import type { TimerStore } from './timer-store.ts';

/** What is known of people, at hand for a micro-batch: `ProfileCache`. */
export interface Profiles {
  /** Resolves when all of them can be got. */
  load(people: readonly PersonKey[]): Promise<void>;
  /** Null: has no profile. */
  get(person: PersonKey): Profile | null;
}

export interface ShardOptions {
  readonly shard: number;
  readonly log: EventLog;
  readonly store: InboxStore;
  /** Absent: nobody has a profile. */
  readonly profiles?: Profiles;
  /** Absent: nobody has said how people stand to each other. */
  readonly relations?: RelationReader;
  /** Absent: nobody can be told outside the inbox. */
  readonly outward?: { readonly timers: TimerStore; readonly channels: readonly OutwardChannel[] };
  readonly catalogue: TypeCatalogue;
  readonly clock: Clock;
  readonly listener: ShardListener;
  readonly memory: ShardMemory;
  /** Sees every record, and has its say before positions move. */
  readonly watch?: RecordWatch;
}
