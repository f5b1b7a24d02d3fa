import assert from 'node:assert/strict';
import type { lookup } from 'node:dns';
import { test } from 'node:test';
import { isPublicAddress } from '../../base/public-address.ts';
import { type EndpointRule, endpointProblem, publicLookup } from './safe-endpoint.ts';

const any: EndpointRule = { hosts: ['*'], isLocalAllowed: false };

test('S5: addresses of this machine, of private networks and for special purposes are not public', () => {
  const apart = [
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.0.0.8',
    ],
    ...[
      '192.0.2.1',
      '192.168.1.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '224.0.0.1',
      '239.1.1.1',
      '255.255.255.255',
    ],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '64:ff9b::7f00:1',
      '2001:db8::1',
      '2002:7f00:1::',
      'fc00::1',
    ],
    ...[
      'fd12::1',
      'fe80::1',
      'fe80::1%eth0',
      'ff02::1',
      '::127.0.0.1',
      '100::1',
      '5f00::1',
      '3fff::1',
      'no address',
      '',
    ],
  ];
  for (const address of apart) assert.equal(isPublicAddress(address), false, address);
  for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::200a']) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

test('S5: only https to the usual port of a public host, whatever way it is written', () => {
  const bad = [
    ...[
      'http://push.example/x',
      'https://push.example:8443/x',
      'https://user@push.example/x',
      'https://:p@push.example/x',
    ],
    ...['https://127.0.0.1/', 'https://[::1]/', 'https://2130706433/', 'https://0x7f.1/', 'https://017700000001/'],
    ...['https://[::ffff:10.0.0.1]/', 'https://169.254.169.254/latest', 'ftp://push.example/', 'file:///etc/passwd'],
    ...['nonsense', '', `https://push.example/${'x'.repeat(2050)}`],
  ];
  for (const endpoint of bad) assert.notEqual(endpointProblem(endpoint, any), null, endpoint);
  assert.equal(endpointProblem('https://push.example/abc', any), null);
  assert.equal(endpointProblem('https://push.example:443/abc', any), null);
});

test('S5: known hosts only, unless any is allowed', () => {
  const rule = { hosts: ['fcm.googleapis.com', '*.push.apple.com'], isLocalAllowed: false };
  for (const good of [
    'https://fcm.googleapis.com/fcm/send/x',
    'https://web.push.apple.com/x',
    'https://FCM.googleapis.com./x',
  ]) {
    assert.equal(endpointProblem(good, rule), null, good);
  }
  for (const bad of [
    'https://evilfcm.googleapis.com.evil.example/',
    'https://push.apple.com.evil.example/',
    'https://xpush.apple.com/',
  ]) {
    assert.notEqual(endpointProblem(bad, rule), null, bad);
  }
});

test('development may call this machine, and nothing else without https', () => {
  const rule = { hosts: [], isLocalAllowed: true };
  assert.equal(endpointProblem('http://127.0.0.1:9000/x', rule), null);
  assert.equal(endpointProblem('https://localhost:9000/x', rule), null);
  assert.notEqual(endpointProblem('http://10.0.0.1/x', rule), null);
});

/** A name server of a test: answers what it is told, in turn. */
function asked(...answers: { address: string; family: number }[][]): typeof lookup {
  let turn = 0;
  const look = (_host: string, _options: unknown, answer: (error: null, found: unknown) => void): void =>
    answer(null, answers[Math.min(turn++, answers.length - 1)]);
  return look as unknown as typeof lookup;
}

const look = (lookups: typeof lookup): Promise<string> =>
  new Promise((resolve) => {
    publicLookup(any, lookups)('push.example', { all: true }, (error, found) =>
      resolve(error?.code ?? JSON.stringify(found)),
    );
  });

test('S5: one private address among those of a name is enough to refuse it, at each new look', async () => {
  const good = { address: '8.8.8.8', family: 4 };
  const bad = { address: '10.0.0.1', family: 4 };
  assert.equal(await look(asked([good])), JSON.stringify([good]));
  assert.equal(await look(asked([good, bad])), 'notPublic');
  assert.equal(await look(asked([])), 'notPublic');
  const rebinding = asked([good], [bad]);
  assert.equal(await look(rebinding), JSON.stringify([good]));
  assert.equal(await look(rebinding), 'notPublic');
});
