/** Pushy's mock of Apple's push service, in a process of its own: fetched and compiled the first time, below `var`. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeCertificate, openssl } from '../../../scripts/make-certificate.ts';
import { fetchJars, findJava } from '../../../scripts/services/java.ts';
import { root } from '../../../scripts/setup.mjs';

const sources = new URL('../apns/', import.meta.url);
const cache = join(root, 'var/judges');

export const apnsNames = { topic: 'com.example.app', keyId: 'KEY1234567', teamId: 'TEAM123456' } as const;

/** What the server has seen since it was last asked, also before a restart. */
export interface ApnsStats {
  readonly accepted: number;
  readonly rejected: number;
  readonly devices: number;
  /** Pushes that the device with the most has got. */
  readonly mostForOne: number;
}

export class ApnsServer {
  readonly origin: string;
  /** To be trusted by the client, and the key that signs its tokens, both PEM. */
  readonly ca: string;
  readonly key: string;
  readonly #process: ChildProcess;
  readonly #lines: Lines;
  readonly #folder: string;

  private constructor(port: number, started: { process: ChildProcess; lines: Lines; folder: string }) {
    this.origin = `https://localhost:${port}`;
    this.#process = started.process;
    this.#lines = started.lines;
    this.#folder = started.folder;
    this.ca = readFileSync(join(started.folder, 'server.pem'), 'utf8');
    this.key = readFileSync(join(started.folder, 'apns.p8'), 'utf8');
  }

  /** `tokens`: each alone, or with the second since when it is gone behind a space. */
  static async start(tokens: readonly string[], streams = 100): Promise<ApnsServer> {
    execFileSync('bash', [join(root, 'scripts/need-java.sh')], { stdio: ['ignore', 'ignore', 'inherit'] });
    const java = findJava();
    const jars = await fetchJars(new URL('pom.xml', sources), cache, 'apns');
    const classes = compile(java, jars);
    const folder = mkdtempSync(join(tmpdir(), 'carillon-apns-'));
    makeKeys(folder);
    writeFileSync(join(folder, 'tokens.txt'), tokens.join('\n'));
    const { topic, keyId, teamId } = apnsNames;
    const args = [
      '-Xmx256m',
      '-cp',
      `${classes}:${join(jars, '*')}`,
      'MockApns',
      folder,
      topic,
      keyId,
      teamId,
      `${streams}`,
    ];
    const process = spawn(java, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = new Lines(createInterface({ input: process.stdout }));
    const port = Number(await lines.after('PORT '));
    return new ApnsServer(port, { process, lines, folder });
  }

  /** GOAWAY to all connections, then a new server on the same port. */
  async restart(): Promise<void> {
    this.#process.stdin?.write('restart\n');
    await this.#lines.after('RESTARTED');
  }

  async stats(): Promise<ApnsStats> {
    this.#process.stdin?.write('stats\n');
    const [accepted = 0, rejected = 0, devices = 0, mostForOne = 0] = (await this.#lines.after('STATS '))
      .split(' ')
      .map(Number);
    return { accepted, rejected, devices, mostForOne };
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.stdin?.end();
    await ended;
    rmSync(this.#folder, { recursive: true });
  }
}

/** Lines of a process, each taken once. */
class Lines {
  readonly #waiting: string[] = [];
  readonly #takers: ((line: string) => void)[] = [];

  constructor(lines: Interface) {
    lines.on('line', (line) => {
      const taker = this.#takers.shift();
      if (taker === undefined) this.#waiting.push(line);
      else taker(line);
    });
    lines.on('close', () => {
      for (const taker of this.#takers.splice(0)) taker('the server ended');
    });
  }

  async after(beginning: string): Promise<string> {
    const line = this.#waiting.shift() ?? (await new Promise<string>((resolve) => this.#takers.push(resolve)));
    if (!line.startsWith(beginning)) throw new Error(`expected ${beginning}, not: ${line}`);
    return line.slice(beginning.length);
  }
}

/** By a compiler among the jars, since a JRE has none. */
function compile(java: string, jars: string): string {
  const source = fileURLToPath(new URL('MockApns.java', sources));
  const edition = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 8);
  const folder = join(cache, `apns-classes-${edition}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  const compiler = 'org.eclipse.jdt.internal.compiler.batch.Main';
  execFileSync(
    java,
    ['-cp', join(jars, '*'), compiler, '-17', '-nowarn', '-cp', classPath(jars), '-d', partial, source],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (existsSync(folder)) rmSync(partial, { recursive: true });
  else renameSync(partial, folder);
  return folder;
}

/** The compiler knows no wildcards. */
function classPath(jars: string): string {
  return execFileSync('ls', [jars], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((name) => join(jars, name))
    .join(':');
}

function makeKeys(folder: string): void {
  makeCertificate(folder);
  openssl(folder, 'ecparam -name prime256v1 -genkey -noout -out apns-ec.key');
  openssl(folder, 'pkcs8 -topk8 -nocrypt -in apns-ec.key -out apns.p8');
  openssl(folder, 'ec -in apns-ec.key -pubout -out apns-pub.pem');
}
