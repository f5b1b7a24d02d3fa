/**
 * `npm run services -- start | stop | status [kafka] [cassandra] [redis] [postgres]`: real servers for tests, without
 * containers. Without a name it means all four. `start` leaves alone what runs already.
 *
 * Variables: KAFKA_PORT, CASSANDRA_PORT, REDIS_PORT, POSTGRES_PORT; KAFKA_BROKER_COUNT (1 or 3); SERVICES_DIR (data);
 * JAVA (a Java 17). Exit codes: 0 done, or all run · 1 a server failed or does not run · 2 wrong use.
 */
import { startServer, stopServer } from './run-server.ts';
import { runningPid } from './server-files.ts';
import { type Server, type Service, ServiceError, type ServiceName, serviceNames } from './service.ts';
import { createServices, placementFrom } from './service-list.ts';

const actions: Readonly<Record<string, (services: readonly Service[]) => Promise<boolean>>> = { start, stop, status };

const [action, ...names] = process.argv.slice(2);
const run = actions[action ?? ''];
const unknown = names.filter((name) => !serviceNames.includes(name as ServiceName));
if (run === undefined || unknown.length > 0) {
  console.error(`Use: npm run services -- start | stop | status [${serviceNames.join('] [')}]`);
  process.exit(2);
}
try {
  const all = createServices(placementFrom(process.env));
  const chosen = names.length === 0 ? serviceNames : (names as ServiceName[]);
  process.exitCode = (await run(chosen.map((name) => all[name]))) ? 0 : 1;
} catch (error) {
  if (!(error instanceof ServiceError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** All at once, and each says for itself how it went. */
async function start(services: readonly Service[]): Promise<boolean> {
  const answers = services.map(async ({ servers, variable, address }) => {
    const began = performance.now();
    try {
      const fresh = await Promise.all(servers.map(startServer));
      const took = fresh.includes(true) ? `after ${Math.round(performance.now() - began)} ms` : 'as before';
      console.log(`${servers.map(({ name }) => name).join(', ')}: ready ${took}; ${variable}=${address}`);
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      console.error(error.message);
      return false;
    }
  });
  return (await Promise.all(answers)).every(Boolean);
}

async function stop(services: readonly Service[]): Promise<boolean> {
  const stopOne = async (server: Server): Promise<void> =>
    console.log(`${server.name}: ${(await stopServer(server)) ? 'stopped' : 'did not run'}`);
  await Promise.all(services.flatMap(({ servers }) => servers).map(stopOne));
  return true;
}

async function status(services: readonly Service[]): Promise<boolean> {
  const pids = services.flatMap(({ servers }) => servers).map((server) => ({ server, pid: runningPid(server) }));
  for (const { server, pid } of pids) {
    console.log(`${server.name}: ${pid === null ? 'does not run' : `runs as process ${pid} on port ${server.port}`}`);
  }
  return pids.every(({ pid }) => pid !== null);
}
