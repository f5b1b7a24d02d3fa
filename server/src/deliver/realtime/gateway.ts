/**
 * Holds the live streams of all transports (V30–V33). Each connection looks after itself (connection.ts); here is what
 * concerns them together: who may connect, one sweep for everything that comes due, presence, and the drain.
 *
 * One sweep a second instead of timers per socket: 15,000 idle sockets cost 15,000 comparisons a second.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { CloseReason } from '@carillon/contract/close-codes.ts';
import type { ServerFrame } from '@carillon/contract/stream.ts';
import type { Authenticator, UserPrincipal } from '../../auth/principal.ts';
import { CarillonError } from '../../base/carillon-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { PersonKey, Revision } from '../../base/ids.ts';
import type { Random } from '../../base/random.ts';
import { Connection, type ConnectionHost } from './connection.ts';
import { ConnectionRegistry, type PresenceOf } from './connection-registry.ts';
import { drainConnections } from './drain-connections.ts';
import type { LiveFeed } from './live-feed.ts';
import type { LookingNotes } from './looking-people.ts';
import { LookingWatch } from './looking-watch.ts';
import { PollTransport } from './poll-transport.ts';
import { SseTransport } from './sse-transport.ts';
import { checkOrigin, credentialOf, type StreamCredential, sinceOf } from './stream-credential.ts';
import type { StreamLimits } from './stream-limits.ts';
import type { StreamTickets } from './stream-tickets.ts';
import type { Transport, TransportKind } from './transport.ts';

/** Sessions whose tokens count no more although they have not expired. */
export interface SessionRevocations {
  isRevoked(principal: UserPrincipal): boolean;
  /** Calls `listener` with the `sessionKey` of each session revoked from now on; answers how to stop that. */
  onRevoked(listener: (session: string) => void): () => void;
}

export interface GatewayParts {
  readonly feed: LiveFeed;
  readonly authenticator: Authenticator;
  readonly revocations: SessionRevocations;
  readonly tickets: StreamTickets;
  readonly clock: Clock;
  readonly random: Random;
  /** As in the Origin header: `https://app.example`. The server's own origin is always allowed. */
  readonly allowedOrigins: readonly string[];
  readonly limits: StreamLimits;
  /** Hears who looks at the app. */
  readonly looking?: LookingNotes;
  /** Hears of each stream that is ended by us. Must not throw. */
  readonly onCut?: (reason: CloseReason) => void;
}

/** One long poll. */
export interface PollRequest {
  readonly query: URLSearchParams;
  readonly waitMs: number;
  /** Calls its argument if the client goes away while it waits. */
  readonly onGone: (listener: () => void) => void;
}

/** Who asks for a stream. `principal` is null where the client will send its token in the first frame. */
export interface Admission {
  readonly principal: UserPrincipal | null;
  readonly since: Revision | null;
}

export interface GatewayStats {
  readonly connections: Readonly<Record<TransportKind, number>>;
  /** Connections whose client is not known yet. */
  readonly unproven: number;
  readonly people: number;
  /** Frames written since the start, by kind. */
  readonly frames: Readonly<Record<ServerFrame['kind'], number>>;
  /** Streams taken on since the start. */
  readonly opened: number;
  /** Streams ended by us since the start, by reason. */
  readonly cut: Readonly<Partial<Record<CloseReason, number>>>;
}

