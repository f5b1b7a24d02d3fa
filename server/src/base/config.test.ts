/** Where values come from, what is refused, and that every refusal names its key. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Environment, loadConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import type { Config } from './config-schema.ts';
import { derivedConfig } from './derived-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-config-'));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

function load(yaml: string, env: Environment = {}): Config {
  const file = join(folder, `${files++}.yaml`);
  writeFileSync(file, yaml);
  return loadConfig({ env, file });
}

/** The problems of a configuration as `path` → detail. */
function problems(yaml: string, env: Environment = {}): Record<string, string> {
  try {
    load(yaml, env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return Object.fromEntries(error.problems.map(({ path, detail }) => [path, detail]));
  }
  return {};
}

const secret = 'a'.repeat(32);
const hash = '0'.repeat(64);
const pem = (type: 'ec' | 'rsa' | 'ed25519'): string => {
  const keys =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      : type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519');
  return keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
};
const issuer = (fields: object): string =>
  JSON.stringify({ auth: { userTokens: [{ issuer: 'https://id.example', audience: 'carillon', ...fields }] } });

const bytes = (text: string): string => Buffer.alloc(32, text).toString('base64');
const production = {
  mode: 'production',
  host: '0.0.0.0',
  auth: {
    cursorSecret: secret,
    tokenSecret: 'b'.repeat(32),
    producerKeys: [{ id: 'posts', hash, sources: ['posts'] }],
    userTokens: [{ issuer: 'i', audience: 'a', algorithm: 'HS256', secret }],
  },
  encryption: { keys: [{ id: 'k1', key: bytes('k1') }], indexKey: bytes('index') },
};

test('without any source there are defaults for all that needs none given', () => {
  const config = load('');
  assert.equal(config.mode, 'development');
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 8080);
  assert.equal(config.dataDir, '.carillon');
  assert.deepEqual(config.inbox, { rowsPerPersonMax: 5000, retentionDays: 90, exactPeopleMax: 10_000 });
  assert.deepEqual(config.auth, { producerKeys: [], userTokens: [], operators: [] });
});

test('two loads share nothing that could be changed', () => {
  load('').auth.operators.push({ id: 'x', hash, role: 'admin' });
  assert.deepEqual(load('').auth.operators, []);
});

test('the file goes before defaults, the environment before the file, an empty variable is none', () => {
  const yaml = 'port: 9000\ndataDir: /data\nlog:\n  keptDays: 3\n';
  const config = load(yaml, { PORT: '9001', CARILLON_DATA: '', HOST: 'localhost' });
  assert.equal(config.port, 9001);
  assert.equal(config.dataDir, '/data');
  assert.equal(config.host, 'localhost');
  assert.equal(config.log.keptDays, 3);
  assert.equal(config.log.segmentBytes, 128 * 1024 * 1024);
});

test('the file may be JSON, and CARILLON_CONFIG names it', () => {
  const file = join(folder, 'named.json');
  writeFileSync(file, '{"port":9100}');
  assert.equal(loadConfig({ env: { CARILLON_CONFIG: file } }).port, 9100);
});

test('every problem is named at once, with its path', () => {
  const found = problems('port: 70000\nprot: 1\ninbox:\n  retentionDays: soon\nstream:\n  allowedOrigins: [ftp://x]\n');
  assert.deepEqual(Object.keys(found).sort(), ['inbox.retentionDays', 'port', 'prot', 'stream.allowedOrigins[0]']);
  assert.match(found.prot ?? '', /not a known field/);
  assert.match(found['inbox.retentionDays'] ?? '', /integer.*How long a row is kept/);
});

test('a wrong variable names itself', () => {
  assert.match(problems('', { PORT: 'http' }).port ?? '', /environment: PORT/);
  assert.match(problems('', { CARILLON_MODE: 'prod' }).mode ?? '', /environment: CARILLON_MODE/);
});

