/**
 * Apache Cassandra as one node that syncs its commit log before it acknowledges, so that a kill loses nothing.
 * As root it would pin its whole memory (1.2 GB); without that right it takes 0.4 to 0.7 GB.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchJars, findJava } from './java.ts';
import { writeSettings } from './server-files.ts';
import type { Command, Placement, Server, Service } from './service.ts';

const files = new URL('./cassandra/', import.meta.url);
/** How far below the port for clients the two ports for other nodes lie. */
const storagePortBelow = 2042;

export function cassandra(placement: Placement): Service {
  const port = placement.ports.cassandra;
  return {
    name: 'cassandra',
    servers: [node(placement, port)],
    variable: 'CASSANDRA_CONTACT_POINTS',
    address: `127.0.0.1:${port}`,
  };
}

function node(placement: Placement, port: number): Server {
  const folder = join(placement.dataDir, 'cassandra-1');
  return {
    name: 'cassandra-1',
    folder,
    port,
    readyLine: /Starting listening for CQL clients/,
    stopSignal: 'SIGTERM',
    async prepare(): Promise<Command> {
      const java = findJava();
      const jars = await fetchJars(new URL('pom.xml', files), placement.cacheDir, 'cassandra');
      const settings = writeSettings(folder, new URL('cassandra.yaml.in', files), {
        PORT: port,
        STORAGE_PORT: port - storagePortBelow,
        STORAGE_TLS_PORT: port - storagePortBelow + 1,
        DATA: folder,
      });
      const [program, ...args] = [...withoutPinning(), java, ...javaArgs(jars, folder, settings)];
      return { program: program as string, args };
    },
  };
}

function javaArgs(jars: string, folder: string, settings: string): string[] {
  const path = (name: string): string => fileURLToPath(new URL(name, files));
  return [
    ...['-Xms512m', '-Xmx512m', '-Xss512k', '-XX:+UseParallelGC', '-XX:MaxDirectMemorySize=384m'],
    ...['-XX:+ExitOnOutOfMemoryError', '-XX:-UsePerfData', `@${path('java.options')}`],
    `-javaagent:${globSync(join(jars, 'jamm-*.jar'))[0]}`,
    ...['-cp', join(jars, '*'), `-Dlogback.configurationFile=${path('logback.xml')}`],
    ...[`-Dcassandra.config=file://${settings}`, `-Dcassandra.storagedir=${folder}`, `-Dcassandra.logdir=${folder}`],
    '-Dcassandra-foreground=yes',
    // A lone node has nobody to wait for.
    ...['-Dcassandra.skip_wait_for_gossip_to_settle=0', '-Dcassandra.ring_delay_ms=0'],
    '-Dcassandra.superuser_setup_delay_ms=0',
    'org.apache.cassandra.service.CassandraDaemon',
  ];
}

function withoutPinning(): string[] {
  if (process.getuid?.() !== 0 || spawnSync('setpriv', ['--version']).error !== undefined) return [];
  return ['setpriv', '--bounding-set', '-ipc_lock', '--inh-caps', '-ipc_lock'];
}
