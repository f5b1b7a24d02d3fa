/**
 * A message of a Kafka topic, and what of its headers matters to intake: the same as a request's, so that a message is
 * judged as the body of a request would be. Kafka's binding of CloudEvents writes `ce_id` where HTTP writes `ce-id`, and
 * its values are plain UTF-8: a "%" in one is a "%".
 */
import type { IncomingHttpHeaders } from 'node:http';

export type TopicHeader = readonly [name: Buffer | null, value: Buffer | null];

export interface TopicMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestampMs: number;
  readonly key: Buffer | null;
  /** Null in a tombstone. */
  readonly value: Buffer | null;
  readonly headers: readonly TopicHeader[];
}

/** Headers of a request that mean what they mean there. */
const shared = new Set(['content-type', 'content-encoding']);
/** Needs no encoding, whatever reads it. */
const plain = /^[A-Za-z0-9._~:/+=-]*$/;

/** The last of several headers with one name counts. Without `content-type` a message is taken for JSON. */
export function requestHeaders({ headers }: TopicMessage): IncomingHttpHeaders {
  const result: IncomingHttpHeaders = { 'content-type': 'application/json' };
  for (const [key, value] of headers) {
    if (key === null || value === null) continue;
    const name = key.toString('latin1').toLowerCase();
    if (shared.has(name)) result[name] = value.toString('latin1');
    else if (name.startsWith('ce_')) result[`ce-${name.slice(3)}`] = encoded(value);
    else if (name === 'traceparent') result.traceparent = encoded(value);
  }
  return result;
}

/** The text that `binaryAttributes` decodes to exactly these bytes. */
function encoded(value: Buffer): string {
  const text = value.toString('latin1');
  if (plain.test(text)) return text;
  return text.replace(/[^A-Za-z0-9._~-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
