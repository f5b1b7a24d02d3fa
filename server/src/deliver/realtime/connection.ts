/**
 * One client's stream, whatever its transport.
 *
 * It begins `opening`: nobody knows yet who it is. A client that brought its token with the request is proven already;
 * another must send an `auth` frame in time, and while its token is checked the connection is `authenticating`.
 * Once proven it is `starting`: its feed is open, and what it missed is being read. With `hello` and the catch-up it is
 * `live`, and every frame of the feed goes out as it comes. When we end it, it is told why (`bye`) and is `closing`
 * until the peer has gone; nothing but the bye is sent any more. When the peer has gone, it is `closed`, for good.
 */
import { type CloseReason, closeCodes } from '@carillon/contract/close-codes.ts';
import type { ServerFrame } from '@carillon/contract/stream.ts';
import type { UserPrincipal } from '../../auth/principal.ts';
import { sessionKey } from '../../auth/session-key.ts';
import { CarillonError } from '../../base/carillon-error.ts';
import type { Clock } from '../../base/clock.ts';
import { type PersonKey, personKey, type Revision } from '../../base/ids.ts';
import type { Catchup } from '../../inbox/inbox-service.ts';
import { parseClientFrame } from './client-frame.ts';
import type { FeedFrame, LiveFeed } from './live-feed.ts';
import type { StreamLimits } from './stream-limits.ts';
import { type OutFrame, outFrame, type Transport } from './transport.ts';

export type ConnectionState = 'opening' | 'authenticating' | 'starting' | 'live' | 'closing' | 'closed';
export type ConnectionEvent = 'tokenCame' | 'proven' | 'started' | 'cut' | 'ended';

const transitions: Record<ConnectionState, Partial<Record<ConnectionEvent, ConnectionState>>> = {
  opening: { tokenCame: 'authenticating', proven: 'starting', cut: 'closing', ended: 'closed' },
  authenticating: { proven: 'starting', cut: 'closing', ended: 'closed' },
  starting: { started: 'live', cut: 'closing', ended: 'closed' },
  live: { cut: 'closing', ended: 'closed' },
  closing: { ended: 'closed' },
  closed: {},
};

/** The next state, or null where the event means nothing any more. */
export function transition(state: ConnectionState, event: ConnectionEvent): ConnectionState | null {
  return transitions[state][event] ?? null;
}

/** What connections share. One object for all of them. */
export interface ConnectionHost {
  readonly clock: Clock;
  readonly feed: LiveFeed;
  readonly limits: StreamLimits;
  /** Proves a token that came in an `auth` frame. Throws CarillonError. */
  prove(token: string): Promise<UserPrincipal>;
  /** The connection is somebody's from now on. */
  joined(connection: Connection): void;
  /** It is nobody's any more; it may still be closing. */
  left(connection: Connection): void;
  /** It is closed. */
  ended(connection: Connection): void;
  /** From now until the first heartbeat: spread, so that clients that came together are not pinged together. */
  firstBeatMs(): number;
  /** The client of a person says whether it is visible. */
  showedOrHid(person: PersonKey): void;
  sent(kind: ServerFrame['kind']): void;
  cutFor(reason: CloseReason): void;
}

export class Connection {
  state: ConnectionState = 'opening';
  person: PersonKey | null = null;
  /** As `sessionKey` names it. */
  session: string | null = null;
  /** Wall-clock time when the token ends. */
  expiresAtMs = Number.POSITIVE_INFINITY;
  /** The client says it shows the inbox right now. */
  visible = false;
  lastSeenAtMs: number;
  /** Monotonic time of the next thing due: the auth frame's deadline, the next heartbeat, or the end of closing. */
  dueAtMs: number;
  /** Something was heard since the last heartbeat. */
  heardSincePing = true;
  readonly transport: Transport;
  /** Where the client resumes, as its request said. An `auth` frame may say it anew. */
  readonly since: Revision | null;
  readonly #host: ConnectionHost;
  #stopFeed: (() => void) | null = null;

  constructor(host: ConnectionHost, transport: Transport, since: Revision | null) {
    this.#host = host;
    this.transport = transport;
    this.since = since;
    this.lastSeenAtMs = host.clock.now();
    this.dueAtMs = host.clock.monotonic() + host.limits.authFrameMs;
  }

  /** Who it is, is known: opens the feed. */
  start(principal: UserPrincipal, since = this.since): void {
    if (!this.#move('proven')) return;
    this.person = personKey(principal.tenant, principal.user);
    this.session = sessionKey(principal);
    this.expiresAtMs = principal.expiresAtMs;
    this.dueAtMs = this.#host.clock.monotonic() + this.#host.firstBeatMs();
    this.#host.joined(this);
    const stop = this.#host.feed.open(
      this.person,
      since,
      (catchup) => this.#started(catchup, since),
      (frame) => this.#deliver(frame),
    );
    // A long poll may be answered, and so over, before `open` returns.
    if (this.state === 'starting' || this.state === 'live') this.#stopFeed = stop;
    else stop();
  }

