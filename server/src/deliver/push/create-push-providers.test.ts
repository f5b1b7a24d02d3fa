import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../base/config.ts';
import { ConfigError } from '../../base/config-error.ts';
import type { PushSettings } from '../../base/push-settings.ts';
import { systemRandom } from '../../base/random.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { runCheckPush } from '../../run-check-push.ts';
import { createPushProviders } from './create-push-providers.ts';
import { apnsKeys, googleKeys } from './test-push.ts';
import { newVapidKey, vapidKey } from './vapid.ts';

const pem = (keys: { readonly privateKey: KeyObject }): string =>
  keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const account = {
  project_id: 'project-1',
  client_email: 'push@project-1.example',
  private_key_id: 'k1',
  private_key: pem(googleKeys),
  token_uri: 'https://oauth2.googleapis.com/token',
};
const apns = { apps: ['com.example.app'], teamId: 'TEAM123456', keyId: 'KEY1234567', key: pem(apnsKeys) };

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-push-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function load(folder: string, push: object, more: object = {}): Promise<PushSettings> {
  const file = join(folder, 'carillon.yaml');
  await writeFile(file, JSON.stringify({ push, ...more }));
  return loadConfig({ env: {}, file }).push;
}

const create = (settings: PushSettings, keyFolder: string | null = null) =>
  createPushProviders(settings, { clock: new VirtualClock(), random: systemRandom, keyFolder });

test('every provider that has credentials is there, with keys from text or files', async () => {
  await inFolder(async (folder) => {
    const [keyFile, serviceAccountFile, privateKeyFile] = ['a.p8', 'b.json', 'c.txt'].map((name) => join(folder, name));
    await writeFile(keyFile ?? '', pem(apnsKeys));
    await writeFile(serviceAccountFile ?? '', JSON.stringify(account));
    const current = newVapidKey();
    await writeFile(privateKeyFile ?? '', `${current}\n`);
    const { key: _, ...withoutKey } = apns;
    const settings = await load(folder, {
      apns: [
        { ...withoutKey, keyFile },
        { ...apns, apps: ['com.example.other'], environment: 'sandbox' },
      ],
      fcm: [{ apps: ['com.example.app'], serviceAccountFile }],
      webpush: { subject: 'mailto:ops@app.example', privateKeyFile, formerPrivateKeys: [newVapidKey()] },
      expo: { apps: ['com.example.app'] },
    });
    const { all, vapidPublicKey } = await create(settings);
    assert.deepEqual(
      all.map(({ name }) => name),
      ['apns', 'fcm', 'webpush', 'expo'],
    );
    assert.equal(vapidPublicKey, vapidKey(current).publicKey);
    await Promise.all(all.map((provider) => provider.close()));
  });
});

test('nothing is configured: production pushes to nobody, development to browsers, with a key that it keeps', async () => {
  await inFolder(async (folder) => {
    const settings = await load(folder, {});
    assert.deepEqual(await create(settings), { all: [], vapidPublicKey: null });
    const first = await create(settings, join(folder, 'data'));
    const second = await create(settings, join(folder, 'data'));
    assert.deepEqual(
      first.all.map(({ name }) => name),
      ['webpush'],
    );
    assert.equal(Buffer.from(first.vapidPublicKey ?? '', 'base64url').length, 65);
    assert.equal(first.vapidPublicKey, second.vapidPublicKey);
    assert.equal((await stat(join(folder, 'data', 'development-vapid-key'))).mode & 0o077, 0);
  });
});

test('what is wrong with a key is said with its path, and no part of it is shown', async () => {
  await inFolder(async (folder) => {
    const secret = 'SECRET-PART';
    const cases: [object, RegExp][] = [
      [{ apns: [{ ...apns, key: secret }] }, /push\.apns\[0\]: the key is no \.p8 key/],
      [{ apns: [{ ...apns, key: pem(googleKeys) }] }, /push\.apns\[0\]: the key is no \.p8 key/],
      [{ fcm: [{ apps: ['a'], serviceAccount: secret }] }, /push\.fcm\[0\]: the key of the service account is no JSON/],
      [
        { fcm: [{ apps: ['a'], serviceAccount: JSON.stringify({ ...account, private_key: secret }) }] },
        /private_key of the service account is no RSA key/,
      ],
      [
        { fcm: [{ apps: ['a'], serviceAccount: JSON.stringify({ ...account, token_uri: 'http://10.0.0.1/' }) }] },
        /token_uri of the service account must be an https URL/,
      ],
      [{ fcm: [{ apps: ['a'], serviceAccountFile: '/no/such/file' }] }, /push\.fcm\[0\]: .* cannot be read \(ENOENT\)/],
      [
        { webpush: { subject: 'mailto:a@b.example', privateKey: secret } },
        /push\.webpush: the private key is no VAPID key/,
      ],
      [
        { webpush: { subject: 'mailto:a@b.example', privateKey: newVapidKey(), formerPrivateKeys: [secret] } },
        /formerPrivateKeys\[0\] is no VAPID key/,
      ],
    ];
    for (const [push, words] of cases) {
      const settings = await load(folder, push);
      await assert.rejects(create(settings), (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, words);
        assert.doesNotMatch(error.message, /SECRET|BEGIN/);
        return true;
      });
    }
  });
});

test('settings that exclude or need each other are refused when the configuration is read', async () => {
  await inFolder(async (folder) => {
    const cases: [object, RegExp][] = [
      [{ apns: [{ ...apns, keyFile: 'x' }] }, /push\.apns\[0\]: needs exactly one of key and keyFile/],
      [
        { apns: [apns, { ...apns, environment: 'sandbox' }] },
        /com\.example\.app is given twice for the same environment/,
      ],
      [{ fcm: [{ apps: ['a'] }] }, /push\.fcm\[0\]: needs exactly one of serviceAccount and serviceAccountFile/],
      [{ webpush: { privateKey: newVapidKey() } }, /push\.webpush\.subject: is needed with a key/],
      [{ webpush: { subject: 'ops@app.example' } }, /push\.webpush\.subject: must be mailto/],
      [{ apns: [{ ...apns, url: 'http://apns.example' }] }, /push\.apns\[0\]\.url: must be an https URL/],
      [{ expo: { apps: ['a'], url: 'http://expo.example' } }, /push\.expo\.url/],
    ];
    for (const [push, words] of cases) await assert.rejects(load(folder, push), words);
    const local = { webpush: { localEndpoints: true } };
    await assert.rejects(
      load(folder, local, { mode: 'production' }),
      /push\.webpush\.localEndpoints: is for development/,
    );
    await load(folder, local);
  });
});

test('`carillon check push` says what each provider answers, and ends well only if all are good', async () => {
  await inFolder(async (folder) => {
    const file = join(folder, 'carillon.yaml');
    const check = async (push: object) => {
      await writeFile(file, JSON.stringify({ push, dataDir: join(folder, 'data') }));
      return runCheckPush(loadConfig({ env: {}, file }));
    };
    const good = await check({});
    assert.equal(good.isGood, true);
    assert.match(good.lines.join('\n'), /^good {2}webpush: Pages subscribe with B[\w-]{86}\.$/);
    const bad = await check({ apns: [{ ...apns, url: 'http://127.0.0.1:1' }] });
    assert.equal(bad.isGood, false);
    assert.match(
      bad.lines.join('\n'),
      /WRONG apns com\.example\.app production: Apple could not be reached \(ECONNREFUSED\)/,
    );
  });
});
