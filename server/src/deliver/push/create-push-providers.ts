/**
 * The providers that the configuration has credentials for. Keys are read and tried here, so that what is wrong with one is
 * said at the start with the path of its setting, and never shown. Each provider is loaded only where it is configured.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { ConfigError } from '../../base/config-error.ts';
import type { PushSettings } from '../../base/push-settings.ts';
import type { Random } from '../../base/random.ts';
import type { ServiceAccount } from './google-access-token.ts';
import type { PushProvider } from './push-provider.ts';
import { newVapidKey, type VapidKey, vapidKey } from './vapid.ts';

export interface PushProviders {
  readonly all: readonly PushProvider[];
  /** What pages subscribe with; null where browsers are not pushed to. */
  readonly vapidPublicKey: string | null;
}

export interface PushTools {
  readonly clock: Clock;
  readonly random: Random;
  /** Development mode: where the key for browsers is kept, which is made there once. Null: none is made. */
  readonly keyFolder: string | null;
}

/** Throws ConfigError where a key cannot be read or is none. */
export async function createPushProviders(settings: PushSettings, tools: PushTools): Promise<PushProviders> {
  const all: PushProvider[] = [];
  if (settings.apns.length > 0) all.push(await apns(settings.apns, tools));
  if (settings.fcm.length > 0) all.push(await fcm(settings.fcm, tools));
  const keys = await vapidKeys(settings.webpush, tools.keyFolder);
  if (keys.length > 0) all.push(await webPush(settings.webpush, keys, tools));
  if (settings.expo.apps.length > 0) all.push(await expo(settings.expo, tools));
  return { all, vapidPublicKey: keys[0]?.publicKey ?? null };
}

/** What pages subscribe with, without the providers; null where browsers are not pushed to. */
export async function vapidPublicKey({ webpush }: PushSettings, keyFolder: string | null): Promise<string | null> {
  const [current] = await vapidKeys(webpush, keyFolder);
  return current?.publicKey ?? null;
}

async function apns(entries: PushSettings['apns'], { clock }: PushTools): Promise<PushProvider> {
  const { PushProviderApns } = await import('./push-provider-apns.ts');
  const credentials = entries.map(async ({ key, keyFile, environment, url, ...rest }, i) => ({
    ...rest,
    key: apnsKey(`push.apns[${i}]`, await textOf(`push.apns[${i}]`, key, keyFile)),
    environment: environment ?? null,
    origin: url ?? null,
  }));
  return new PushProviderApns(await Promise.all(credentials), clock);
}

async function fcm(entries: PushSettings['fcm'], { clock }: PushTools): Promise<PushProvider> {
  const { PushProviderFcm } = await import('./push-provider-fcm.ts');
  const credentials = entries.map(async ({ apps, serviceAccount, serviceAccountFile, url }, i) => {
    const path = `push.fcm[${i}]`;
    const account = serviceAccountOf(path, await textOf(path, serviceAccount, serviceAccountFile));
    return { apps, account, origin: url ?? null };
  });
  return new PushProviderFcm(await Promise.all(credentials), clock);
}

async function webPush(
  { subject, hosts, localEndpoints }: PushSettings['webpush'],
  keys: readonly VapidKey[],
  tools: PushTools,
): Promise<PushProvider> {
  const { PushProviderWebPush } = await import('./push-provider-webpush.ts');
  const endpoints = { hosts, isLocalAllowed: localEndpoints };
  // Without a subject only in development mode, where push services take any.
  return new PushProviderWebPush({ keys, subject: subject ?? 'mailto:development@carillon.invalid', endpoints }, tools);
}

async function expo({ apps, accessToken, url }: PushSettings['expo'], { clock }: PushTools): Promise<PushProvider> {
  const { PushProviderExpo } = await import('./push-provider-expo.ts');
  return new PushProviderExpo({ apps, accessToken: accessToken ?? null, origin: url ?? null }, clock);
}

async function textOf(path: string, text: string | undefined, file: string | undefined): Promise<string> {
  if (text !== undefined) return text;
  try {
    return await readFile(file ?? '', 'utf8');
  } catch (error) {
    throw problem(path, `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function apnsKey(path: string, text: string): KeyObject {
  const key = privateKey(text);
  if (key?.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  throw problem(path, 'the key is no .p8 key of Apple (PEM, PKCS #8, P-256)');
}

function serviceAccountOf(path: string, text: string): ServiceAccount {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw problem(path, 'the key of the service account is no JSON');
  }
  const field = (name: string): string => {
    const value = fields?.[name];
    if (typeof value !== 'string' || value === '') throw problem(path, `the key of the service account has no ${name}`);
    return value;
  };
  const key = privateKey(field('private_key'));
  if (key?.asymmetricKeyType !== 'rsa') throw problem(path, 'private_key of the service account is no RSA key');
  const tokenUrl = field('token_uri');
  const url = URL.parse(tokenUrl);
  if (url?.protocol !== 'https:' && !['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? ''))
    throw problem(path, 'token_uri of the service account must be an https URL');
  return {
    projectId: field('project_id'),
    clientEmail: field('client_email'),
    keyId: field('private_key_id'),
    key,
    tokenUrl,
  };
}

/** Null for what is none: an error of OpenSSL would say nothing to anybody. */
function privateKey(text: string): KeyObject | null {
  try {
    return createPrivateKey(text);
  } catch {
    return null;
  }
}

async function vapidKeys(webpush: PushSettings['webpush'], keyFolder: string | null): Promise<VapidKey[]> {
  const { privateKey: given, privateKeyFile, formerPrivateKeys } = webpush;
  const path = 'push.webpush';
  const isGiven = given !== undefined || privateKeyFile !== undefined;
  if (!isGiven && keyFolder === null) return [];
  const current = isGiven ? await textOf(path, given, privateKeyFile) : await developmentKey(keyFolder ?? '');
  return [current, ...formerPrivateKeys].map((text, i) => {
    try {
      return vapidKey(text.trim());
    } catch {
      const which = i === 0 ? 'the private key' : `formerPrivateKeys[${i - 1}]`;
      throw problem(path, `${which} is no VAPID key: 32 bytes, base64url`);
    }
  });
}

/** Made at the first start, so that browsers stay subscribed over restarts. */
async function developmentKey(folder: string): Promise<string> {
  const file = join(folder, 'development-vapid-key');
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(file, newVapidKey(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFile(file, 'utf8');
}

function problem(path: string, detail: string): ConfigError {
  return new ConfigError([{ path, detail }]);
}
