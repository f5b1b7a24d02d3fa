/** The loads the benches share: which lines of the trace, how many people listen. */
import { readFileSync } from 'node:fs';
import type { OpenOptions } from '../driver/driver.ts';
import type { BenchContext } from './result.ts';

/** So many lines have about 15,000 recipients, each with a socket of its own. */
const fullLines = 150_000;
const quickLines = 20_000;
const socketsWanted = 15_000;
/** Descriptors a server or driver needs beside its sockets. */
const otherDescriptors = 500;
export const socketsFull = Math.min(socketsWanted, descriptorsMax() - otherDescriptors);
const socketsQuick = 2_000;
export const postsInFlight = 16;

export type LoadPlan = Omit<OpenOptions, 'port' | 'streamPort'>;

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

/** The hard limit, to which Node raises itself at start; assumed ample where it cannot be read. */
function descriptorsMax(): number {
  try {
    const row = /Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'));
    return Number(row?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
