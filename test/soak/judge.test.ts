import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FoundDelivery, type Judged, judge, keyOf } from './judge.ts';
import type { SeenSend } from './seen-send.ts';
import type { EndpointKind, PlannedEndpoint } from './soak-plan.ts';

type Draft = { -readonly [Key in keyof Judged]: Judged[Key][number][] };

const killedAtMs = 50_000;
const kinds: readonly EndpointKind[] = ['live', 'dead', 'doubted', 'returning', 'oldProof', 'failing', 'refusing'];
const did = {
  live: 'take',
  dead: 'gone',
  doubted: 'doubt',
  returning: 'gone',
  oldProof: 'gone',
  failing: 'retry',
  refusing: 'refuse',
} as const;

/** One person for each kind of device, a live and a dead address, one alert each, and all went as it had to. */
function goodSoak(): Draft {
  const devices = kinds.map(
    (kind): PlannedEndpoint => ({ channel: 'push', provider: 'apns', name: `t-${kind}`, user: `u-${kind}`, kind }),
  );
  const addresses = (['live', 'dead'] as const).map((kind): PlannedEndpoint => {
    return { channel: 'email', provider: 'smtp', name: `${kind}@mail.example`, user: `u-${kind}`, kind };
  });
  const endpoints = [...devices, ...addresses];
  const events = kinds.map((kind) => alert(kind));
  const seen = endpoints.map(({ channel, name, kind }): SeenSend => {
    const isKnown = channel === 'push' || kind === 'live';
    const of = isKnown ? { event: `e-${kind}`, id: `id-${channel}-${kind}` } : { event: null, id: null };
    const times = { atMs: 1000, endedAtMs: 1010, afterMs: null };
    const givenId = kind === 'live' ? `p-${channel}` : null;
    return { channel, endpoint: name, ...of, ...times, givenId, did: did[kind], isAnswered: true };
  });
  const deliveries = endpoints.map(({ channel, name, user, kind }): FoundDelivery => {
    const state = kind === 'live' ? 'accepted' : 'failed';
    const code = state === 'accepted' ? null : channel === 'push' ? 'Unregistered' : '550 5.1.1';
    const ids = { id: channel === 'push' ? `id-${channel}-${kind}` : null, providerId: `p-${channel}` };
    const isGone = ['gone', 'doubt'].includes(did[kind]);
    const attempts = [{ atMs: 1000, outcome: isGone ? 'gone' : state }];
    return { channel, event: `e-${kind}`, user, endpoint: name, state, code, ...ids, attempts };
  });
  return {
    endpoints,
    events,
    seen,
    deliveries,
    deadLetters: deadOf(deliveries),
    devices: devices
      .filter(({ kind }) => kind !== 'dead' && kind !== 'doubted')
      .map(({ user, name }) => ({ user, token: name })),
    outages: [{ fromMs: killedAtMs, untilMs: killedAtMs + 500 }],
  };
}

function alert(kind: string): Judged['events'][number] {
  const time = '2026-01-01T00:00:00Z';
  return { id: `e-${kind}`, source: 'trace', type: 'security.alert', time, to: { user: `u-${kind}` } };
}

function deadOf(deliveries: readonly FoundDelivery[]): string[] {
  const dead = deliveries.filter(({ state, attempts }) => {
    return state === 'unknown' || (state === 'failed' && attempts.at(-1)?.outcome !== 'gone');
  });
  return dead.map(keyOf);
}

function changeDelivery(soak: Draft, endpoint: string, change: Partial<FoundDelivery>): void {
  soak.deliveries = soak.deliveries.map((each) => (each.endpoint === endpoint ? { ...each, ...change } : each));
  soak.deadLetters = deadOf(soak.deliveries);
}

function changeSend(soak: Draft, endpoint: string, change: Partial<SeenSend>): void {
  soak.seen = soak.seen.map((each) => (each.endpoint === endpoint ? { ...each, ...change } : each));
}

function sendOf(soak: Draft, endpoint: string): SeenSend {
  return soak.seen.find((each) => each.endpoint === endpoint) as SeenSend;
}

test('what went as planned has no fault', () => {
  const { faults, ends } = judge(goodSoak());
  assert.deepEqual(faults, []);
  assert.deepEqual(Object.fromEntries(ends), {
    'push accepted': 1,
    'push failed': 6,
    'email accepted': 1,
    'email failed': 1,
  });
});