test('a file that cannot be read or understood says which and where, and quotes nothing of it', () => {
  const missing = join(folder, 'missing.yaml');
  assert.throws(() => loadConfig({ env: {}, file: missing }), /missing\.yaml: cannot be read \(ENOENT\)/);
  const found = Object.entries(problems('auth:\n  cursorSecret: "hush-hush\n'));
  assert.match(found[0]?.[0] ?? '', /\.yaml$/);
  assert.match(found[0]?.[1] ?? '', /line \d/);
  assert.doesNotMatch(JSON.stringify(found), /hush/);
  assert.match(Object.values(problems('- a'))[0] ?? '', /mapping/);
  assert.match(Object.values(problems('port: 1\nport: 2'))[0] ?? '', /unique/);
});

test('a value may stand for an environment variable', () => {
  const yaml = `auth:\n  cursorSecret: \${SECRET}\n  operators:\n    - {id: me, hash: "\${HASH}", role: admin}\n`;
  const config = load(yaml, { SECRET: secret, HASH: hash });
  assert.equal(config.auth.cursorSecret, secret);
  assert.equal(config.auth.operators[0]?.hash, hash);
  assert.deepEqual(Object.keys(problems(yaml, { SECRET: secret })), ['auth.operators[0].hash']);
});

test('development mode listens on loopback only (S1)', () => {
  for (const host of ['127.0.0.1', '127.0.0.2', '::1', 'localhost']) assert.deepEqual(problems('', { HOST: host }), {});
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com', '1270.0.0.1']) {
    assert.match(problems('', { HOST: host }).host ?? '', /loopback/, host);
  }
});

test('keys of encryption are whole, each once, and go together (S4)', () => {
  const [k1, index] = [{ id: 'k1', key: bytes('k1') }, bytes('index')];
  const found = (encryption: object) => Object.keys(problems(JSON.stringify({ encryption }))).sort();
  assert.deepEqual(found({ keys: [k1, { id: 'k0', key: bytes('k0') }], indexKey: index }), []);
  assert.deepEqual(found({ keys: [k1] }), ['encryption.indexKey']);
  assert.deepEqual(found({ indexKey: index }), ['encryption.keys']);
  assert.deepEqual(found({ keys: [k1, k1], indexKey: index }), ['encryption.keys[1].id']);
  assert.deepEqual(found({ keys: [k1], indexKey: k1.key }), ['encryption.indexKey']);
  const short = Buffer.alloc(16).toString('base64');
  assert.deepEqual(found({ keys: [{ id: 'k.1', key: short }], indexKey: short }), [
    'encryption.indexKey',
    'encryption.keys[0].id',
    'encryption.keys[0].key',
  ]);
});

test('production mode starts with secrets and keys only (S1)', () => {
  assert.deepEqual(Object.keys(problems('mode: production\nhost: 0.0.0.0\n')).sort(), [
    'auth.cursorSecret',
    'auth.producerKeys',
    'auth.tokenSecret',
    'auth.userTokens',
    'encryption.indexKey',
    'encryption.keys',
  ]);
  assert.deepEqual(problems(JSON.stringify(production)), {});
  const same = { ...production, auth: { ...production.auth, tokenSecret: secret } };
  assert.match(problems(JSON.stringify(same))['auth.tokenSecret'] ?? '', /differ/);
  const short = { ...production, auth: { ...production.auth, tokenSecret: 'short' } };
  assert.match(problems(JSON.stringify(short))['auth.tokenSecret'] ?? '', /32/);
  assert.equal(
    load(JSON.stringify(production), { CARILLON_TOKEN_SECRET: 'c'.repeat(40) }).auth.tokenSecret,
    'c'.repeat(40),
  );
});

