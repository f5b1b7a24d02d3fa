/** Waiting for what must come, without guessing how long it takes. The deadline only ends tests that fail anyway. */
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../server/src/base/clock.ts';

const deadlineMs = 60_000;

/** Resolves as soon as `met` answers true. */
export async function eventually(met: () => boolean | Promise<boolean>): Promise<void> {
  const endAtMs = systemClock.monotonic() + deadlineMs;
  while (!(await met())) {
    if (systemClock.monotonic() > endAtMs) throw new Error(`never happened: ${met}`);
    await turn();
  }
}
