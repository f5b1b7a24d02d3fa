/**
 * One owner per data folder: a file `lock` names the process that holds it. Node has no flock, so a crash leaves the
 * file behind; it is taken over once its process is provably gone: no such pid, a zombie, or the pid given to another
 * process since (told by the kernel's start time, which also covers a container whose process is always pid 1).
 */
import fs from 'node:fs';
import path from 'node:path';
import { CarillonError } from '../../base/carillon-error.ts';

interface Holder {
  readonly pid: number;
  /** Boot and start tick of the process, where the system tells; else empty. */
  readonly born: string;
}

/** Folders this thread holds: all that tells our own lock from a stale one where the system gives no start time. */
const held = new Set<string>();

/** Takes the folder; answers how to release it. Throws when a living process, this one included, holds it. */
export function lockFolder(folder: string): () => void {
  const real = fs.realpathSync(folder);
  const file = path.join(real, 'lock');
  const mine: Holder = { pid: process.pid, born: bornOf(process.pid) ?? '' };
  const draft = `${file}.${process.pid}.${process.hrtime.bigint()}`;
  fs.writeFileSync(draft, JSON.stringify(mine));
  try {
    if (!tryLink(draft, file)) {
      removeStale(file, real, draft);
      if (!tryLink(draft, file)) throw lockedBy(real, read(file));
    }
  } finally {
    fs.rmSync(draft, { force: true });
  }
  held.add(real);
  return () => {
    if (held.delete(real)) fs.rmSync(file, { force: true });
  };
}

/** A hard link appears whole or not at all, so nobody reads a half-written lock. */
function tryLink(draft: string, file: string): boolean {
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a dead process's lock aside; puts it back if another opener was quicker and it is a living one's by now. */
function removeStale(file: string, folder: string, draft: string): void {
  const holder = read(file);
  if (holder !== null && isAlive(holder, folder)) throw lockedBy(folder, holder);
  const aside = `${draft}.stale`;
  try {
    fs.renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = read(aside);
  const wrong = moved !== null && isAlive(moved, folder);
  if (wrong) tryLink(aside, file);
  fs.rmSync(aside, { force: true });
  if (wrong) throw lockedBy(folder, moved);
}

function read(file: string): Holder | null {
  try {
    const holder = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<Holder>;
    return Number.isInteger(holder.pid) ? { pid: Number(holder.pid), born: String(holder.born ?? '') } : null;
  } catch {
    return null;
  }
}

function isAlive(holder: Holder, folder: string): boolean {
  if (holder.pid === process.pid && holder.born === '') return held.has(folder);
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it lives, under another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const born = bornOf(holder.pid);
  if (born === null) return false;
  return holder.born === '' || born === '' || born === holder.born;
}

/** Boot id and start tick of a process; null when it is gone or a zombie; empty where there is no /proc. */
function bornOf(pid: number): string | null {
  if (process.platform !== 'linux') return '';
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command, in brackets, may hold anything; state is the first field behind it, start time the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${fields[19]}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && fs.existsSync('/proc/self/stat') ? null : '';
  }
}

function lockedBy(folder: string, holder: Holder | null): CarillonError {
  const who = holder === null ? 'another process' : `process ${holder.pid}`;
  return new CarillonError(
    'CARILLON_INTERNAL',
    `The data folder ${folder} is in use by ${who}. Stop it first, or start with another folder.`,
  );
}
