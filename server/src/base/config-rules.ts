/** What a schema cannot say of a configuration: keys that need each other, and what each mode asks for (S1, S2). */
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { ConfigProblem } from './config-error.ts';
import { type Config, roles, type UserTokens } from './config-schema.ts';
import { emailProblems } from './email-problems.ts';
import { pushProblems } from './push-problems.ts';
import { reservedSchemes } from './reserved-schemes.ts';

/** Every problem of a configuration that fits its schema. */
export function configProblems(config: Config): ConfigProblem[] {
  return [
    ...(config.mode === 'production' ? productionProblems(config) : developmentProblems(config)),
    ...engineProblems(config),
    ...config.auth.userTokens.flatMap(tokenProblems),
    ...repeatedIds(config, 'producerKeys'),
    ...repeatedIds(config, 'operators'),
    ...repeatedIssuers(config),
    ...reservedLinks(config),
    ...emailProblems(config.email, config.mode),
    ...pushProblems(config.push, config.mode),
    ...encryptionProblems(config),
  ];
}

function reservedLinks({ content }: Config): ConfigProblem[] {
  return content.linkSchemes
    .filter((scheme) => reservedSchemes.has(scheme))
    .map((scheme) => ({ path: 'content.linkSchemes', detail: `${scheme} is no scheme of an app` }));
}

function productionProblems({ auth }: Config): ConfigProblem[] {
  const missing = (path: string, what: string): ConfigProblem => ({ path, detail: `production mode needs ${what}` });
  const problems: ConfigProblem[] = [];
  if (auth.cursorSecret === undefined)
    problems.push(missing('auth.cursorSecret', 'a secret of at least 32 characters'));
  if (auth.tokenSecret === undefined) problems.push(missing('auth.tokenSecret', 'a secret of at least 32 characters'));
  if (auth.producerKeys.length === 0) problems.push(missing('auth.producerKeys', 'at least one key for a producer'));
  if (auth.userTokens.length === 0) problems.push(missing('auth.userTokens', 'at least one issuer of user tokens'));
  if (auth.tokenSecret !== undefined && auth.tokenSecret === auth.cursorSecret) {
    problems.push({ path: 'auth.tokenSecret', detail: 'must differ from auth.cursorSecret' });
  }
  return problems;
}

function encryptionProblems({ mode, encryption: { keys, indexKey } }: Config): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const why =
    mode === 'production' ? 'production mode needs' : 'encryption.keys and encryption.indexKey go together: it needs';
  if (keys.length === 0 && (mode === 'production' || indexKey !== undefined))
    problems.push({ path: 'encryption.keys', detail: `${why} at least one key, of 32 random bytes` });
  if (indexKey === undefined && (mode === 'production' || keys.length > 0))
    problems.push({ path: 'encryption.indexKey', detail: `${why} a key of 32 random bytes` });
  const ids = keys.map(({ id }) => id);
  for (const [at, { id, key }] of keys.entries()) {
    if (ids.indexOf(id) < at) problems.push({ path: `encryption.keys[${at}].id`, detail: `${id} is given twice` });
    if (key === indexKey) problems.push({ path: 'encryption.indexKey', detail: `must differ from the key ${id}` });
  }
  return problems;
}

/** Development mode gives a token to whoever asks, so nobody else may be able to ask. */
function developmentProblems({ host }: Config): ConfigProblem[] {
  if (isLoopback(host)) return [];
  return [
    {
      path: 'host',
      detail: `development mode listens on loopback only (127.0.0.1, ::1, localhost), not on ${host}; set mode: production`,
    },
  ];
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function engineProblems({ engine, roles: given, kafka, cassandra }: Config): ConfigProblem[] {
  if (engine === 'embedded') {
    if (given.length === roles.length) return [];
    return [{ path: 'roles', detail: 'the embedded engine is one process with all roles; set engine: cluster' }];
  }
  return [
    ...halfLogin('kafka', kafka),
    ...halfLogin('cassandra', cassandra),
    ...(kafka.sasl === undefined && kafka.username !== undefined
      ? [{ path: 'kafka.sasl', detail: 'is needed to log in with username and password' }]
      : []),
    ...(kafka.sasl !== undefined && kafka.username === undefined
      ? [{ path: 'kafka.username', detail: 'is needed to log in with sasl' }]
      : []),
    ...(new Set(cassandra.contactPoints.map((each) => each.split(':').at(-1))).size > 1
      ? [{ path: 'cassandra.contactPoints', detail: 'must have the same port, which is that of all nodes' }]
      : []),
  ];
}

function halfLogin(path: string, { username, password }: { username?: string; password?: string }): ConfigProblem[] {
  if ((username === undefined) === (password === undefined)) return [];
  return [{ path, detail: 'username and password go together' }];
}

function tokenProblems(tokens: UserTokens, index: number): ConfigProblem[] {
  const path = `auth.userTokens[${index}]`;
  const sources = [tokens.secret, tokens.publicKey, tokens.jwksUrl].filter((source) => source !== undefined);
  if (sources.length !== 1) return [{ path, detail: 'needs exactly one of secret, publicKey and jwksUrl' }];
  // A public key taken for an HMAC secret would let anyone sign.
  if ((tokens.algorithm === 'HS256') !== (tokens.secret !== undefined)) {
    return [
      { path: `${path}.algorithm`, detail: 'HS256 goes with secret, every other algorithm with publicKey or jwksUrl' },
    ];
  }
  if (tokens.jwksUrl !== undefined && !isSafeUrl(tokens.jwksUrl)) {
    return [{ path: `${path}.jwksUrl`, detail: 'must be an https URL (http for loopback only)' }];
  }
  if (tokens.publicKey !== undefined && !fits(tokens.publicKey, tokens.algorithm)) {
    return [{ path: `${path}.publicKey`, detail: `is no public key (PEM or JWK) for ${tokens.algorithm}` }];
  }
  return [];
}

function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, '')));
}

function fits(publicKey: string, algorithm: UserTokens['algorithm']): boolean {
  const key = parsePublicKey(publicKey);
  const details = key?.asymmetricKeyDetails;
  if (algorithm === 'ES256') return key?.asymmetricKeyType === 'ec' && details?.namedCurve === 'prime256v1';
  if (algorithm === 'RS256') return key?.asymmetricKeyType === 'rsa' && (details?.modulusLength ?? 0) >= 2048;
  return key?.asymmetricKeyType === 'ed25519';
}

/** Null for what is no key, and for a private one: that belongs to the issuer alone. */
function parsePublicKey(text: string): KeyObject | null {
  if (text.includes('PRIVATE KEY')) return null;
  try {
    if (!text.trimStart().startsWith('{')) return createPublicKey(text);
    const jwk = JSON.parse(text) as Record<string, unknown>;
    return 'd' in jwk ? null : createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return null;
  }
}

function repeatedIds({ auth }: Config, list: 'producerKeys' | 'operators'): ConfigProblem[] {
  const ids = auth[list].map(({ id }) => id);
  return ids.flatMap((id, index) =>
    ids.indexOf(id) === index ? [] : [{ path: `auth.${list}[${index}].id`, detail: `${id} is given twice` }],
  );
}

/** One (issuer, audience) has one set of keys, so that it is clear which one must fit. */
function repeatedIssuers({ auth }: Config): ConfigProblem[] {
  const pairs = auth.userTokens.map(({ issuer, audience }) => JSON.stringify([issuer, audience]));
  return pairs.flatMap((pair, index) =>
    pairs.indexOf(pair) === index
      ? []
      : [{ path: `auth.userTokens[${index}]`, detail: 'this issuer and audience are given twice' }],
  );
}
