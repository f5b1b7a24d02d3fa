/** What is counted and told of deliveries as they are made, on either engine (M1, M3). */
import { lanes } from '@carillon/contract/lanes.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { LogEvent } from '../base/log-events.ts';
import type { LabelsOf } from '../base/metric-list.ts';
import { NowAndThen } from '../base/now-and-then.ts';
import { series, telemetry } from '../base/telemetry.ts';
import type { OutwardName } from '../deliver/delivery.ts';
import type { DeliveryListener } from '../deliver/delivery-listener.ts';
import type { Gates } from '../deliver/gates.ts';
import type { Problem } from './shard-reports.ts';

type Provider = LabelsOf<'carillon_delivery_attempts_total'>['provider'];
type State = LabelsOf<'carillon_deliveries_total'>['state'];

export class DeliveryReports implements DeliveryListener {
  readonly #onProblem: (problem: Problem) => void;
  readonly #waits: NowAndThen;

  constructor(clock: Clock, onProblem: (problem: Problem) => void) {
    this.#onProblem = onProblem;
    this.#waits = new NowAndThen(clock, limits.refusalToldMs);
  }

  attempted({ provider, outcome, tookMs }: Parameters<DeliveryListener['attempted']>[0]): void {
    const by = provider as Provider;
    telemetry.add(series('carillon_delivery_attempts_total', { provider: by, outcome }));
    telemetry.observe(series('carillon_delivery_call_seconds', { provider: by }), tookMs / 1000);
  }

  ended({ channel, state, sinceMs }: Parameters<DeliveryListener['ended']>[0]): void {
    telemetry.add(series('carillon_deliveries_total', { channel, state: state as State }));
    if (state === 'accepted') {
      telemetry.observe(series('carillon_delivery_accepted_seconds', { channel }), Math.max(0, sinceMs) / 1000);
    }
  }

  putOff(channel: OutwardName): void {
    telemetry.add(series('carillon_deliveries_put_off_total', { channel }));
  }

  overQuota(channel: OutwardName, count: number): void {
    telemetry.add(series('carillon_deliveries_over_quota_total', { channel }), count);
  }

  unusable({ shard, bytes }: Parameters<DeliveryListener['unusable']>[0]): void {
    telemetry.add(series('carillon_records_unusable_total', {}));
    this.#onProblem({ event: 'recordUnusable', fields: { shard, bytes: bytes.length, reason: 'unreadable' } });
  }

  /** Told now and then: it is tried several times a second. */
  failed(channel: OutwardName, error: unknown): void {
    telemetry.add(series('carillon_delivery_failures_total', { channel, kind: 'retried' }));
    if (this.#waits.isDue(channel)) this.#tell('deliveryWaits', error);
  }

  unplannable(channel: OutwardName, error: unknown): void {
    telemetry.add(series('carillon_delivery_failures_total', { channel, kind: 'unplannable' }));
    this.#tell('deliveryUnplannable', error);
  }

  trimFailed(error: unknown): void {
    this.#tell('deliveryTrimFailed', error);
  }

  /** By lane, in the order of lanes. */
  noteLag(channel: OutwardName, bytes: readonly number[]): void {
    for (const [index, lane] of lanes.entries()) {
      telemetry.set(series('carillon_delivery_lag_bytes', { channel, lane }), bytes[index] ?? 0);
    }
  }

  noteCircuits(circuits: Gates['circuits']): void {
    for (const [provider, { closed, open, probing }] of circuits) {
      const by = provider as Provider;
      telemetry.set(series('carillon_delivery_circuits', { provider: by, state: 'closed' }), closed);
      telemetry.set(series('carillon_delivery_circuits', { provider: by, state: 'open' }), open);
      telemetry.set(series('carillon_delivery_circuits', { provider: by, state: 'probing' }), probing);
    }
  }

  #tell(event: LogEvent, error: unknown): void {
    const code = (error as { code?: unknown } | null)?.code;
    this.#onProblem({ event, fields: { code: typeof code === 'string' ? code : 'unknown' }, error });
  }
}
