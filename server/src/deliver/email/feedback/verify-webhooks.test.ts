/** S5: what cannot be proven to come from the provider counts for nothing. */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { limits } from '../../../base/limits.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { mailgunToken } from './mailgun-token.ts';
import { testCertificate } from './test-certificate.ts';
import { snsCertificate, snsMessage, testCertificateUrl, testTopic } from './test-sns.ts';
import { isOfSendgrid, sendgridKey } from './verify-sendgrid.ts';
import { isOfSns, SnsVerifier } from './verify-sns.ts';

const clock = new VirtualClock(Date.UTC(2026, 2, 10, 12));
const nowMs = clock.now();
const fetched: string[] = [];
const verifier = (pem = snsCertificate().pem) =>
  new SnsVerifier({
    topics: [testTopic],
    clock,
    async fetchText(url) {
      fetched.push(url);
      return pem;
    },
  });

test('SNS: a signed message of our topic is believed, and its certificate is fetched once', async () => {
  const sns = verifier();
  const message = await sns.verify(snsMessage('{"a":1}', nowMs));
  assert.deepEqual(message, { kind: 'notification', id: 'm-1', message: '{"a":1}', subscribeUrl: null });
  assert.notEqual(await sns.verify(snsMessage('x', nowMs, { Subject: 'with a subject' })), null);
  assert.deepEqual(fetched.splice(0), [testCertificateUrl]);
});

test('SNS: a confirmation leads to Amazon alone', async () => {
  const confirm = { Type: 'SubscriptionConfirmation', Token: 't' };
  const good = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription';
  const sent = snsMessage('m', nowMs, { ...confirm, SubscribeURL: good });
  assert.equal((await verifier().verify(sent))?.subscribeUrl, good);
  const evil = snsMessage('m', nowMs, { ...confirm, SubscribeURL: 'https://evil.example/' });
  assert.deepEqual(await verifier().verify(evil), {
    kind: 'confirmation',
    id: 'm-1',
    message: 'm',
    subscribeUrl: null,
  });
});

test('SNS: anything changed, old, of another topic or of version 1 is refused', async () => {
  const sns = verifier();
  const good = snsMessage('m', nowMs);
  for (const name of ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type', 'Signature', 'SignatureVersion']) {
    assert.equal(await sns.verify({ ...good, [name]: `x${good[name]}` }), null, name);
    assert.equal(await sns.verify({ ...good, [name]: undefined }), null, name);
  }
  assert.equal(await sns.verify({ ...good, Subject: 'added' }), null);
  assert.equal(await sns.verify(snsMessage('m', nowMs, { SignatureVersion: '1' })), null);
  assert.equal(await sns.verify(snsMessage('m', nowMs - limits.webhookAgeMs - 1)), null);
  assert.equal(await sns.verify(snsMessage('m', nowMs + limits.webhookAheadMs + 1)), null);
  assert.equal(await sns.verify(snsMessage('m', nowMs, { TopicArn: `${testTopic}2` })), null);
  for (const odd of [null, [], 'x', {}, { Type: 'toString' }]) assert.equal(await sns.verify(odd), null);
});

test('SNS: a certificate of another host, or out of date, proves nothing', async () => {
  const host = 'sns.eu-central-1.amazonaws.com';
  const of = (pem: string) => verifier(pem).verify(snsMessage('m', nowMs));
  assert.equal(await of(testCertificate('sns.us-east-1.amazonaws.com').pem), null);
  assert.equal(await of(testCertificate(host, '20200101000000Z', '20250101000000Z').pem), null);
  assert.equal(await of(testCertificate(host).pem), null, 'another key');
});

test('SNS: certificates are fetched from Amazon alone', async () => {
  fetched.length = 0;
  for (const url of [
    'http://sns.eu-central-1.amazonaws.com/x.pem',
    'https://sns.eu-central-1.amazonaws.com.evil.example/x.pem',
    'https://evil.example/sns.eu-central-1.amazonaws.com',
    'https://sns.eu-central-1.amazonaws.com@evil.example/',
    'https://sns.eu-central-1.amazonaws.com:8443/',
    'https://x.s3.amazonaws.com/x.pem',
    'https://127.0.0.1/x.pem',
    'file:///etc/passwd',
    '',
  ]) {
    assert.equal(isOfSns(url), false, url);
    assert.equal(await verifier().verify(snsMessage('m', nowMs, { SigningCertURL: url })), null, url);
  }
  assert.deepEqual(fetched, []);
  assert.ok(isOfSns('https://sns.cn-north-1.amazonaws.com.cn/x.pem'));
});

test('SendGrid: the bytes as they came, by its key, and not old', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = sendgridKey(publicKey.export({ format: 'der', type: 'spki' }).toString('base64'));
  const body = Buffer.from('[{"email":"a@b"}]\r\n');
  const signed = (ms: number) => {
    const timestamp = String(Math.floor(ms / 1000));
    return {
      timestamp,
      body,
      signature: sign('sha256', Buffer.concat([Buffer.from(timestamp), body]), privateKey).toString('base64'),
    };
  };
  const good = signed(nowMs);
  assert.ok(isOfSendgrid(good, key, nowMs));
  assert.ok(!isOfSendgrid({ ...good, body: Buffer.from('[{"email":"a@b"}]') }, key, nowMs));
  assert.ok(!isOfSendgrid({ ...good, timestamp: String(Number(good.timestamp) + 1) }, key, nowMs));
  assert.ok(!isOfSendgrid({ ...good, signature: '' }, key, nowMs));
  assert.ok(!isOfSendgrid({ ...good, signature: 'AAAA' }, key, nowMs));
  assert.ok(!isOfSendgrid(signed(nowMs - limits.webhookAgeMs - 1000), key, nowMs));
  assert.throws(() => sendgridKey('no key'));
});

test('Mailgun: by its key, and not old', () => {
  const key = 'signing-key';
  const signed = (ms: number, token = 't'.repeat(50)) => {
    const timestamp = String(Math.floor(ms / 1000));
    return {
      timestamp,
      token,
      signature: createHmac('sha256', key)
        .update(timestamp + token)
        .digest('hex'),
    };
  };
  const good = signed(nowMs);
  assert.equal(mailgunToken(good, key, nowMs), good.token);
  assert.equal(mailgunToken(good, 'other', nowMs), null);
  assert.equal(mailgunToken({ ...good, token: 'u'.repeat(50) }, key, nowMs), null);
  assert.equal(mailgunToken({ ...good, signature: good.signature.slice(2) }, key, nowMs), null);
  assert.equal(mailgunToken(signed(nowMs - limits.webhookAgeMs - 1000), key, nowMs), null);
  assert.equal(mailgunToken({}, key, nowMs), null);
});

test('no odd value makes a check fail in another way than refusing', async () => {
  const sns = verifier();
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      assert.equal(await sns.verify(value), null);
      assert.equal(mailgunToken((value as never) ?? {}, 'k', nowMs), null);
    }),
  );
});