  /** A message of the client; null stands for one that cannot be a frame (binary, or too large). */
  receive(bytes: Buffer | null): void {
    if (this.state === 'closing' || this.state === 'closed') return;
    this.heard();
    const frame = bytes === null ? null : parseClientFrame(bytes);
    // A page may say that it is visible before its token has been proven.
    const known = this.state !== 'opening';
    if (frame?.kind === 'auth') void this.#authenticate(frame.token, frame.since ?? this.since);
    else if (frame === null || !known) this.cut('protocolError');
    else if (frame.kind === 'visible') {
      this.visible = frame.visible;
      if (this.person !== null) this.#host.showedOrHid(this.person);
    }
  }

  /** The peer gave a sign of life. */
  heard(): void {
    this.heardSincePing = true;
    this.lastSeenAtMs = this.#host.clock.now();
  }

  /** Ends the stream from our side, and tells the client why. */
  cut(reason: CloseReason, retryAfterMs?: number): void {
    if (!this.#move('cut')) return;
    this.#leave();
    this.#host.cutFor(reason);
    this.dueAtMs = this.#host.clock.monotonic() + this.#host.limits.closeGraceMs;
    const bye = { code: closeCodes[reason], reason };
    this.transport.close(retryAfterMs === undefined ? bye : { ...bye, retryAfterMs });
  }

  /** The transport is gone, whoever ended it. */
  ended(): void {
    const alreadyLeft = this.state === 'closing';
    if (!this.#move('ended')) return;
    if (!alreadyLeft) this.#leave();
    this.#host.ended(this);
  }

  /**
   * In an open stream an `auth` frame renews the token, for the same person only: so a client with short-lived tokens
   * need not reconnect for each.
   */
  async #authenticate(token: string, since: Revision | null): Promise<void> {
    const renews = this.state === 'starting' || this.state === 'live';
    if (!renews && !this.#move('tokenCame')) {
      this.cut('protocolError');
      return;
    }
    try {
      const principal = await this.#host.prove(token);
      if (renews) this.#renew(principal);
      else this.start(principal, since);
    } catch (error) {
      this.cut(reasonOf(error));
    }
  }

  #renew(principal: UserPrincipal): void {
    if (personKey(principal.tenant, principal.user) !== this.person) {
      this.cut('notAllowed');
      return;
    }
    this.session = sessionKey(principal);
    this.expiresAtMs = principal.expiresAtMs;
  }

  #started(catchup: Catchup, since: Revision | null): void {
    if (!this.#move('started')) return;
    const { heartbeatMs } = this.#host.limits;
    const missed = catchup.frames.some((frame) => frame.kind !== 'marks');
    // Until it has what it missed, a client must not take the hello's revision as its position (BC-40).
    let position = missed && since !== null ? since : catchup.hello.revision;
    const frames: OutFrame[] = [outFrame({ ...catchup.hello, heartbeatMs }, position)];
    for (const frame of catchup.frames) {
      if (frame.kind === 'changes') position = frame.revision;
      else if (frame.kind === 'resync') position = catchup.hello.revision;
      frames.push(outFrame(frame, position));
    }
    for (const { kind } of frames) this.#host.sent(kind);
    this.transport.open(frames);
  }

  #deliver(frame: FeedFrame): void {
    if (this.state !== 'live') return;
    const waiting = this.transport.bufferedBytes();
    // One frame alone always goes, however large: else its reader could never get past it.
    if (waiting > 0 && waiting + frame.json.length > this.#host.limits.connectionBufferBytesMax) {
      this.cut('tooSlow');
      return;
    }
    this.#host.sent(frame.kind);
    this.transport.send(frame);
  }

  #leave(): void {
    this.#stopFeed?.();
    this.#stopFeed = null;
    this.#host.left(this);
  }

  #move(event: ConnectionEvent): boolean {
    const next = transition(this.state, event);
    if (next === null) return false;
    this.state = next;
    return true;
  }
}

/** How to close for a token that was not taken. An unexpected failure is ours: the client may try again. */
function reasonOf(error: unknown): CloseReason {
  if (!(error instanceof CarillonError)) return 'unavailable';
  if (error.code === 'CARILLON_AUTH_FORBIDDEN') return 'notAllowed';
  return error.status === 401 ? 'tokenExpired' : 'unavailable';
}