export class Gateway {
  readonly #parts: GatewayParts;
  readonly #allowedOrigins: ReadonlySet<string>;
  readonly #registry = new ConnectionRegistry();
  readonly #watch: LookingWatch | null;
  readonly #host: ConnectionHost;
  /** Sessions revoked since the last sweep: however many they are, one pass finds their connections. */
  readonly #revoked = new Set<string>();
  readonly #stopListening: () => void;
  readonly #stopSweeping: () => void;
  readonly #connections: Record<TransportKind, number> = { websocket: 0, sse: 0, poll: 0 };
  readonly #frames: Record<ServerFrame['kind'], number> = {
    hello: 0,
    changes: 0,
    marks: 0,
    resync: 0,
    ping: 0,
    bye: 0,
  };
  readonly #cut: Partial<Record<CloseReason, number>> = {};
  #unproven = 0;
  #opened = 0;
  #draining = false;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.#allowedOrigins = new Set(parts.allowedOrigins);
    this.#watch = parts.looking === undefined ? null : new LookingWatch(this.#registry, parts.looking);
    this.#host = this.#makeHost();
    this.#stopListening = parts.revocations.onRevoked((session) => this.#revoked.add(session));
    this.#stopSweeping = parts.clock.every(parts.limits.sweepMs, () => this.#sweep());
  }

  get limits(): StreamLimits {
    return this.#parts.limits;
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  /**
   * Decides on a request for a stream, before anything is upgraded or streamed. With `firstFrame` it may come without
   * credentials: the transport can take them later. Throws CARILLON_DRAINING, _OVERLOADED, _AUTH_REQUIRED,
   * _AUTH_INVALID, _AUTH_FORBIDDEN or _REQUEST_INVALID.
   */
  async admit(headers: IncomingHttpHeaders, query: URLSearchParams, firstFrame: boolean): Promise<Admission> {
    this.#refuseWhenDraining();
    checkOrigin(headers, this.#allowedOrigins);
    const credential = credentialOf(headers, query);
    const since = sinceOf(headers, query);
    if (credential.kind !== 'none') {
      const principal = await this.#prove(credential);
      this.#refuseWhenDraining();
      return { principal, since };
    }
    // A cookie without an Origin: some page's doing, in a browser that does not say whose (BC-67 b).
    const dubious = headers.cookie !== undefined && headers.origin === undefined;
    if (!firstFrame || dubious)
      throw new CarillonError('CARILLON_AUTH_REQUIRED', 'A stream needs a token or a ticket.');
    if (this.#unproven >= this.limits.unprovenConnectionsMax) {
      throw new CarillonError('CARILLON_OVERLOADED', 'Too many streams wait for a token.', { retryAfterSeconds: 5 });
    }
    return { principal: null, since };
  }

  /**
   * Takes on a client whose transport is up. `attach` ties the transport to its connection, before the first frame can
   * go out.
   */
  accept(transport: Transport, admission: Admission, attach: (connection: Connection) => void): Connection {
    const connection = new Connection(this.#host, transport, admission.since);
    this.#registry.all.add(connection);
    this.#connections[transport.kind]++;
    this.#unproven++;
    this.#opened++;
    attach(connection);
    if (this.#draining) connection.cut('draining', this.#retryAfterMs());
    else if (admission.principal !== null) connection.start(admission.principal);
    return connection;
  }

  /** Server-Sent Events: the body of the answer, to be sent with `sseHeaders`. Throws as `admit` does. */
  async openEvents(headers: IncomingHttpHeaders, query: URLSearchParams): Promise<Readable> {
    const admission = await this.admit(headers, query, false);
    const transport = new SseTransport(admission.since, this.limits.reconnectAfterMs);
    this.accept(transport, admission, (connection) => {
      transport.connection = connection;
    });
    return transport.body;
  }

  /** One long poll: the JSON of one frame, after `waitMs` at the latest. Throws as `admit` does, also when it is cut. */
  async poll(headers: IncomingHttpHeaders, { query, waitMs, onGone }: PollRequest): Promise<Buffer> {
    const admission = await this.admit(headers, query, false);
    const marksVersion = query.get('marksVersion');
    const transport = new PollTransport(admission.since, marksVersion === null ? null : Number(marksVersion));
    const stopWaiting = this.clock.after(Math.min(waitMs, this.limits.pollWaitMsMax), () => transport.expire());
    this.accept(transport, admission, (connection) => {
      transport.connection = connection;
    });
    onGone(() => transport.gone());
    return await transport.answer.finally(stopWaiting);
  }

  presence(person: PersonKey): PresenceOf {
    return this.#registry.presence(person);
  }

  stats(): GatewayStats {
    return {
      connections: { ...this.#connections },
      unproven: this.#unproven,
      people: this.#registry.people,
      frames: { ...this.#frames },
      opened: this.#opened,
      cut: { ...this.#cut },
    };
  }

  /**
   * Takes no more streams, and closes the open ones in waves over half of `deadlineMs`, each with its own moment to
   * come back. Resolves when all are gone, at the latest after `deadlineMs`: whoever has not answered by then is
   * dropped. The gateway is of no use afterwards.
   */
  async drain(deadlineMs: number): Promise<void> {
    this.#draining = true;
    await drainConnections(this.#registry.all, {
      deadlineMs,
      clock: this.clock,
      close: (connection) => connection.cut('draining', this.#retryAfterMs()),
    });
    this.#stopSweeping();
    this.#stopListening();
  }

  async #prove(credential: Exclude<StreamCredential, { kind: 'none' }>): Promise<UserPrincipal> {
    const { authenticator, tickets, revocations, clock } = this.#parts;
    const principal =
      credential.kind === 'token'
        ? await authenticator.authenticate(credential.token)
        : await tickets.redeem(credential.ticket);
    if (principal === null) throw new CarillonError('CARILLON_AUTH_INVALID', 'The ticket is not valid.');
    if (principal.kind !== 'user') {
      throw new CarillonError('CARILLON_AUTH_FORBIDDEN', 'Only people have streams.');
    }
    if (revocations.isRevoked(principal) || principal.expiresAtMs <= clock.now()) {
      throw new CarillonError('CARILLON_AUTH_INVALID', 'The token is not valid.');
    }
    return principal;
  }

  #refuseWhenDraining(): void {
    if (!this.#draining) return;
    const retryAfterSeconds = Math.ceil(this.#retryAfterMs() / 1000);
    throw new CarillonError('CARILLON_DRAINING', 'The service is stopping.', { retryAfterSeconds });
  }

  /** Everything that is due for any connection. A cut connection leaves the set only later, so iterating is safe. */
  #sweep(): void {
    const nowMs = this.clock.now();
    const monotonicMs = this.clock.monotonic();
    for (const connection of this.#registry.all) {
      if (connection.state !== 'closing') {
        if (connection.session !== null && this.#revoked.has(connection.session)) connection.cut('tokenRevoked');
        else if (connection.expiresAtMs <= nowMs) connection.cut('tokenExpired');
      }
      if (connection.dueAtMs <= monotonicMs) this.#due(connection, monotonicMs);
    }
    this.#revoked.clear();
  }

  #due(connection: Connection, monotonicMs: number): void {
    if (connection.state === 'closing') {
      connection.transport.terminate();
    } else if (connection.state === 'opening' || connection.state === 'authenticating') {
      connection.cut('tokenMissing');
    } else if (connection.state === 'starting') {
      // The inbox could not be read in half a heartbeat: better that the client comes back than that it waits unserved.
      connection.cut('unavailable');
    } else if (connection.heardSincePing) {
      connection.heardSincePing = false;
      // The sweep may be late by its own period; proxies count to the heartbeat exactly.
      connection.dueAtMs = monotonicMs + this.limits.heartbeatMs - this.limits.sweepMs;
      this.#frames.ping++;
      connection.transport.ping();
    } else {
      connection.cut('heartbeatMissed');
    }
  }

  /** BC-43: none comes back before the base, and all together spread out evenly. */
  #retryAfterMs(): number {
    return this.limits.reconnectAfterMs + this.#parts.random.below(this.limits.reconnectSpreadMs);
  }

  #makeHost(): ConnectionHost {
    const { clock, feed, limits, random } = this.#parts;
    const halfBeatMs = Math.floor((limits.heartbeatMs - limits.sweepMs) / 2);
    return {
      clock,
      feed,
      limits,
      prove: (token) => this.#prove({ kind: 'token', token }),
      joined: (connection) => {
        this.#unproven--;
        this.#registry.join(connection, limits.connectionsPerPersonMax)?.cut('notAllowed');
        if (connection.person !== null && connection.visible) this.#watch?.look(connection.person);
      },
      left: (connection) => {
        if (connection.person === null) this.#unproven--;
        this.#registry.leave(connection);
        if (connection.person !== null) this.#watch?.look(connection.person);
      },
      showedOrHid: (person) => this.#watch?.look(person),
      ended: (connection) => {
        this.#registry.all.delete(connection);
        this.#connections[connection.transport.kind]--;
      },
      firstBeatMs: () => halfBeatMs + random.below(halfBeatMs),
      sent: (kind) => {
        this.#frames[kind]++;
      },
      cutFor: (reason) => {
        this.#frames.bye++;
        this.#cut[reason] = (this.#cut[reason] ?? 0) + 1;
        this.#parts.onCut?.(reason);
      },
    };
  }
}
