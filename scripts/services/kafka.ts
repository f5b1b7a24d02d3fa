/**
 * Apache Kafka in one process, or three that keep three copies of everything, of which two must have a record before it is
 * acknowledged. A broker does not sync each record: one that is killed loses nothing, a machine that fails needs the copies.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fetchJars, findJava } from './java.ts';
import { writeSettings } from './server-files.ts';
import { type Command, type Placement, type Server, type Service, ServiceError } from './service.ts';

const files = new URL('./kafka/', import.meta.url);
/** All brokers of a cluster have the same; any 16 bytes in base64 do. */
const clusterId = 'Q2FyaWxsb25TZXJ2aWNlcw';

export function kafka(placement: Placement): Service {
  const numbers = Array.from({ length: placement.brokers }, (_, index) => index + 1);
  return {
    name: 'kafka',
    servers: numbers.map((number) => broker(placement, number)),
    variable: 'KAFKA_BROKERS',
    address: numbers.map((number) => `127.0.0.1:${portOf(placement, number)}`).join(),
  };
}

/** Beside each broker's port lies that of its controller. */
const portOf = ({ ports }: Placement, number: number): number => ports.kafka + 10 * (number - 1);

function broker(placement: Placement, number: number): Server {
  const name = `kafka-${number}`;
  const folder = join(placement.dataDir, name);
  return {
    name,
    folder,
    port: portOf(placement, number),
    readyLine: /Kafka Server started/,
    stopSignal: 'SIGTERM',
    async prepare(): Promise<Command> {
      const java = findJava();
      const jars = await fetchJars(new URL('pom.xml', files), placement.cacheDir, 'kafka');
      const settings = writeSettings(
        folder,
        new URL('server.properties.in', files),
        settingsOf(placement, number, folder),
      );
      const log = `-Dlog4j2.configurationFile=${fileURLToPath(new URL('log4j2.yaml', files))}`;
      await formatOnce(java, ['-Xmx128m', '-cp', join(jars, '*'), log], settings, join(folder, 'data'));
      const memory = ['-Xms256m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:+ExitOnOutOfMemoryError'];
      return { program: java, args: [...memory, '-cp', join(jars, '*'), log, 'kafka.Kafka', settings] };
    },
  };
}

function settingsOf(placement: Placement, number: number, folder: string): Record<string, string | number> {
  const isAlone = placement.brokers === 1;
  const links = placement.kafkaLinks ?? [];
  const controllers = Array.from({ length: placement.brokers }, (_, index) => index + 1);
  return {
    ID: number,
    PORT: portOf(placement, number),
    CONTROLLER_PORT: portOf(placement, number) + 1,
    VOTERS: controllers.map((each) => `${each}@127.0.0.1:${portOf(placement, each) + 1}`).join(),
    DATA: join(folder, 'data'),
    COPIES: isAlone ? 1 : 3,
    COPIES_MIN: isAlone ? 1 : 2,
    LINK_LISTENERS: links.map(({ port }, index) => `,LINK${index}://127.0.0.1:${port}`).join(''),
    LINK_ADDRESSES: links.map(({ advertised }, index) => `,LINK${index}://127.0.0.1:${advertised}`).join(''),
    LINK_PROTOCOLS: links.map((_, index) => `,LINK${index}:PLAINTEXT`).join(''),
  };
}

async function formatOnce(java: string, options: string[], settings: string, data: string): Promise<void> {
  if (existsSync(join(data, 'meta.properties'))) return;
  const args = [...options, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', settings];
  try {
    await promisify(execFile)(java, args);
  } catch (error) {
    throw new ServiceError(`Kafka's folder could not be laid out.\n${(error as Error).message}`);
  }
}
