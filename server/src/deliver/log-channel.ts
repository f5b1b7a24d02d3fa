/** A channel as the shard sees it: what it takes is durable in the channel's own log, from which its workers read. */
import { shardOf } from '../base/hash.ts';
import type { PersonKey } from '../base/ids.ts';
import type { EndpointState } from '../decide/decide-channels.ts';
import type { EventLog } from '../log/event-log.ts';
import { RecordWriter } from '../log/record.ts';
import type { Profile } from '../profile/profile.ts';
import type { OutwardName } from './delivery.ts';
import { addDispatch, addRedrive, type Redrive } from './dispatch-record.ts';
import type { Dispatch, OutwardChannel } from './outward-channel.ts';

export interface LogChannelParts {
  readonly name: OutwardName;
  readonly log: Pick<EventLog, 'append'>;
  readonly shards: number;
  readonly endpointOf: (person: PersonKey, profile: Profile | null) => EndpointState;
}

export class LogChannel implements OutwardChannel {
  readonly name: OutwardName;
  readonly endpointOf: OutwardChannel['endpointOf'];
  readonly #log: Pick<EventLog, 'append'>;
  readonly #shards: number;

  constructor({ name, log, shards, endpointOf }: LogChannelParts) {
    this.name = name;
    this.endpointOf = endpointOf;
    this.#log = log;
    this.#shards = shards;
  }

  async take(dispatches: readonly Dispatch[]): Promise<void> {
    const writer = new RecordWriter(dispatches.length * 400);
    for (const dispatch of dispatches) {
      addDispatch(writer, dispatch, { channel: this.name, shard: shardOf(dispatch.person, this.#shards) });
    }
    await this.#log.append(writer.take());
  }

  /** Sends again what has ended; as durable as `take`. */
  async redrive(redrives: readonly Redrive[], nowMs: number): Promise<void> {
    const writer = new RecordWriter(redrives.length * 400);
    for (const redrive of redrives) {
      const shard = shardOf(redrive.person, this.#shards);
      addRedrive(writer, redrive, { channel: this.name, shard, nowMs });
    }
    await this.#log.append(writer.take());
  }
}
