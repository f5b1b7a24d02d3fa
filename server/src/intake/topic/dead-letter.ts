/**
 * A message that cannot be taken, as it goes into the dead-letter topic: key, value and headers byte by byte as they
 * came, and beside them where it was and why it was refused. Sent again to the topic it came from, it is judged anew.
 */
import type { ErrorCode } from '@carillon/contract/error-codes.ts';
import type { MessageToProduce } from '@platformatic/kafka';
import type { TopicHeader, TopicMessage } from './topic-message.ts';

export interface Refusal {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The field at fault: a JSON pointer into the value, or `header/ce_id`; empty where there is none. */
  readonly path: string;
  /** Which events of a list were refused, counted from 0; null for a message that holds one event or cannot be read. */
  readonly events: readonly number[] | null;
}

export interface DeadLetter {
  readonly message: TopicMessage;
  readonly refusal: Refusal;
}

/** All headers of ours begin with this. A letter that comes back and dies again has only the new ones. */
export const deadHeaderPrefix = 'carillon-dead-';

/** A reason may quote what it is about. */
const detailCharsMax = 300;

/** How much of a letter is kept: a broker may take less in the dead-letter topic than it took in the other. */
export type Kept = 'whole' | 'withoutValue' | 'placeOnly';

export type DeadMessage = MessageToProduce<Buffer, Buffer, Buffer, Buffer | null>;

export function deadMessage({ message, refusal }: DeadLetter, topic: string, kept: Kept): DeadMessage {
  const ours: Record<string, string> = {
    topic: message.topic,
    partition: String(message.partition),
    offset: String(message.offset),
    timestamp: new Date(message.timestampMs).toISOString(),
    code: refusal.code,
    detail: refusal.detail.slice(0, detailCharsMax).toWellFormed(),
    path: refusal.path,
    ...(refusal.events !== null && { events: refusal.events.join(',') }),
    ...(kept !== 'whole' && { omitted: kept === 'withoutValue' ? 'value' : 'value,key,headers' }),
  };
  // A map whose keys are buffers keeps order and repeated names.
  const headers = new Map<Buffer, Buffer | null>();
  if (kept !== 'placeOnly') copyForeign(message.headers, headers);
  for (const [name, value] of Object.entries(ours)) {
    headers.set(Buffer.from(deadHeaderPrefix + name), Buffer.from(value));
  }
  return {
    topic,
    ...(message.key !== null && kept !== 'placeOnly' && { key: message.key }),
    ...(message.value !== null && kept === 'whole' && { value: message.value }),
    headers,
  };
}

function copyForeign(from: readonly TopicHeader[], to: Map<Buffer, Buffer | null>): void {
  for (const [name, value] of from) {
    if (name !== null && !name.toString('latin1').startsWith(deadHeaderPrefix)) to.set(name, value);
  }
}
