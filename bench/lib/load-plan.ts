/** The loads the benches share: which lines of the trace, how many people listen. */
import type { OpenOptions } from '../driver/driver.ts';
import type { BenchContext } from './result.ts';

/** So many lines have about 15,000 recipients, each with a socket of its own. */
const fullLines = 150_000;
const quickLines = 20_000;
export const socketsFull = 15_000;
const socketsQuick = 2_000;
export const postsInFlight = 16;

export type LoadPlan = Omit<OpenOptions, 'port'>;

export function loadPlan(context: BenchContext, skew: 'trace' | 'uniform'): LoadPlan {
  return {
    traceFile: context.traceFile,
    lines: context.quick ? quickLines : fullLines,
    skew,
    recipientsMax: context.quick ? socketsQuick : socketsFull,
    batch: 100,
    listen: true,
  };
}

export const duration = (context: BenchContext, fullMs: number, quickMs: number): number =>
  context.quick ? quickMs : fullMs;
