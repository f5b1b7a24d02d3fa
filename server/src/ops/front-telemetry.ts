/**
 * What the sockets' thread counts and logs: the outcome of every request and stream, never anything per event (M1, M3).
 * Its functions are handed to intake, HTTP server and gateway as their hooks.
 */
import { type CloseReason, closeCodes } from '@carillon/contract/close-codes.ts';
import type { ErrorCode } from '@carillon/contract/error-codes.ts';
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import { type LoopDelay, watchLoopDelay } from '../base/loop-delay.ts';
import { type Series, type Snapshot, series, type Telemetry, telemetry } from '../base/telemetry.ts';
import type { GatewayStats } from '../deliver/realtime/gateway.ts';
import type { EventOutcomes } from '../intake/event-results.ts';
import { StorageCheck } from './storage-check.ts';

export interface HttpAnswer {
  /** `POST /v1/events`: the pattern, never the URL. */
  readonly route: string;
  readonly status: number;
  readonly problem: ErrorCode | null;
  readonly elapsedMs: number;
}

export interface FrontTelemetryParts {
  readonly log: Log;
  readonly clock: Clock;
  /** Where to count; this thread's own unless a test says otherwise. */
  readonly telemetry?: Telemetry;
}

const places = {
  accepted: lanes.map((lane) => series('carillon_events_accepted_total', { lane })),
  duplicate: lanes.map((lane) => series('carillon_events_duplicate_total', { lane })),
  rejected: series('carillon_events_rejected_total', {}),
  requests: (['1xx', '2xx', '3xx', '4xx', '5xx'] as const).map((each) =>
    series('carillon_http_requests_total', { class: each }),
  ),
  requestSeconds: series('carillon_http_request_seconds', {}),
};

const refused: Partial<Record<ErrorCode, Series>> = {
  CARILLON_OVERLOADED: series('carillon_intake_refused_total', { reason: 'overloaded' }),
  CARILLON_RATE_LIMITED: series('carillon_intake_refused_total', { reason: 'rateLimited' }),
  CARILLON_STORAGE_FULL: series('carillon_intake_refused_total', { reason: 'storageFull' }),
  CARILLON_LOG_UNAVAILABLE: series('carillon_intake_refused_total', { reason: 'logUnavailable' }),
  CARILLON_DRAINING: series('carillon_intake_refused_total', { reason: 'draining' }),
};

const intakeRoute = 'POST /v1/events';

export class FrontTelemetry {
  /** For readiness: learns from the answers of intake. */
  readonly storage: StorageCheck;
  readonly #log: Log;
  readonly #telemetry: Telemetry;
  readonly #clock: Clock;
  readonly #loopDelay: LoopDelay;
  readonly #stops: (() => void)[] = [];

  constructor(parts: FrontTelemetryParts) {
    this.#log = parts.log;
    this.#clock = parts.clock;
    this.#telemetry = parts.telemetry ?? telemetry;
    this.storage = new StorageCheck(parts.clock);
    this.#loopDelay = watchLoopDelay(this.#telemetry, 'main');
    this.#stops.push(() => this.#loopDelay.stop());
  }

  /** A request of intake was answered with results. */
  readonly eventsTaken = ({ accepted, duplicates, rejected }: EventOutcomes): void => {
    let stored = 0;
    for (const lane of lanes.keys()) {
      this.#telemetry.add(places.accepted[lane] as Series, accepted[lane]);
      this.#telemetry.add(places.duplicate[lane] as Series, duplicates[lane]);
      stored += accepted[lane] as number;
    }
    this.#telemetry.add(places.rejected, rejected);
    if (stored > 0) this.storage.stored();
  };

  readonly httpAnswered = ({ route, status, problem, elapsedMs }: HttpAnswer): void => {
    this.#telemetry.add(places.requests[Math.floor(status / 100) - 1] as Series);
    this.#telemetry.observe(places.requestSeconds, elapsedMs / 1000);
    if (problem !== null && route === intakeRoute) this.#intakeRefused(problem);
    this.#log.write('requestAnswered', { operation: route, status, code: problem, tookMs: Math.round(elapsedMs) });
  };

  readonly streamCut = (reason: CloseReason): void => this.#log.write('streamCut', { reason });

  /** Logs when a lane begins to be refused. Looks once a period, so that a lane on the edge does not fill the log. */
  watchLanes(closedLanes: () => readonly Lane[]): void {
    let closedThen: readonly Lane[] = [];
    const cancel = this.#clock.every(limits.laneWatchMs, () => {
      const closed = closedLanes();
      for (const lane of closed) if (!closedThen.includes(lane)) this.#log.write('laneRefused', { lane });
      closedThen = closed;
    });
    this.#stops.push(cancel);
  }

  /** This thread's numbers, brought up to date. Null where no streams are held. */
  snapshot(gateway: GatewayStats | null): Snapshot {
    this.#loopDelay.read();
    if (gateway !== null) this.#noteStreams(gateway);
    return this.#telemetry.snapshot();
  }

  stop(): void {
    for (const stop of this.#stops.reverse()) stop();
  }

  #noteStreams({ connections, frames, cut }: GatewayStats): void {
    for (const [transport, place] of connectionPlaces) this.#telemetry.set(place, connections[transport]);
    for (const [kind, place] of framePlaces) this.#telemetry.set(place, frames[kind]);
    for (const [reason, place] of closePlaces) this.#telemetry.set(place, cut[reason] ?? 0);
  }

  #intakeRefused(problem: ErrorCode): void {
    const place = refused[problem];
    if (place !== undefined) this.#telemetry.add(place);
    if (problem === 'CARILLON_STORAGE_FULL') this.storage.refused();
  }
}

const connectionPlaces = (['websocket', 'sse', 'poll'] as const).map(
  (transport) => [transport, series('carillon_stream_connections', { transport })] as const,
);
const framePlaces = (['hello', 'changes', 'marks', 'resync', 'ping', 'bye'] as const).map(
  (kind) => [kind, series('carillon_stream_frames_total', { kind })] as const,
);
const closePlaces = (Object.keys(closeCodes) as CloseReason[]).map(
  (reason) => [reason, series('carillon_stream_closes_total', { reason })] as const,
);
