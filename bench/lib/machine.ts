/** The machine line printed with every figure: a figure without its machine says nothing. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';

export function machineLine(dataFolder: string): string {
  const cpus = os.cpus();
  const memory = `${Math.round(os.totalmem() / 2 ** 30)} GiB`;
  return [
    `${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown CPU'}`,
    memory,
    `${os.type()} ${os.release()}`,
    fileSystemOf(dataFolder),
    `Node ${process.versions.node}`,
  ].join(', ');
}

export function commitId(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}

function fileSystemOf(folder: string): string {
  let best: readonly [string, string] = ['', 'unknown file system'];
  try {
    for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
      const [, mount = '', kind = ''] = line.split(' ');
      if (folder.startsWith(mount) && mount.length > best[0].length) best = [mount, kind];
    }
  } catch {
    return os.platform();
  }
  return best[1];
}
