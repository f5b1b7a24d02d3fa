/** The service as a process: started, listening to signals, stopped in time. Ends the process itself (see main.ts). */
import { type App, startApp } from './app.ts';
import { systemClock } from './base/clock.ts';
import type { Config } from './base/config-schema.ts';
import { limits } from './base/limits.ts';
import { createLog, type Log } from './base/log.ts';
import { systemRandom } from './base/random.ts';
import { releaseVersion } from './base/release-version.ts';
import { isZoneDataOld, zoneData } from './base/zone-data.ts';
import { CatalogueError } from './content/catalogue-problem.ts';

export async function runService(config: Config): Promise<void> {
  const log = createLog(config.logLevel, 'main');
  log.write('starting', { version: releaseVersion, mode: config.mode });
  if (isZoneDataOld()) log.write('zoneDataOld', { version: zoneData });
  let app: App;
  try {
    app = await startApp({ config, clock: systemClock, random: systemRandom, log });
  } catch (error) {
    log.write('startFailed', {}, error);
    console.error(`Carillon could not start: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(error instanceof CatalogueError ? 2 : 1);
  }
  if (config.mode === 'development') log.write('developmentMode');
  log.write('listening', { host: config.host, port: Number(new URL(app.url).port) });
  if (process.stdout.isTTY) console.log(`\n  Carillon is ready: ${app.url}/demo\n`);
  app.failed.catch((error: unknown) => {
    log.write('crashed', {}, error);
    process.exit(1);
  });
  if (process.platform !== 'win32') process.on('SIGHUP', () => void app.reloadCatalogue());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(app, log, signal));
}

async function stop(app: App, log: Log, signal: string): Promise<void> {
  log.write('stopping', { signal });
  const cancel = systemClock.after(limits.stopMs, () => {
    log.write('stopTooSlow');
    process.exit(1);
  });
  // Asked twice, it does not wait: the log has everything that was acknowledged.
  process.once(signal, () => process.exit(1));
  try {
    await app.stop();
  } catch (error) {
    log.write('crashed', {}, error);
    process.exit(1);
  }
  cancel();
  log.write('stopped');
  process.exit(0);
}
