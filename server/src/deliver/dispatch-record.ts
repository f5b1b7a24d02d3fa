/**
 * What is handed over to a channel as records of its log: dispatches of shards, and what operators send again. So the log's promises hold for it: durable, in order of its lane, and what is
 * given again word for word is there once. What comes again in other company is told apart by whoever reads it.
 */
import type { Lane } from '@carillon/contract/lanes.ts';
import { digest, fingerprint } from '../base/hash.ts';
import { type NotificationId, type PersonKey, personKey, splitPersonKey } from '../base/ids.ts';
import { RecordView, type RecordWriter, recordFields } from '../log/record.ts';
import { type OutwardName, tellingName } from './delivery.ts';
import type { Dispatch, Telling } from './outward-channel.ts';

interface StoredDispatch {
  readonly tells: readonly (readonly [NotificationId, number])[];
  readonly moment: Dispatch['moment'];
  readonly expiresAtMs: number;
}

export interface DispatchPlace {
  readonly channel: OutwardName;
  readonly shard: number;
}

/** A delivery that ended, to be sent again as it was then (V5): of two for the same end the second means nothing. */
export interface Redrive {
  readonly person: PersonKey;
  readonly telling: Telling;
  readonly lane: Lane;
  readonly endpoint: string;
  readonly version: number;
}

export interface HandedOver {
  readonly dispatches: readonly Dispatch[];
  readonly redrives: readonly Redrive[];
}

export function addDispatch(writer: RecordWriter, dispatch: Dispatch, place: DispatchPlace): void {
  const { person, tells, lane, moment, decidedAtMs, expiresAtMs } = dispatch;
  const names = tells.map((telling) => tellingName({ ...telling, channel: place.channel }));
  const stored: StoredDispatch = {
    tells: tells.map(({ notification, number }) => [notification, number]),
    moment,
    expiresAtMs,
  };
  add(writer, { person, lane, timeMs: decidedAtMs, type: 'dispatch', names, stored }, place);
}

export function addRedrive(writer: RecordWriter, redrive: Redrive, place: DispatchPlace & { nowMs: number }): void {
  const { person, lane, telling, endpoint, version } = redrive;
  const names = [tellingName({ ...telling, channel: place.channel }), endpoint, String(version)];
  const stored: StoredRedrive = { telling, endpoint, version };
  add(writer, { person, lane, timeMs: place.nowMs, type: 'redrive', names, stored }, place);
}

interface StoredRedrive extends Pick<Redrive, 'telling' | 'endpoint' | 'version'> {}

interface Added {
  readonly person: PersonKey;
  readonly lane: Lane;
  readonly timeMs: number;
  readonly type: 'dispatch' | 'redrive';
  /** What makes two of them the same. */
  readonly names: readonly string[];
  readonly stored: StoredDispatch | StoredRedrive;
}

function add(writer: RecordWriter, added: Added, { channel, shard }: DispatchPlace): void {
  const { person, lane, timeMs, type, names, stored } = added;
  const { tenant, user } = splitPersonKey(person);
  const parts = { source: channel, id: digest([person, type, ...names], 22), type, data: JSON.stringify(stored) };
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
  const identity = Buffer.from([tenant, channel, parts.id].join('\0'));
  writer.add({
    ...{ lane, shard, tenant, recipients: [user], ranges, source, start: 0, end: source.length },
    timeMs,
    acceptedMs: timeMs,
    seq: null,
    fingerprint: fingerprint(identity, 0, identity.length, shard + 1),
    escaped: false,
  });
}

/** All that a batch of the log holds; what cannot be read is told of. */
export function readHandedOver(bytes: Uint8Array, unusable: (record: Uint8Array) => void): HandedOver {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const dispatches: Dispatch[] = [];
  const redrives: Redrive[] = [];
  for (let at = 0; at < buffer.length; ) {
    const start = at;
    at = view.move(buffer, at);
    try {
      if (view.text('type') === 'redrive') redrives.push(readRedrive(view));
      else dispatches.push(readDispatch(view));
    } catch {
      unusable(buffer.subarray(start, at));
    }
  }
  return { dispatches, redrives };
}

const view = new RecordView();

function readRedrive(record: RecordView): Redrive {
  const stored = JSON.parse(record.json('data')) as StoredRedrive;
  return { ...stored, person: personKey(record.tenant, record.recipients()[0] as string), lane: record.lane };
}

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
