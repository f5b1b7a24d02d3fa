/**
 * CPU time of a process and all its children from /proc, split by thread name; only the system's own counters survive
 * a load generator on the same machine. On systems without /proc everything reads 0 and the report says so.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

export const cpuIsReadable = existsSync('/proc/self/task');

export interface CpuReading {
  /** Seconds of user and system time of the whole tree, reaped children among it. */
  readonly seconds: number;
  /** The same by thread: Node's main thread is `main`, others by the name they gave themselves, numbered threads joined. */
  readonly threads: Readonly<Record<string, number>>;
}

export function readCpu(rootPids: readonly number[]): CpuReading {
  const threads: Record<string, number> = {};
  let seconds = 0;
  for (const pid of rootPids.flatMap((root) => [root, ...descendants(root)])) {
    const stat = fields(`/proc/${pid}/stat`);
    if (stat === null) continue;
    const own = cpuSeconds(stat, 11);
    seconds += own + cpuSeconds(stat, 13);
    for (const tid of list(`/proc/${pid}/task`)) {
      const task = fields(`/proc/${pid}/task/${tid}/stat`);
      if (task === null) continue;
      const name = threadName(pid, tid);
      threads[name] = (threads[name] ?? 0) + cpuSeconds(task, 11);
    }
  }
  return { seconds, threads };
}

/** Microseconds per `count` between two readings, in all and by thread (those above 0.05). */
export function cpuPer(before: CpuReading, after: CpuReading, count: number): CpuPer {
  const us = (seconds: number): number => Math.round((seconds * 1e7) / Math.max(1, count)) / 10;
  const threads = Object.entries(after.threads)
    .map(([name, seconds]) => [name, us(seconds - (before.threads[name] ?? 0))] as const)
    .filter(([, each]) => each > 0.05)
    .toSorted((a, b) => b[1] - a[1]);
  return { totalUs: us(after.seconds - before.seconds), threads: Object.fromEntries(threads) };
}

export interface CpuPer {
  readonly totalUs: number;
  readonly threads: Readonly<Record<string, number>>;
}

/** Busy seconds of all cores since boot. */
export function machineBusySeconds(): number {
  if (!cpuIsReadable) return 0;
  const cpu = readFileSync('/proc/stat', 'utf8').split('\n', 1).join('').split(/\s+/).map(Number);
  return [1, 2, 3, 6, 7, 8].reduce((sum, i) => sum + (cpu[i] ?? 0), 0) / ticksPerSecond;
}

/** Resident bytes of the tree, and how many descriptors its root holds. */
export function residentBytes(rootPid: number): number {
  return [rootPid, ...descendants(rootPid)].reduce((sum, pid) => {
    const status = text(`/proc/${pid}/status`);
    return sum + Number(/VmRSS:\s+(\d+) kB/.exec(status ?? '')?.[1] ?? 0) * 1024;
  }, 0);
}

function descendants(root: number): number[] {
  const parents = list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(fields(`/proc/${name}/stat`)?.[1] ?? 0)] as const);
  const found: number[] = [];
  const grow = (parent: number): void => {
    for (const [pid, ppid] of parents) {
      if (ppid !== parent) continue;
      found.push(pid);
      grow(pid);
    }
  };
  grow(root);
  return found;
}

/** The fields after the command's name, which may itself hold spaces: index 0 is the state, 1 the parent. */
function fields(path: string): string[] | null {
  return text(path)?.split(') ').pop()?.split(' ') ?? null;
}

const cpuSeconds = (stat: string[], at: number): number =>
  (Number(stat[at] ?? 0) + Number(stat[at + 1] ?? 0)) / ticksPerSecond;

/** A main thread has its program's name: `main` for Node, its own for the peers' programs. */
function threadName(pid: number, tid: string): string {
  const name = (text(`/proc/${pid}/task/${tid}/comm`) ?? 'other').trim().replace(/[-_]?\d+$/, '');
  if (tid === String(pid) && /^(node|MainThread)/.test(name)) return 'main';
  return name.replace(/^node-/, '');
}

function text(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // the process has ended meanwhile
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
