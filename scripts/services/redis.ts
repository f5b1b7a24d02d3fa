/** Redis with nothing on disk: what it holds are hints, and a start without them is a case that must work. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Command, type Placement, type Service, ServiceError } from './service.ts';

const programs = ['redis-server', 'valkey-server'];

export function redis({ dataDir, ports }: Placement): Service {
  const folder = join(dataDir, 'redis-1');
  const port = ports.redis;
  return {
    name: 'redis',
    servers: [
      {
        name: 'redis-1',
        folder,
        port,
        readyLine: /Ready to accept connections/,
        stopSignal: 'SIGTERM',
        async prepare(): Promise<Command> {
          const program = programs.find((name) => spawnSync(name, ['--version']).error === undefined);
          if (program === undefined) {
            throw new ServiceError('There is no Redis. Install it (Debian: apt-get install redis-server).');
          }
          const address = ['--bind', '127.0.0.1', '--port', String(port)];
          return { program, args: [...address, '--dir', folder, '--save', '', '--appendonly', 'no'] };
        },
      },
    ],
    variable: 'REDIS_URL',
    address: `redis://127.0.0.1:${port}`,
  };
}