/** Each changes a good soak in one thing, and names the one fault it is. */
const planted: Readonly<Record<string, readonly [plant: (soak: Draft) => void, fault: RegExp]>> = {
  'a delivery that was never made': [
    (soak) => {
      soak.deliveries = soak.deliveries.filter(({ endpoint }) => endpoint !== 'live@mail.example');
      soak.seen = soak.seen.filter(({ endpoint }) => endpoint !== 'live@mail.example');
    },
    /^email e-live live@mail.example: lost$/,
  ],
  'a delivery on record twice': [
    (soak) => void soak.deliveries.push(soak.deliveries[0] as FoundDelivery),
    /^1 deliveries are on record more than once$/,
  ],
  'a delivery that nobody asked for': [
    (soak) => {
      soak.events = soak.events.filter(({ id }) => id !== 'e-oldProof');
    },
    /^push e-oldProof t-oldProof: nobody asked for it$/,
  ],
  'a delivery that has not ended': [
    (soak) => changeDelivery(soak, 't-failing', { state: 'pending' }),
    /^push e-failing t-failing: still pending$/,
  ],
  'a live endpoint given up': [
    (soak) => {
      changeSend(soak, 't-live', { did: 'retry' });
      changeDelivery(soak, 't-live', { state: 'failed', code: '503' });
    },
    /^push e-live t-live: failed \(503\) at a live endpoint$/,
  ],
  'a failing endpoint that was accepted': [
    (soak) => changeDelivery(soak, 't-failing', { state: 'accepted' }),
    /^push e-failing t-failing: accepted \(Unregistered\) at a failing endpoint$/,
  ],
  'accepted without having been taken': [
    (soak) => changeSend(soak, 't-live', { did: 'retry' }),
    /accepted, yet never taken$/,
  ],
  'accepted though the answer was lost': [
    (soak) => changeSend(soak, 't-live', { isAnswered: false }),
    /accepted without an answer$/,
  ],
  'another name on record than the provider gave': [
    (soak) => changeDelivery(soak, 't-live', { providerId: 'p-other' }),
    /on record as p-other, taken as p-push$/,
  ],
  'another id on record than was sent': [
    (soak) => changeDelivery(soak, 't-live', { id: 'id-other' }),
    /sent as id-push-live, on record as id-other$/,
  ],
  'taken, and called failed': [
    (soak) => changeSend(soak, 't-oldProof', { did: 'take' }),
    /^push e-oldProof t-oldProof: taken, yet failed/,
  ],
  'failed, though the provider only slowed it down': [
    (soak) => changeSend(soak, 't-failing', { did: 'throttle' }),
    /though last told throttle$/,
  ],
  'sent again after it was taken': [
    (soak) => {
      soak.seen.push({ ...sendOf(soak, 't-live'), atMs: 2000, endedAtMs: 2010 });
      changeDelivery(soak, 't-live', { attempts: [1, 2].map((atMs) => ({ atMs, outcome: 'accepted' })) });
    },
    /^push e-live t-live: taken, and sent again$/,
  ],
  'sent again under another id': [
    (soak) => {
      soak.seen.unshift({ ...sendOf(soak, 't-live'), did: 'retry', id: 'id-first' });
      changeDelivery(soak, 't-live', { attempts: [1, 2].map((atMs) => ({ atMs, outcome: 'accepted' })) });
    },
    /sent under several ids$/,
  ],
  'sent again sooner than asked for': [
    (soak) => {
      soak.seen.unshift({ ...sendOf(soak, 't-live'), did: 'throttle', atMs: 100, endedAtMs: 110, afterMs: 2000 });
      changeDelivery(soak, 't-live', { attempts: [1, 2].map((atMs) => ({ atMs, outcome: 'accepted' })) });
    },
    /sent again 890 ms after, told to wait 2000 ms$/,
  ],
  'an attempt that is not on record': [
    (soak) => void soak.seen.unshift({ ...sendOf(soak, 't-live'), did: 'retry' }),
    /^push e-live t-live: 1 attempts on record, 2 made$/,
  ],
  'sent to somebody of whom nothing is on record': [
    (soak) => void soak.seen.push({ ...sendOf(soak, 't-live'), endpoint: 't-stranger' }),
    /^push e-live t-stranger: sent, yet not on record$/,
  ],
  'unknown for no reason': [
    (soak) => changeDelivery(soak, 't-live', { state: 'unknown', code: 'crashed' }),
    /^push e-live t-live: unknown \(crashed\), though it was told take$/,
  ],
  'suppressed though there was somebody': [
    (soak) => {
      changeDelivery(soak, 't-live', { endpoint: '', state: 'suppressed', code: 'noEndpoint' });
      soak.seen = soak.seen.filter(({ endpoint }) => endpoint !== 't-live');
      soak.events = soak.events.filter(({ id }) => id !== 'e-live');
      soak.deliveries = soak.deliveries.filter(({ endpoint }) => endpoint !== 'live@mail.example');
      soak.seen = soak.seen.filter(({ endpoint }) => endpoint !== 'live@mail.example');
    },
    /^push e-live : suppressed \(noEndpoint\) though u-live could be reached$/,
  ],
  'a failure that is no dead letter': [
    (soak) => void soak.deadLetters.pop(),
    /^push e-refusing t-refusing: failed, and no dead letter$/,
  ],
  'a dead letter of whom nobody is any more': [
    (soak) => void soak.deadLetters.push('push e-dead t-dead'),
    /^push e-dead t-dead: failed, and a dead letter$/,
  ],
  'a dead letter of what was accepted': [
    (soak) => void soak.deadLetters.push('push e-live t-live'),
    /^push e-live t-live: accepted, and a dead letter$/,
  ],
  'a dead letter of nothing': [
    (soak) => void soak.deadLetters.push('push e-none t-none'),
    /^push e-none t-none: a dead letter of nothing$/,
  ],
  'a dead letter listed twice': [
    (soak) => void soak.deadLetters.push(soak.deadLetters[0] as string),
    /^dead letters are listed more than once$/,
  ],
  'a live device forgotten': [
    (soak) => {
      soak.devices = soak.devices.filter(({ token }) => token !== 't-oldProof');
    },
    /^t-oldProof: a oldProof device of u-oldProof is nobody's$/,
  ],
  'a dead device kept': [
    (soak) => void soak.devices.push({ user: 'u-dead', token: 't-dead' }),
    /^t-dead: a dead device is still known$/,
  ],
  "another person's device": [
    (soak) => {
      soak.devices = soak.devices.map((each) => (each.token === 't-live' ? { ...each, user: 'u-failing' } : each));
    },
    /^t-live: a live device of u-live is u-failing's$/,
  ],
  'a device from nowhere': [
    (soak) => void soak.devices.push({ user: 'u-live', token: 't-new' }),
    /^t-new: nobody registered this device$/,
  ],
};

