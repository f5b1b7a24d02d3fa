/** Centrifugo with its memory engine: the bar for the gateway alone, for nothing is durable there. Built with Go once. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { centrifugoSecrets } from '../driver/target-centrifugo.ts';
import { onPath, type RunningPeer } from './peer-bullmq.ts';
import { readCpu } from './process-cpu.ts';
import { freePort } from './server-process.ts';
import { ServiceProcess } from './service-process.ts';

const module = 'github.com/centrifugal/centrifugo/v6@v6.9.1';
const programs = fileURLToPath(new URL('../../var/bin/', import.meta.url));
const program = path.join(programs, 'centrifugo');

export function missingForCentrifugo(): string[] {
  return existsSync(program) || onPath('go') ? [] : ['Go (to build Centrifugo)'];
}

export async function startCentrifugo(say: (line: string) => void): Promise<RunningPeer> {
  if (!existsSync(program)) {
    say(`building ${module} (a minute or two)`);
    mkdirSync(programs, { recursive: true });
    execFileSync('go', ['install', module], { env: { ...process.env, GOBIN: programs }, stdio: 'pipe' });
  }
  const data = mkdtempSync(path.join(os.tmpdir(), 'carillon-peer-'));
  const port = await freePort();
  const config = path.join(data, 'config.json');
  writeFileSync(config, JSON.stringify(configFor(port)));
  const service = await ServiceProcess.start('centrifugo', [program, '--config', config], port);
  return {
    port,
    cpu: () => readCpu([service.pid]),
    stop: async () => {
      await service.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

const configFor = (port: number): unknown => ({
  http_server: { address: '127.0.0.1', port: String(port) },
  client: { token: { hmac_secret_key: centrifugoSecrets.token } },
  http_api: { key: centrifugoSecrets.apiKey },
  log: { level: 'warn' },
});
