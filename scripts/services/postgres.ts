/**
 * PostgreSQL with logical decoding. It refuses to run as root and then runs as its package's user `postgres`, with its
 * files where that user gets to.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, existsSync, globSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Command, type Placement, type Service, ServiceError } from './service.ts';

type User = Pick<Command, 'user'>;

export function postgres({ dataDir, ports }: Placement): Service {
  const folder = openToAll(join(dataDir, 'postgres-1'));
  const port = ports.postgres;
  return {
    name: 'postgres',
    servers: [
      {
        name: 'postgres-1',
        folder,
        port,
        readyLine: /ready to accept connections/,
        // Its fast shutdown; SIGTERM would wait for every client to leave.
        stopSignal: 'SIGINT',
        async prepare(): Promise<Command> {
          const program = findPostgres();
          const user = packageUser(folder);
          layOutOnce(program, join(folder, 'data'), user);
          const settings = [
            'listen_addresses=127.0.0.1',
            `port=${port}`,
            'wal_level=logical',
            'unix_socket_directories=',
          ];
          return { program, args: ['-D', join(folder, 'data'), ...settings.flatMap((each) => ['-c', each])], ...user };
        },
      },
    ],
    variable: 'POSTGRES_URL',
    address: `postgres://postgres@127.0.0.1:${port}/postgres`,
  };
}

/** The folder, or, for root in a folder of its own that nobody else may enter, one of the same name for good in /tmp. */
function openToAll(folder: string): string {
  if (process.getuid?.() !== 0 || isOpen(dirname(folder))) return folder;
  return join(tmpdir(), `carillon-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`, 'postgres-1');
}

/** Others may go through it and all above it. Of what is not there yet, all may. */
function isOpen(folder: string): boolean {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0o001;
  return (mode & 0o001) !== 0 && (folder === dirname(folder) || isOpen(dirname(folder)));
}

function findPostgres(): string {
  const versions = globSync('/usr/lib/postgresql/*/bin/postgres').sort((a, b) => versionOf(b) - versionOf(a));
  const found = versions[0] ?? spawnSync('sh', ['-c', 'command -v postgres'], { encoding: 'utf8' }).stdout?.trim();
  if (!found) throw new ServiceError('There is no PostgreSQL. Install it (Debian: apt-get install postgresql).');
  return found;
}

const versionOf = (path: string): number => Number(/postgresql\/(\d+)/.exec(path)?.[1] ?? 0);

function packageUser(folder: string): User {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout || Number.NaN);
  const user = { uid: id('-u'), gid: id('-g') };
  if (Number.isNaN(user.uid)) throw new ServiceError('PostgreSQL refuses to run as root, and has no user `postgres`.');
  chownSync(folder, user.uid, user.gid);
  const { status } = spawnSync('test', ['-w', folder], { ...user });
  if (status !== 0) {
    throw new ServiceError(`The user \`postgres\` cannot reach ${folder}. Name an open folder in SERVICES_DIR.`);
  }
  return { user };
}

function layOutOnce(program: string, data: string, { user }: User): void {
  if (existsSync(join(data, 'PG_VERSION'))) return;
  const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  const { status, stderr } = spawnSync(join(dirname(program), 'initdb'), args, { encoding: 'utf8', ...user });
  if (status !== 0) throw new ServiceError(`PostgreSQL's folder could not be laid out.\n${stderr}`);
}