for (const [name, [plant, fault]] of Object.entries(planted)) {
  test(`finds ${name}, and nothing else`, () => {
    const soak = goodSoak();
    plant(soak);
    const { faults } = judge(soak);
    assert.equal(faults.length, 1, faults.join('\n'));
    assert.match(faults[0] as string, fault);
  });
}

test('an answer that the provider never gave leaves a delivery unknown', () => {
  const soak = goodSoak();
  changeSend(soak, 't-live', { isAnswered: false });
  changeDelivery(soak, 't-live', { state: 'unknown', code: 'INTERNAL_ERROR' });
  const { faults, dropped, interrupted } = judge(soak);
  assert.deepEqual([faults, dropped, interrupted], [[], 1, 0]);
});

test('so does an answer that came when the service was killed, and one that was still to come', () => {
  for (const times of [
    { atMs: killedAtMs - 10, endedAtMs: killedAtMs - 5 },
    { atMs: killedAtMs - 3000, endedAtMs: killedAtMs + 1000 },
  ]) {
    const soak = goodSoak();
    changeSend(soak, 't-live', times);
    changeDelivery(soak, 't-live', { state: 'unknown', code: 'crashed' });
    const { faults, dropped, interrupted } = judge(soak);
    assert.deepEqual([faults, dropped, interrupted], [[], 0, 1]);
  }
});

test('what comes for somebody who is gone needs no delivery, or one to nobody', () => {
  const soak = goodSoak();
  const later = { ...alert('dead'), id: 'e-later' };
  soak.events.push(later, { ...later, id: 'e-latest' });
  const nobody = {
    user: 'u-dead',
    endpoint: '',
    state: 'suppressed',
    code: 'noEndpoint',
    id: null,
    providerId: null,
    attempts: [],
  };
  soak.deliveries.push({ channel: 'push', event: 'e-later', ...nobody });
  assert.deepEqual(judge(soak).faults, []);
});
