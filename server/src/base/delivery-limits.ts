/** Limits of deliveries by push and email (V1–V6): part of `limits`, which everybody reads. */
import { units } from './units.ts';

const { KiB, second, minute, hour, day } = units;

export const deliveryLimits = {
  /** Attempts to hand a delivery to a provider, waits for a throttled one aside; then it is a dead letter (V3). */
  deliveryAttemptsMax: 6,
  /** Before the first retry; each further one may take twice as long, up to the most. The wait is drawn from nothing to that. */
  deliveryRetry: { firstMs: 5 * second, mostMs: 15 * minute },
  /** A provider that asks for a longer pause than this is asked again after it. */
  deliveryPauseMaxMs: hour,
  /** Of a delivery that a provider slows down and says no time for. */
  deliveryThrottledMs: 5 * second,
  /** Of a delivery that we may not send at all: a key, a certificate, a policy of ours has to be mended. */
  deliveryBlockedMs: minute,
  /** Failures of a provider in a row after which it is not called for a while (V4). */
  circuitFailures: 10,
  /** How long not: at first, and at most, while each look finds it failing still. */
  circuitOpen: { firstMs: 2 * second, mostMs: minute },
  /** A look whose answer takes longer no longer keeps another from being made. */
  circuitProbeMs: 30 * second,
  /** Share of what a provider allows in a minute that may go at once: of a project; of a device, where a few come together. */
  quotaBurst: { project: 1 / 600, device: 1 / 4 },
  /** A project's rate after a rest, of the whole, and how long it takes to grow to that (V6). */
  quotaRamp: { from: 1 / 20, overMs: minute },
  /** What waits longer for its quota may be put off, where room is needed for what can go elsewhere. */
  quotaWaitMs: second,
  /** Token buckets in memory; each has been used within the time that it takes to fill. */
  quotaBucketsMax: 50_000,
  /** Deliveries of a worker that are planned and wait for room at their provider; above, it reads no more jobs. */
  deliveriesReadyMax: 500,
  /** Jobs read from the log at once. */
  deliveryPullBytesMax: 64 * KiB,
  /** Retries that a worker takes up at once. */
  deliveryRetriesPerTurn: 100,
  /** A retry that its worker has in hand comes again after this, should the worker die. */
  deliveryInHandMs: 2 * minute,
  /** Retries that a worker looks through at its start for those that one before it had in hand; others come a little later. */
  deliveriesTakenOverMax: 10_000,
  /** How long a stop waits for what providers have not answered yet; then its answer is not known (V4). */
  deliveryStopMs: 5 * second,
  /** Between two steps of a redrive from the command line, of a thousand each. */
  redriveEveryMs: second,
  /** How long is kept what became of a delivery. */
  deliveriesKeptMs: 30 * day,
  /** Jobs removed at once by retention; other work comes in between. */
  deliveriesExpireStep: 500,
  /** What was planned longer ago than this is looked at once more before it leaves (D11). */
  deliveryPlanFreshMs: 5 * second,
} as const;
