/** Apple's rules as Pushy's mock server knows them: HTTP/2 of Netty, signatures, headers, payloads, GOAWAY. */
import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Clock, systemClock } from '../../../server/src/base/clock.ts';
import { limits } from '../../../server/src/base/limits.ts';
import type { Outcome } from '../../../server/src/deliver/outcome.ts';
import type { PushMessage } from '../../../server/src/deliver/push/push-provider.ts';
import { PushProviderApns } from '../../../server/src/deliver/push/push-provider-apns.ts';
import { alertOf, badge, retraction, tokenDevice } from '../../../server/src/deliver/push/test-push.ts';
import { ApnsServer, apnsNames } from './apns-server.ts';

const tokenOf = (i: number): string => i.toString(16).padStart(64, '0');
const devices = 300;
const goneSince = 1_773_142_200;
const gone = 'f'.repeat(64);

let server: ApnsServer;
const open: PushProviderApns[] = [];

function provider(clock: Clock = systemClock, change: { keyId?: string; app?: string } = {}): PushProviderApns {
  const { topic, keyId, teamId } = apnsNames;
  const credential = {
    teamId,
    keyId: change.keyId ?? keyId,
    key: createPrivateKey(server.key),
    apps: [change.app ?? topic],
    environment: null,
    origin: server.origin,
  };
  const apns = new PushProviderApns([credential], clock, server.ca);
  open.push(apns);
  return apns;
}

function send(
  apns: PushProviderApns,
  token: string,
  message: PushMessage = alertOf(),
  app: string = apnsNames.topic,
): Promise<Outcome> {
  const device = tokenDevice('apns', token, { app });
  const request = apns.render({ ...message, expiresAtMs: systemClock.now() + 60_000 }, device, systemClock.now());
  assert.ok(request !== null);
  return apns.send(request, device);
}

describe('Pushy', { concurrency: false }, () => {
  before(async () => {
    const tokens = Array.from({ length: devices }, (_, i) => tokenOf(i));
    server = await ApnsServer.start([...tokens, `${gone} ${goneSince}`], 40);
  });
  after(async () => {
    await Promise.all(open.map((apns) => apns.close()));
    await server.stop();
  });

  test('V10: accepts alerts, badges and retractions', async () => {
    const apns = provider();
    for (const message of [alertOf(), alertOf({ urgency: 'normal' }), badge, retraction]) {
      assert.equal((await send(apns, tokenOf(0), message)).kind, 'accepted', message.kind);
    }
  });

  test('C3: accepts the longest payload', async () => {
    const body = '"👩‍👩‍👧‍👦 ناص \\'.repeat(1000);
    const text = { ...alertOf().text, title: body, body };
    assert.equal((await send(provider(), tokenOf(0), alertOf({ text }))).kind, 'accepted');
  });

  test('BC-46: a token that is gone, with the millisecond since when', async () => {
    const outcome = await send(provider(), gone);
    assert.deepEqual(outcome, { kind: 'gone', code: 'Unregistered', asOfMs: goneSince * 1000 });
  });

  test('V2: an app or key it does not know', async () => {
    assert.deepEqual(await send(provider(systemClock, { app: 'com.other' }), tokenOf(0), alertOf(), 'com.other'), {
      kind: 'refused',
      code: 'DeviceTokenNotForTopic',
    });
    const unknown = provider(systemClock, { keyId: 'UNKNOWN123' });
    assert.deepEqual(await send(unknown, tokenOf(0)), { kind: 'blocked', code: 'InvalidProviderToken' });
    const [finding] = await unknown.check();
    assert.match(finding?.text ?? '', /key ID UNKNOWN123, team ID TEAM123456/);
    assert.ok((await provider().check()).every(({ isGood }) => isGood));
  });

  test('BC-51: a token that it calls expired is replaced once, and the push sent once more', async () => {
    let times = 0;
    const apns = provider({ ...systemClock, now: () => systemClock.now() - (times++ === 0 ? 70 * 60_000 : 0) });
    assert.equal((await send(apns, tokenOf(0))).kind, 'accepted');
    const slow = provider({ ...systemClock, now: () => systemClock.now() - 70 * 60_000 });
    assert.deepEqual(await send(slow, tokenOf(0)), { kind: 'blocked', code: 'ExpiredProviderToken' });
  });

  test('BC-48: it goes away in mid-burst and comes back: each device gets one push, and none two', async () => {
    const apns = provider();
    await server.stats();
    const burst = Array.from({ length: devices }, (_, i) => send(apns, tokenOf(i)));
    await burst[60];
    const [outcomes] = await Promise.all([Promise.all(burst), server.restart()]);
    const kinds = Object.groupBy(outcomes, ({ kind }) => kind);
    const again = outcomes.flatMap(({ kind }, i) => (kind === 'retry' ? [i] : []));
    // A connection that is cut without GOAWAY, before it was let in, may lose its one stream.
    const unknown = kinds.unknown?.length ?? 0;
    assert.ok(unknown <= limits.pushConnectionsMax, JSON.stringify(kinds.unknown));
    assert.equal((kinds.accepted?.length ?? 0) + again.length + unknown, devices);
    await new Promise((resolve) => systemClock.after(limits.pushReconnectMs + 100, () => resolve(null)));
    for (const { kind } of await Promise.all(again.map((i) => send(apns, tokenOf(i))))) assert.equal(kind, 'accepted');
    const stats = await server.stats();
    assert.equal(stats.mostForOne, 1);
    assert.ok(stats.devices >= devices - unknown, JSON.stringify(stats));
  });
});
