/**
 * A real mail server, Postfix, with a configuration and queue of its own below var/: it takes mail on a free port of this
 * machine, with TLS, and hands everything on to one other server. Debian's package is enough; nothing of the system's own
 * Postfix is touched. It must be started as root, as Postfix demands.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../../../scripts/setup.mjs';
import { testCertificate } from '../../../server/src/deliver/email/feedback/test-certificate.ts';

export interface Postfix {
  readonly port: number;
  /** PEM of the authority that made its certificate, for the name `localhost`. */
  readonly ca: string;
  stop(): Promise<void>;
}

const daemons = '/usr/lib/postfix/sbin';

/** Replies of Postfix itself, by recipient. */
const replies = [
  '{ soft@people.example = 450 4.7.1 Greylisted, come again }',
  '{ gone@people.example = 550 5.1.1 User unknown }',
  '{ full@people.example = 452 4.2.2 Mailbox full }',
  '{ policy@people.example = 550 5.7.26 Not authenticated }',
  '{ closing@people.example = 421 4.3.2 Service closing }',
];

export async function startPostfix(sinkPort: number): Promise<Postfix> {
  if (process.getuid?.() !== 0) throw new Error('Postfix starts as root only: run the judges of mail as root');
  execFileSync('bash', [join(root, 'scripts/need-postfix.sh')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const folder = join(root, 'var/judges/postfix');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'etc'), { recursive: true });
  const { pem, privateKey } = testCertificate('localhost');
  writeFileSync(join(folder, 'etc/cert.pem'), pem);
  writeFileSync(join(folder, 'etc/key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  const port = await freePort();
  writeFileSync(join(folder, 'etc/main.cf'), mainConfig(folder, sinkPort));
  writeFileSync(join(folder, 'etc/master.cf'), masterConfig(port));
  makeQueue(folder);
  const master = spawn(join(daemons, 'master'), ['-c', join(folder, 'etc'), '-d'], { stdio: 'inherit' });
  await listening(port, master);
  return {
    port,
    ca: pem,
    async stop() {
      const ended = new Promise((resolve) => master.once('exit', resolve));
      if (master.exitCode === null && master.kill('SIGTERM')) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function mainConfig(folder: string, sinkPort: number): string {
  return `compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
command_directory = /usr/sbin
daemon_directory = ${daemons}
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1, [::1]
myhostname = mx.judge.example
mydestination =
mynetworks = 127.0.0.0/8 [::1]/128
alias_maps =
local_recipient_maps =
relayhost = [127.0.0.1]:${sinkPort}
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_recipient_restrictions = check_recipient_access inline:{${replies.join(', ')}}, permit_mynetworks, reject
smtpd_tls_security_level = may
smtpd_tls_cert_file = ${folder}/etc/cert.pem
smtpd_tls_key_file = ${folder}/etc/key.pem
smtp_tls_security_level = none
smtputf8_enable = no
`;
}

function masterConfig(port: number): string {
  const services = [
    `localhost:${port} inet n - n - - smtpd`,
    'pickup unix n - n 60 1 pickup',
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'smtp unix - - n - - smtp',
    'relay unix - - n - - smtp',
    'error unix - - n - - error',
    'retry unix - - n - - error',
    'anvil unix - - n - 1 anvil',
    'scache unix - - n - 1 scache',
    'proxymap unix - - n - - proxymap',
  ];
  return `${services.join('\n')}\n`;
}

/** Directories as Postfix wants to find them. */
function makeQueue(folder: string): void {
  const owned = [
    'active',
    'bounce',
    'corrupt',
    'defer',
    'deferred',
    'flush',
    'hold',
    'incoming',
    'private',
    'saved',
    'trace',
  ];
  mkdirSync(join(folder, 'queue/pid'), { recursive: true });
  mkdirSync(join(folder, 'data'));
  for (const name of [...owned, 'maildrop', 'public']) mkdirSync(join(folder, 'queue', name));
  execFileSync('chown', ['postfix:postfix', join(folder, 'data'), ...owned.map((name) => join(folder, 'queue', name))]);
  execFileSync('chown', ['postfix:postdrop', join(folder, 'queue/maildrop'), join(folder, 'queue/public')]);
  chmodSync(join(folder, 'queue/maildrop'), 0o730);
  chmodSync(join(folder, 'queue/public'), 0o710);
  for (const name of owned) chmodSync(join(folder, 'queue', name), 0o700);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(port: number, master: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (master.exitCode !== null) throw new Error(`Postfix ended with ${master.exitCode}`);
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('data', () => socket.end('QUIT\r\n'));
    });
    if (isOpen) return;
    await sleep(100);
  }
  throw new Error('Postfix does not listen');
}
