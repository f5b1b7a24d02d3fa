/** What a connection needs of the way its frames travel: WebSocket, Server-Sent Events, or one long poll (V30). */
import type { ServerFrame } from '@carillon/contract/stream.ts';
import type { Revision } from '../../base/ids.ts';

export type TransportKind = 'websocket' | 'sse' | 'poll';

/** A frame on its way out. Every `FeedFrame` is one, so that frames of the feed are passed on as they are. */
export interface OutFrame {
  readonly kind: ServerFrame['kind'];
  /** Where a client that has this frame resumes. A `hello` before a catch-up carries the client's own position. */
  readonly revision: Revision;
  /** JSON text in UTF-8 on one line; shared by all connections, never written to. */
  readonly json: Buffer;
}

/** Why a connection ends, as the client is told. */
export interface Bye {
  /** One of contract/close-codes.ts. */
  readonly code: number;
  /** A word, far below the 123 bytes that a close frame can hold. */
  readonly reason: string;
  readonly retryAfterMs?: number;
}

/** None of these throws or waits; what the peer does comes back as calls on the connection. */
export interface Transport {
  readonly kind: TransportKind;
  /** The first frames: `hello`, then what the client missed. */
  open(frames: readonly OutFrame[]): void;
  send(frame: OutFrame): void;
  /** Asks for a sign of life where the transport can, and keeps proxies from closing a quiet stream. */
  ping(): void;
  /** Bytes handed over that the operating system has not taken yet. */
  bufferedBytes(): number;
  /** Says `bye`, then closes in good order. The peer may take its time: see `terminate`. */
  close(bye: Bye): void;
  /** Ends at once, without a word. */
  terminate(): void;
}

export function outFrame(frame: ServerFrame, revision: Revision): OutFrame {
  return { kind: frame.kind, revision, json: Buffer.from(JSON.stringify(frame)) };
}

export function byeJson(bye: Bye): string {
  return JSON.stringify({ kind: 'bye', ...bye });
}
