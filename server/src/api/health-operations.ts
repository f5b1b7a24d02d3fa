/** What probes and scrapers ask (M1, M4). */
import type { Readiness } from '../ops/readiness.ts';
import { checkLive } from './check-live.ts';
import { checkReady } from './check-ready.ts';
import { getMetrics } from './get-metrics.ts';
import type { Operation } from './operation.ts';

/** `renderMetrics` answers the Prometheus text. */
export function healthOperations(readiness: Readiness, renderMetrics: () => string | Promise<string>): Operation[] {
  return [checkLive(), checkReady(readiness), getMetrics(renderMetrics)];
}
