/** How long this thread's event loop keeps others waiting: the first sign of a stall (M1). */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { series, type Telemetry } from './telemetry.ts';

export interface LoopDelay {
  /** Writes what was seen since the last reading into the gauges, and begins anew. */
  read(): void;
  stop(): void;
}

const nanoseconds = 1e9;
/** The monitor's own timer is part of what it measures. */
const resolutionMs = 20;

export function watchLoopDelay(telemetry: Telemetry, thread: 'main' | 'worker'): LoopDelay {
  const monitor = monitorEventLoopDelay({ resolution: resolutionMs });
  monitor.enable();
  const gauges = (['0.5', '0.99', '1'] as const).map((quantile) => ({
    place: series('carillon_loop_delay_seconds', { thread, quantile }),
    percentile: Number(quantile) * 100,
  }));
  return {
    read() {
      for (const { place, percentile } of gauges) {
        const delay = monitor.count === 0 ? 0 : monitor.percentile(percentile) / nanoseconds;
        telemetry.set(place, Math.max(0, delay - resolutionMs / 1000));
      }
      monitor.reset();
    },
    stop() {
      monitor.disable();
    },
  };
}
