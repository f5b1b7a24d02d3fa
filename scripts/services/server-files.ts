/** The files of a server's folder: settings filled in from a template, and the pid file that tells whether it runs. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Server } from './service.ts';

/** Writes the template `name.in` as `name` into the server's folder, every `@WORD@` replaced. Answers its path. */
export function writeSettings(folder: string, template: URL, words: Readonly<Record<string, string | number>>): string {
  const text = readFileSync(template, 'utf8').replaceAll(/@([A-Z_]+)@/g, (whole, word: string) =>
    String(words[word] ?? whole),
  );
  const path = join(folder, basename(template.pathname, '.in'));
  writeFileSync(path, text);
  return path;
}

export const logPath = ({ folder }: Server): string => join(folder, 'server.log');

const pidPath = ({ folder }: Server): string => join(folder, 'server.pid');

/** Keeps the moment of its birth too: after a reboot the same number may be somebody else. */
export function writePid(server: Server, pid: number): void {
  writeFileSync(pidPath(server), `${pid} ${birthOf(pid)}\n`);
}

export function removePid(server: Server): void {
  rmSync(pidPath(server), { force: true });
}

/** The process of this server, or null if it does not run. */
export function runningPid(server: Server): number | null {
  let text: string;
  try {
    text = readFileSync(pidPath(server), 'utf8');
  } catch {
    return null;
  }
  const [pid, birth] = text.trim().split(' ');
  return birthOf(Number(pid)) === birth ? Number(pid) : null;
}

/**
 * When the process began, in ticks of the kernel; `gone` if there is none. One that was killed and not yet taken note of
 * by its parent counts as gone, though signals still reach it. Where there is no /proc, `unknown`.
 */
function birthOf(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone';
  }
  if (process.platform !== 'linux') return 'unknown';
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : (fields[19] as string);
  } catch {
    return 'gone';
  }
}
