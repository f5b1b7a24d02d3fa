/** Hashes: SHA-256 where an id must not be guessed or collide, a fast 53-bit one for tables that confirm a hit. */
import { hash } from 'node:crypto';

/** SHA-256 over the parts, as `length` base64url characters. */
export function digest(parts: readonly string[], length: number): string {
  return hash('sha256', joinParts(parts), 'base64url').slice(0, length);
}

/** One text of many, unambiguous: each has its length before it. */
export function joinParts(parts: readonly string[]): string {
  return parts.map((part) => `${part.length}:${part}`).join('');
}

/**
 * A 53-bit hash of bytes, as an integer that a double holds exactly. Never 0, so that 0 can mean "empty" in a table.
 * Not for security: whoever finds a match must compare the real thing.
 */
export function fingerprint(bytes: Uint8Array, start: number, end: number, seed = 0): number {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    a = Math.imul(a ^ byte, 2654435761);
    b = Math.imul(b ^ byte, 1597334677);
  }
  return mix(a, b);
}

/** The same for a string's UTF-16 units. */
export function fingerprintOf(text: string, seed = 0): number {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  return mix(a, b);
}

function mix(first: number, second: number): number {
  let a = Math.imul(first ^ (first >>> 16), 2246822507);
  a ^= Math.imul(second ^ (second >>> 13), 3266489909);
  let b = Math.imul(second ^ (second >>> 16), 2246822507);
  b ^= Math.imul(a ^ (a >>> 13), 3266489909);
  const value = 4294967296 * (2097151 & b) + (a >>> 0);
  return value === 0 ? 1 : value;
}

/**
 * The shard a person belongs to: murmur2 of the key's UTF-8 bytes, as Kafka's own clients choose a partition by key, so
 * that a record's shard and its partition are the same number whoever writes it.
 */
export function shardOf(person: string, shards: number): number {
  return shards === 1 ? 0 : (murmur2(person) & 0x7fffffff) % shards;
}

const murmurFactor = 0x5bd1e995;

/** Kafka's murmur2 (32 bit, signed) of a text's UTF-8 bytes. */
export function murmur2(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7f) return murmur2Of(Buffer.from(text));
  }
  if (text.length > asciiBytes.length) return murmur2Of(Buffer.from(text));
  return murmur2Of(asciiBytes.subarray(0, asciiBytes.write(text, 0, 'latin1')));
}

/** For the usual key, so that hashing it allocates no bytes. */
const asciiBytes = Buffer.alloc(512);

function murmur2Of(bytes: Buffer): number {
  let hash = 0x9747b28c ^ bytes.length;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), murmurFactor);
    word = Math.imul(word ^ (word >>> 24), murmurFactor);
    hash = Math.imul(hash, murmurFactor) ^ word;
  }
  for (let at = bytes.length - 1; at >= whole; at--) hash ^= (bytes[at] as number) << (8 * (at - whole));
  if (bytes.length > whole) hash = Math.imul(hash, murmurFactor);
  hash = Math.imul(hash ^ (hash >>> 13), murmurFactor);
  return hash ^ (hash >>> 15);
}
