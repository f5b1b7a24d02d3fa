/** Java 17 and the jars that run on it. Cassandra 5.0 needs just this version: later ones have no security manager. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ServiceError } from './service.ts';

const copyJars = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';

/** Path of a Java 17. Throws ServiceError if there is none. */
export function findJava(): string {
  const { JAVA, JAVA_HOME } = process.env;
  const places = [JAVA, JAVA_HOME && join(JAVA_HOME, 'bin', 'java'), ...globSync('/usr/lib/jvm/*17*/bin/java'), 'java'];
  for (const place of places) if (place && isJava17(place)) return place;
  throw new ServiceError(
    'Kafka and Cassandra need Java 17. Install it (Debian: apt-get install openjdk-17-jre-headless), or name one in JAVA.',
  );
}

function isJava17(program: string): boolean {
  const { stderr } = spawnSync(program, ['-version'], { encoding: 'utf8' });
  return /version "17[."]/.test(stderr ?? '');
}

/** A folder with the jars of the project file and all they need, downloaded the first time. Rejects with ServiceError. */
export async function fetchJars(pom: URL, cacheDir: string, name: string): Promise<string> {
  const edition = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 8);
  const folder = join(cacheDir, `${name}-${edition}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  const args = [
    '-q',
    '-B',
    '-f',
    fileURLToPath(pom),
    copyJars,
    '-DincludeScope=runtime',
    `-DoutputDirectory=${partial}`,
  ];
  try {
    await promisify(execFile)('mvn', args, { maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    const { code, stdout, message } = error as NodeJS.ErrnoException & { stdout?: string };
    if (code === 'ENOENT') {
      throw new ServiceError('The jars are fetched by Maven. Install it (Debian: apt-get install maven).');
    }
    throw new ServiceError(`Maven could not fetch ${name}.\n${stdout?.trim().slice(-2000) || message}`);
  }
  // Another start may have been faster; one of the two is enough.
  if (existsSync(folder)) rmSync(partial, { recursive: true });
  else renameSync(partial, folder);
  return folder;
}