test('user tokens pin one algorithm and one key that fits it (S2)', () => {
  const right = [
    { algorithm: 'HS256', secret },
    { algorithm: 'ES256', publicKey: pem('ec') },
    { algorithm: 'RS256', publicKey: pem('rsa') },
    { algorithm: 'EdDSA', publicKey: pem('ed25519') },
    { algorithm: 'ES256', jwksUrl: 'https://id.example/jwks.json' },
    { algorithm: 'ES256', jwksUrl: 'http://127.0.0.1:9/jwks.json' },
  ];
  for (const fields of right) assert.deepEqual(problems(issuer(fields)), {}, JSON.stringify(fields));
  const wrong: [object, RegExp][] = [
    [{ algorithm: 'HS256' }, /exactly one/],
    [{ algorithm: 'HS256', secret, jwksUrl: 'https://id.example' }, /exactly one/],
    [{ algorithm: 'HS256', publicKey: pem('rsa') }, /HS256 goes with secret/],
    [{ algorithm: 'RS256', secret }, /HS256 goes with secret/],
    [{ algorithm: 'RS256', publicKey: pem('ec') }, /no public key .* RS256/],
    [{ algorithm: 'ES256', publicKey: 'nonsense' }, /no public key/],
    [{ algorithm: 'none', secret }, /allowed/],
    [{ algorithm: 'ES256', jwksUrl: 'http://id.example/jwks.json' }, /https/],
    [{ algorithm: 'ES256', jwksUrl: 'https://user:pass@id.example/' }, /https/],
  ];
  for (const [fields, pattern] of wrong) assert.match(JSON.stringify(problems(issuer(fields))), pattern);
});

test('a private key is refused where a public one belongs', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const jwk = JSON.stringify(privateKey.export({ format: 'jwk' }));
  for (const publicKey of [privatePem, jwk]) {
    assert.match(JSON.stringify(problems(issuer({ algorithm: 'EdDSA', publicKey }))), /no public key/);
  }
});

test('ids of keys, and pairs of issuer and audience, are given once', () => {
  const key = { id: 'a', hash, sources: ['*'] };
  const operator = { id: 'o', hash, role: 'viewer' };
  const tokens = { issuer: 'i', audience: 'a', algorithm: 'HS256', secret };
  const auth = { producerKeys: [key, key], operators: [operator, operator], userTokens: [tokens, tokens] };
  assert.deepEqual(Object.keys(problems(JSON.stringify({ auth }))).sort(), [
    'auth.operators[1].id',
    'auth.producerKeys[1].id',
    'auth.userTokens[1]',
  ]);
});

test('flags of the command line go before the environment', () => {
  const file = join(folder, 'flags.yaml');
  writeFileSync(file, 'port: 9000');
  const config = loadConfig({ env: { PORT: '9001' }, file, flags: { port: 9002 } });
  assert.equal(config.port, 9002);
  assert.throws(() => loadConfig({ env: {}, file, flags: { engine: 'none' } }), /engine: /);
});

test('lists come from the environment with commas between', () => {
  const env = { CARILLON_ENGINE: 'cluster', CARILLON_ROLES: 'api, gateway', KAFKA_BROKERS: 'k1:9092,[::1]:9093' };
  const config = load('', env);
  assert.deepEqual(config.roles, ['api', 'gateway']);
  assert.deepEqual(config.kafka.brokers, ['k1:9092', '[::1]:9093']);
});

test('G2: the embedded engine has all roles; the cluster engine has what it is told', () => {
  assert.match(problems('roles: [intake]').roles ?? '', /engine: cluster/);
  assert.deepEqual(problems('engine: cluster\nroles: [intake]'), {});
  assert.match(problems('engine: cluster\nroles: [intake, kitchen]')['roles[1]'] ?? '', /allowed/);
  assert.match(problems('engine: cluster\nroles: []').roles ?? '', /1/);
});

