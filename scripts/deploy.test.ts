import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { loadConfig } from '../server/src/base/config.ts';
import { nodeMajorMin, root } from './setup.mjs';

interface ComposeService {
  readonly image: string;
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly depends_on?: Readonly<Record<string, object>>;
  readonly volumes?: readonly string[];
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const compose = parse(read('deploy/compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, null>>;
};
const services = Object.entries(compose.services);
const own = services.filter(([, { image }]) => image === 'carillon');
const secret = 'x'.repeat(64);

/** What compose gives a process, with what make-env.sh writes. */
function environmentOf({ environment = {} }: ComposeService): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      const filled = String(value).replace(/\$\{(\w+):\?[^}]*\}/g, (_, wanted: string) => {
        assert.ok(read('deploy/make-env.sh').includes(`\n${wanted}=`), `make-env.sh writes ${wanted}`);
        if (wanted.endsWith('_HASH')) return 'a'.repeat(64);
        if (wanted.endsWith('_KEY')) return createHash('sha256').update(wanted).digest('base64');
        return `${wanted}${secret}`;
      });
      return [name, filled];
    }),
  );
}

test('the table in deploy/README.md lists what compose.yaml starts', () => {
  const rows = services.map(([name, { image, ports = [], command = [] }]) => {
    const outside = ports.map((port) => port.split(':')[0]).join(', ');
    const line = command.length === 0 ? '' : `\`${command.join(' ')}\``;
    return `| \`${name}\` | \`${image}\` | ${outside} | ${line} |`.replaceAll(/\| {2}(?=\|)/g, '| ');
  });
  const table = /<!-- compose:start -->\n([\s\S]*)<!-- compose:end -->/.exec(read('deploy/README.md'))?.[1];
  assert.deepEqual(table?.trim().split('\n').slice(2), rows);
});

test('every process of ours accepts its command, environment and configuration', () => {
  assert.deepEqual(
    own.map(([name]) => name),
    ['intake', 'shard', 'deliver', 'gateway', 'migrate'],
  );
  for (const [name, service] of own) {
    const { CARILLON_CONFIG, ...env } = environmentOf(service);
    assert.equal(CARILLON_CONFIG, '/etc/carillon/carillon.yaml');
    assert.ok(service.volumes?.includes(`./carillon.yaml:${CARILLON_CONFIG}:ro`));
    const [command, flag, roles] = service.command ?? [];
    if (command === 'migrate') continue;
    assert.deepEqual([command, flag], ['start', '--roles']);
    const file = join(root, 'deploy', 'carillon.yaml');
    const config = loadConfig({ env: { ...env, CARILLON_ROLES: roles }, file });
    assert.equal(config.engine, 'cluster');
    assert.deepEqual(config.roles, roles?.split(','), name);
    assert.deepEqual(config.kafka.brokers, ['kafka:9092']);
    assert.deepEqual(config.cassandra.contactPoints, ['cassandra:9042']);
    assert.equal(config.redis.url, 'redis://redis:6379');
    assert.match(config.postgres.url, /^postgres:\/\/postgres:\w+@postgres:5432\/postgres$/);
  }
});

test('all roles are there', () => {
  const roles = own.flatMap(([, { command = [] }]) => (command[0] === 'start' ? (command[2] ?? '').split(',') : []));
  assert.deepEqual(roles.toSorted(), ['api', 'deliver', 'gateway', 'intake', 'shard']);
});

test('whatever a service waits for, mounts or is sent to is there', () => {
  for (const [name, { depends_on = {}, volumes = [] }] of services) {
    for (const other of Object.keys(depends_on)) assert.ok(other in compose.services, `${name} waits for ${other}`);
    for (const volume of volumes) {
      const source = volume.split(':')[0] ?? '';
      if (source.startsWith('./')) assert.ok(existsSync(join(root, 'deploy', source)), source);
      else assert.ok(source in compose.volumes, `${name} uses the volume ${source}`);
    }
  }
  const targets = [...read('deploy/nginx.conf').matchAll(/http:\/\/(\w+):8080;/g)].map((match) => match[1] as string);
  assert.deepEqual(new Set(targets), new Set(['intake', 'gateway']));
});

test('versions are those that the tests run against', () => {
  const version = (service: string): string => /<version>([\d.]+)<\/version>/.exec(pom(service))?.[1] ?? '';
  const pom = (service: string): string => read(`scripts/services/${service}/pom.xml`);
  assert.equal(compose.services.kafka?.image, `apache/kafka:${version('kafka')}`);
  assert.equal(compose.services.cassandra?.image, `cassandra:${version('cassandra').split('.').slice(0, 2).join('.')}`);
  assert.match(read('deploy/Dockerfile'), new RegExp(`^FROM node:${nodeMajorMin}-slim$`, 'm'));
});

test('whatever the image copies is there', () => {
  const copies = [...read('deploy/Dockerfile').matchAll(/^COPY (.*) \S+$/gm)].flatMap((match) =>
    (match[1] as string).split(' '),
  );
  assert.ok(copies.length >= 5);
  for (const path of copies) assert.ok(existsSync(join(root, path)), path);
});
