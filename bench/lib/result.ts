/** What a bench hands to the report. */
import type { Footprint } from './capacity.ts';
import type { CpuPer } from './process-cpu.ts';
import type { ServerOptions } from './server-process.ts';

export interface Goal {
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** The same work without us, measured in the same run. */
export interface Limit {
  readonly label: string;
  readonly values: readonly number[];
}

export interface Figure {
  readonly label: string;
  readonly unit: string;
  /** One per round. */
  readonly values: readonly number[];
  readonly goal?: Goal;
  readonly limit?: Limit;
  /** Server CPU per unit of work, in microseconds, by thread. */
  readonly cpu?: CpuPer;
  readonly note?: string;
}

export interface BenchResult {
  readonly bench: string;
  readonly title: string;
  /** What is measured and how, for the page. */
  readonly how: string;
  readonly quick: boolean;
  readonly date: string;
  readonly machine: string;
  readonly commit: string;
  readonly figures: readonly Figure[];
  readonly notes: readonly string[];
  /** Of the cluster: what the page computes capacity from. */
  readonly footprint?: Footprint;
}

export interface BenchContext {
  readonly quick: boolean;
  /** Rows in the pipeline's store before it is measured. */
  readonly storeRows: number;
  readonly traceFile: string;
  /** The server under test. */
  readonly server: ServerOptions;
  /** The `main.ts` of an older checkout to compare with; null: none. */
  readonly before: string | null;
  /** One line of progress for the terminal. */
  readonly say: (line: string) => void;
}

export interface Bench {
  readonly name: string;
  readonly title: string;
  readonly how: string;
  run(context: BenchContext): Promise<Pick<BenchResult, 'figures' | 'notes' | 'footprint'>>;
}

/** `met`, or by how much a goal is missed. */
export function verdict(value: number, goal: Goal): string {
  if (goal.atLeast !== undefined && value < goal.atLeast) return `missed by ${percent(1 - value / goal.atLeast)}`;
  if (goal.atMost !== undefined && value > goal.atMost) return `missed by ${percent(value / goal.atMost - 1)}`;
  return 'met';
}

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