test('G2, A4: shards, copies and who may approve follow from engine and mode where they are not given', () => {
  assert.deepEqual(derivedConfig(load('')), {
    shards: 1,
    logReplication: 1,
    storeReplication: 1,
    selfApproval: true,
  });
  assert.equal(derivedConfig(load('broadcasts: { selfApproval: false }')).selfApproval, false);
  assert.equal(derivedConfig(load('engine: cluster')).shards, 12);
  assert.equal(derivedConfig(load('engine: cluster\nshards: 3')).shards, 3);
  const cluster = { ...production, engine: 'cluster', cassandra: { replicationFactor: 5 } };
  assert.deepEqual(derivedConfig(load(JSON.stringify(cluster))), {
    shards: 12,
    logReplication: 3,
    storeReplication: 5,
    selfApproval: false,
  });
});

test('G2: what does not go together in the services of a cluster is named', () => {
  const cluster = (settings: object) => problems(JSON.stringify({ engine: 'cluster', ...settings }));
  assert.match(cluster({ kafka: { sasl: 'PLAIN' } })['kafka.username'] ?? '', /needed/);
  assert.match(cluster({ kafka: { username: 'u', password: 'p' } })['kafka.sasl'] ?? '', /needed/);
  assert.deepEqual(cluster({ kafka: { username: 'u', password: 'p', sasl: 'SCRAM-SHA-512' } }), {});
  assert.match(cluster({ cassandra: { username: 'u' } }).cassandra ?? '', /together/);
  const contactPoints = ['a:9042', 'b:9043'];
  assert.match(cluster({ cassandra: { contactPoints } })['cassandra.contactPoints'] ?? '', /same port/);
  assert.match(cluster({ cassandra: { contactPoints: ['a'] } })['cassandra.contactPoints[0]'] ?? '', /pattern/);
  assert.match(cluster({ redis: { url: 'http://x' } })['redis.url'] ?? '', /redis:/);
});

test('C4: schemes that browsers and systems act on are not the app’s to declare', () => {
  assert.deepEqual(problems('content: { linkSchemes: [myapp, javascript] }'), {
    'content.linkSchemes': 'javascript is no scheme of an app',
  });
  assert.deepEqual(load('content: { linkSchemes: [myapp] }').content.linkSchemes, ['myapp']);
});

test('mail needs what its providers need, and in production a secret and links to unsubscribe', () => {
  const email = (fields: object, more: object = {}) => JSON.stringify({ ...more, email: fields });
  assert.deepEqual(load('').email.providers, []);
  assert.deepEqual(problems(email({ ses: { perSecond: 5 } })), {});
  const wrongKey = problems(email({ webhooks: { sendgridPublicKey: 'no key' } }));
  assert.deepEqual(Object.keys(wrongKey), ['email.webhooks.sendgridPublicKey']);
  assert.deepEqual(Object.keys(problems(email({ providers: ['ses', 'sendgrid', 'mailgun'] }))).sort(), [
    'email.from',
    'email.mailgun.apiKey',
    'email.mailgun.domain',
    'email.sendgrid.apiKey',
    'email.ses.region',
  ]);
  const smtp = { providers: ['smtp'], from: 'Carillon <notify@app.example>' };
  assert.deepEqual(problems(email(smtp)), {});
  assert.deepEqual(Object.keys(problems(email({ ...smtp, from: 'a@b, c@d' }))), ['email.from']);
  assert.deepEqual(Object.keys(problems(email({ ...smtp, smtp: { username: 'u' } }))), ['email.smtp']);
  assert.deepEqual(Object.keys(problems(email({ ...smtp, smtp: { dkim: { domain: 'app.example' } } }))).sort(), [
    'email.smtp.dkim',
    'email.smtp.dkim.selector',
  ]);
  assert.deepEqual(Object.keys(problems(email(smtp, production))).sort(), ['email.publicUrl', 'email.secret']);
  const whole = { ...smtp, secret, publicUrl: 'https://notify.app.example' };
  assert.deepEqual(problems(email(whole, production)), {});
  assert.deepEqual(Object.keys(problems(email({ ...whole, publicUrl: 'http://x.example' }, production))), [
    'email.publicUrl',
  ]);
});
