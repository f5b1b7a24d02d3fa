/**
 * A dispatch as a record of the log, so that the log's promises hold for it: durable, in order of its lane, and what is
 * given again word for word is there once. What comes again in other company is told apart by whoever reads it.
 */
import { digest, fingerprint } from '../base/hash.ts';
import { type NotificationId, personKey, splitPersonKey } from '../base/ids.ts';
import { RecordView, type RecordWriter, recordFields } from '../log/record.ts';
import { type OutwardName, tellingName } from './delivery.ts';
import type { Dispatch } from './outward-channel.ts';

interface StoredDispatch {
  readonly tells: readonly (readonly [NotificationId, number])[];
  readonly moment: Dispatch['moment'];
  readonly expiresAtMs: number;
}

export interface DispatchPlace {
  readonly channel: OutwardName;
  readonly shard: number;
}

export function addDispatch(writer: RecordWriter, dispatch: Dispatch, { channel, shard }: DispatchPlace): void {
  const { person, tells, lane, moment, decidedAtMs, expiresAtMs } = dispatch;
  const { tenant, user } = splitPersonKey(person);
  const id = digest([person, ...tells.map((telling) => tellingName({ ...telling, channel }))], 22);
  const stored: StoredDispatch = {
    tells: tells.map(({ notification, number }) => [notification, number]),
    moment,
    expiresAtMs,
  };
  const data = JSON.stringify(stored);
  const parts = { source: channel, id, type: 'dispatch', data };
  const ranges = new Array<number>(recordFields.length * 2).fill(0);
  let text = '';
  // All of it is ASCII.
  for (const [name, value] of Object.entries(parts)) {
    const field = recordFields.indexOf(name as keyof typeof parts);
    ranges[field * 2] = text.length;
    ranges[field * 2 + 1] = value.length;
    text += value;
  }
  const source = Buffer.from(text, 'latin1');
  const identity = Buffer.from([tenant, channel, id].join('\0'));
  writer.add({
    ...{ lane, shard, tenant, recipients: [user], ranges, source, start: 0, end: source.length },
    timeMs: decidedAtMs,
    acceptedMs: decidedAtMs,
    seq: null,
    fingerprint: fingerprint(identity, 0, identity.length, shard + 1),
    escaped: false,
  });
}

/** All that a batch of the log holds; what cannot be read is told of. */
export function readDispatches(bytes: Uint8Array, unusable: (record: Uint8Array) => void): Dispatch[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: Dispatch[] = [];
  for (let at = 0; at < buffer.length; ) {
    const start = at;
    at = view.move(buffer, at);
    try {
      found.push(readDispatch(view));
    } catch {
      unusable(buffer.subarray(start, at));
    }
  }
  return found;
}

const view = new RecordView();

function readDispatch(record: RecordView): Dispatch {
  const [user] = record.recipients();
  if (user === undefined || record.text('type') !== 'dispatch') throw new Error('a record of a channel is no dispatch');
  const { tells, moment, expiresAtMs } = JSON.parse(record.json('data')) as StoredDispatch;
  return {
    person: personKey(record.tenant, user),
    tells: tells.map(([notification, number]) => ({ notification, number })),
    lane: record.lane,
    moment,
    decidedAtMs: record.timeMs,
    expiresAtMs,
  };
}
