/** A provider of the soak as its parent sees it: its process, orders to it and news of it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../crash/free-port.ts';
import type { ProviderNews, ProviderOrder, ProviderSettings } from './planned-provider.ts';
import { readSeen, type SeenSend } from './seen-send.ts';

export type ProviderName = 'push' | 'mail';

export class ProviderProcess {
  readonly port: number;
  readonly #seenFile: string;
  readonly #child: ChildProcess;
  #isStopping = false;
  #settled = 0;
  onGone: (endpoint: string) => void = () => {};

  private constructor(child: ChildProcess, { port, seenFile }: ProviderSettings) {
    this.port = port;
    this.#seenFile = seenFile;
    this.#child = child;
    child.on('message', (news: ProviderNews) => {
      if (news.kind === 'progress') this.#settled = news.settled;
      else if (news.kind === 'gone') this.onGone(news.endpoint);
    });
  }

  static async start(
    name: ProviderName,
    folder: string,
    options: Omit<ProviderSettings, 'port' | 'seenFile'>,
  ): Promise<ProviderProcess> {
    const settings = { ...options, port: await freePort(), seenFile: join(folder, `${name}-seen.ndjson`) };
    const settingsFile = join(folder, `${name}-settings.json`);
    writeFileSync(settingsFile, JSON.stringify(settings));
    const module = fileURLToPath(new URL(`planned-${name}-server.ts`, import.meta.url));
    const child = fork(module, [settingsFile], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(child, 'message');
    return new ProviderProcess(child, settings);
  }

  /** Deliveries that need not come again. Throws if the process has ended by itself. */
  get settled(): number {
    const { exitCode, signalCode } = this.#child;
    if (!this.#isStopping && (exitCode ?? signalCode) !== null)
      throw new Error('a provider of the soak has ended by itself');
    return this.#settled;
  }

  tell(order: ProviderOrder): void {
    this.#child.send(order);
  }

  /** Ends it; answers all that it saw. */
  async stop(): Promise<readonly SeenSend[]> {
    this.#isStopping = true;
    if (this.#child.exitCode === null) {
      const exit = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await exit;
    }
    return readSeen(this.#seenFile);
  }
}
