import assert from 'node:assert/strict';
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { defaultTenant, personKey } from '../base/ids.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { builtInContent } from '../content/live-content.ts';
import { EmailSecrets } from '../deliver/email/email-secrets.ts';
import { EmailFeedback } from '../deliver/email/feedback/email-feedback.ts';
import { snsCertificate, snsMessage, testTopic } from '../deliver/email/feedback/test-sns.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import { IdempotencyStoreMemory } from '../intake/idempotency-store-memory.ts';
import { ProfileStoreMemory } from '../profile/profile-store-memory.ts';
import { mailAllowed } from '../profile/suppression.ts';
import { SuppressionStoreMemory } from '../profile/suppression-store-memory.ts';
import { emailOperations } from './email-operations.ts';
import { startTestApi, type TestApi } from './test-api.ts';

const secrets = new EmailSecrets('s'.repeat(32));
const person = personKey('default', 'r1');
const mailKey = 'key-of-the-mail-server';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const webhooks = {
  sesTopics: [testTopic],
  sendgridPublicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  mailgunSigningKey: 'signing-key',
  mailKeyHash: createHash('sha256').update(mailKey).digest('hex'),
};
const facts = {
  locale: null,
  timeZone: null,
  email: 'bo@x.example',
  emailVerified: true,
  createdAtMs: null,
  suspended: false,
};
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const oneClick = { body: 'List-Unsubscribe=One-Click', headers: form };

describe('the API of mail', () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 10, 12));
  let profiles: ProfileStoreMemory;
  let suppressions: SuppressionStoreMemory;
  let fetched: string[];
  let blocked: unknown[];
  let api: TestApi;

  beforeEach(async () => {
    profiles = new ProfileStoreMemory(clock);
    suppressions = new SuppressionStoreMemory(clock, 5);
    await profiles.change([{ person, change: { kind: 'facts', facts } }]);
    [fetched, blocked] = [[], []];
    const inbox = new InboxServiceStore({
      store: new InboxStoreMemory(),
      clock,
      cursorSecret: new Uint8Array(32),
      describe: describeInApp,
    });
    const onBlocked = (...told: unknown[]) => void blocked.push(told);
    const links = { profiles, types: builtInContent, content: builtInContent, secrets, clock };
    api = await startTestApi(
      inbox,
      emailOperations({
        ...links,
        feedback: new EmailFeedback({ suppressions, onBlocked }),
        suppressions,
        webhooks,
        idempotency: new IdempotencyStoreMemory(),
        async fetchText(url) {
          fetched.push(url);
          return snsCertificate().pem;
        },
      }),
    );
  });
  afterEach(async () => {
    await api.stop();
    assert.deepEqual(api.failures, []);
  });

  const unsubscribe = (scope: string, user = 'r1') =>
    `/v1/unsubscribe/${secrets.seal('unsubscribe', ['default', user, scope])}`;
  const preferences = `/v1/email-preferences/${secrets.seal('preferences', ['default', 'r1'])}`;
  const stored = async () => (await profiles.read([person]))[0]?.choices;
  const choose = (choices: PreferenceChoices) =>
    profiles.change([{ person, change: { kind: 'choices', choices, expected: null } }]);
  const allowed = async (address: string) =>
    mailAllowed((await suppressions.find(defaultTenant, [address]))[0] ?? null);

  test('BC-56: looking at the link changes nothing; one click unsubscribes from that list, each time', async () => {
    const url = unsubscribe('reactions');
    for (const method of ['HEAD', 'GET', 'GET', 'GET']) {
      const { status, headers, text } = await api.call(method, url, { headers: { 'user-agent': 'LinkScanner/1.0' } });
      assert.equal(status, 200);
      if (method === 'GET') assert.match(text, /<button>Unsubscribe<\/button>/);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
    }
    assert.deepEqual(await stored(), {});
    for (let times = 0; times < 2; times++) {
      const { status, text } = await api.call('POST', url, oneClick);
      assert.equal(status, 200);
      assert.match(text, /You will no longer get these emails/);
    }
    assert.deepEqual(await stored(), { categories: { reactions: { email: false } } });
    const again = await api.call('GET', url);
    assert.match(again.text, /You will no longer get these emails/);
    assert.doesNotMatch(again.text, /<button>/);
  });

  test('BC-56: a changed link answers 400, and nothing of anybody', async () => {
    const url = unsubscribe('reactions');
    const changed = url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A');
    const foreign = `/v1/unsubscribe/${preferences.split('/').at(-1)}`;
    for (const wrong of [changed, foreign, '/v1/unsubscribe/x']) {
      for (const method of ['GET', 'POST']) {
        const { status, text } = await api.call(method, wrong, method === 'POST' ? oneClick : {});
        assert.equal(status, 400);
        assert.match(text, /This link does not work/);
        assert.doesNotMatch(text, /r1|bo@x|Reactions|Likes/);
      }
    }
    assert.deepEqual(await stored(), {});
  });

  test('RFC 8058: the form may come as multipart; what is no one-click form does nothing', async () => {
    const url = unsubscribe('comments');
    assert.equal((await api.call('POST', url, { body: 'x=y', headers: form })).status, 400);
    assert.equal((await api.call('POST', url, { body: '', headers: form })).status, 400);
    assert.equal((await api.call('POST', url, { body: '{}' })).status, 415);
    assert.deepEqual(await stored(), {});
    const body = '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n';
    const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
    assert.equal((await api.call('POST', url, { body, headers: multipart })).status, 200);
    assert.deepEqual(await stored(), { categories: { comments: { email: false } } });
  });

  test('V21: exceptions for single types give way; push stays as it is', async () => {
    await choose({ types: { 'post.liked': { email: true, push: false }, 'reply.created': { email: true } } });
    await api.call('POST', unsubscribe('reactions'), oneClick);
    assert.deepEqual(await stored(), {
      types: { 'post.liked': { push: false }, 'reply.created': { email: true } },
      categories: { reactions: { email: false } },
    });
  });

  test('V21: from a digest, everything; what was said no to stays no', async () => {
    await choose({
      digest: { email: 'daily', at: '08:00' },
      categories: { reactions: { email: true, push: true }, comments: { email: false } },
    });
    await api.call('POST', unsubscribe('*'), oneClick);
    assert.deepEqual(await stored(), {
      channels: { email: false },
      digest: { email: 'off', at: '08:00' },
      categories: { reactions: { push: true }, comments: { email: false } },
    });
  });

  test('S7: whoever was erased does not come to be again by an old link', async () => {
    await profiles.change([{ person, change: { kind: 'erase' } }]);
    assert.equal((await api.call('POST', unsubscribe('reactions'), oneClick)).status, 200);
    assert.equal((await profiles.read([person]))[0], null);
    assert.equal((await api.call('GET', preferences)).status, 200);
  });

  test('V21: the page of preferences shows what applies, and saves only what was changed on it', async () => {
    await choose({ categories: { reactions: { email: false } } });
    const page = await api.call('GET', preferences);
    assert.match(page.text, /<h1>Notification settings<\/h1>/);
    assert.match(page.text, /<span>Likes, Reactions<\/span><input type="checkbox" name="on" value="reactions">/);
    assert.match(page.text, /<span>Comments[^<]*<\/span><input type="checkbox" name="on" value="comments" checked>/);
    assert.doesNotMatch(page.text, /value="security"|<script|r1|bo@x/);
    // Elsewhere, while the page is open.
    await choose({ categories: { reactions: { email: false }, follows: { push: false } }, muteAll: true });
    const body = new URLSearchParams([
      ['was', '*'],
      ['on', '*'],
      ['was', 'comments'],
      ['on', 'reactions'],
    ]).toString();
    const { status, text } = await api.call('POST', preferences, { body, headers: form });
    assert.equal(status, 200);
    assert.match(text, /role="status">Your choices are saved/);
    assert.deepEqual(await stored(), {
      categories: { reactions: { email: true }, follows: { push: false }, comments: { email: false } },
      muteAll: true,
    });
  });

  test('V21: the switch for all mail', async () => {
    const off = new URLSearchParams([['was', '*']]).toString();
    await api.call('POST', preferences, { body: off, headers: form });
    assert.deepEqual(await stored(), { channels: { email: false } });
    await api.call('POST', preferences, { body: 'on=*', headers: form });
    assert.deepEqual(await stored(), { channels: { email: true } });
  });

  test('C2: pages are in the language of the person', async () => {
    await choose({ locale: 'ar' });
    const { text } = await api.call('GET', preferences);
    assert.match(text, /<html lang="ar" dir="rtl">/);
    assert.match(text, /إشعارات البريد الإلكتروني/);
  });

  const ses = (event: object, more: Record<string, string> = {}) =>
    api.call('POST', '/v1/webhooks/ses', {
      body: snsMessage(JSON.stringify(event), clock.now(), more),
      headers: { 'content-type': 'text/plain' },
    });
  const sesBounce = (
    address: string,
    bounceType: string,
    bounceSubType: string,
    timestamp = '2026-03-10T11:00:00.000Z',
  ) => ({
    eventType: 'Bounce',
    mail: {},
    bounce: { bounceType, bounceSubType, timestamp, bouncedRecipients: [{ emailAddress: address }] },
  });

  test('BC-57: what comes back of SES counts, the same event five times once', async () => {
    for (let times = 0; times < 5; times++) {
      assert.equal((await ses(sesBounce('r1@x.example', 'Transient', 'MailboxFull'))).status, 204);
    }
    await ses(sesBounce('r2@x.example', 'Permanent', 'General'));
    const complaint = {
      complainedRecipients: [{ emailAddress: 'r3@x.example' }],
      timestamp: '2026-03-10T11:00:00.000Z',
    };
    await ses({ eventType: 'Complaint', mail: {}, complaint });
    for (const day of ['02-12', '02-18', '02-25', '03-03', '03-09']) {
      assert.equal(await allowed('r4@x.example'), 'all');
      await ses(sesBounce('r4@x.example', 'Transient', 'General', `2026-${day}T11:00:00.000Z`));
    }
    const people = ['r1@x.example', 'r2@x.example', 'r3@x.example', 'r4@x.example'];
    assert.deepEqual(await Promise.all(people.map(allowed)), ['all', 'none', 'critical', 'none']);
    const { json } = await api.call('GET', '/v1/admin/suppressions/r1%40x.example', { token: 'operator:x' });
    assert.deepEqual([json.reason, json.softBounces], [null, 1]);
    assert.equal(
      (await api.call('DELETE', '/v1/admin/suppressions/r4%40x.example', { token: 'operator:x' })).status,
      204,
    );
    assert.equal(await allowed('r4@x.example'), 'all');
  });

  test('V22: a policy of a receiver is told, and no address suffers', async () => {
    const event = sesBounce('bo@x.example', 'Permanent', 'General');
    const recipient = {
      emailAddress: 'bo@x.example',
      status: '5.7.26',
      diagnosticCode: 'smtp; 550 5.7.26 unauthenticated',
    };
    await ses({ ...event, bounce: { ...event.bounce, bouncedRecipients: [recipient] } });
    assert.equal(await allowed('bo@x.example'), 'all');
    assert.deepEqual(blocked, [['ses', '5.7.26']]);
  });

  test('S5: SES confirms its subscription at Amazon alone; unsigned calls are refused', async () => {
    const subscribeUrl = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=t';
    const more = { Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL: subscribeUrl };
    assert.equal((await ses({}, more)).status, 204);
    assert.equal(fetched.at(-1), subscribeUrl);
    const forged = {
      ...snsMessage('{}', clock.now()),
      Message: JSON.stringify(sesBounce('bo@x.example', 'Permanent', 'General')),
    };
    const { status, json } = await api.call('POST', '/v1/webhooks/ses', { body: forged });
    assert.deepEqual([status, json.code], [403, 'CARILLON_WEBHOOK_UNVERIFIED']);
    assert.equal((await api.call('POST', '/v1/webhooks/ses', { body: 'no json' })).status, 400);
    assert.equal(await allowed('bo@x.example'), 'all');
  });

  test('V22: SendGrid’s signed events count', async () => {
    const body = JSON.stringify([
      { email: 'bo@x.example', event: 'bounce', type: 'bounce', status: '5.1.1', timestamp: clock.now() / 1000 },
    ]);
    const timestamp = String(clock.now() / 1000);
    const signature = sign('sha256', Buffer.from(timestamp + body), privateKey).toString('base64');
    const headers = {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-signature': signature,
      'x-twilio-email-event-webhook-timestamp': timestamp,
    };
    assert.equal((await api.call('POST', '/v1/webhooks/sendgrid', { body: `${body} `, headers })).status, 403);
    assert.equal(await allowed('bo@x.example'), 'all');
    assert.equal((await api.call('POST', '/v1/webhooks/sendgrid', { body, headers })).status, 204);
    assert.equal(await allowed('bo@x.example'), 'none');
  });

  test('S5: a token of Mailgun counts once, whatever event comes with it again', async () => {
    const timestamp = String(clock.now() / 1000);
    const token = 't'.repeat(50);
    const signature = createHmac('sha256', 'signing-key')
      .update(timestamp + token)
      .digest('hex');
    const call = (recipient: string) =>
      api.call('POST', '/v1/webhooks/mailgun', {
        body: {
          signature: { timestamp, token, signature },
          'event-data': { event: 'complained', recipient, timestamp: clock.now() / 1000 },
        },
      });
    assert.equal((await call('bo@x.example')).status, 204);
    assert.equal((await call('cy@x.example')).status, 204);
    assert.deepEqual(await Promise.all(['bo@x.example', 'cy@x.example'].map(allowed)), ['critical', 'all']);
  });

  test('V22, BC-59: bounces come as mail with a key; replies of people away are ignored', async () => {
    const reference = secrets.seal('reference', ['default', 'bo@x.example']);
    const bounce = `Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; bo@x.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nX-Carillon-Reference: ${reference}\r\n--b--\r\n`;
    const send = (body: string, key = mailKey) =>
      api.call('POST', '/v1/webhooks/mail', {
        body,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'message/rfc822' },
      });
    assert.equal((await send(bounce, 'other')).status, 403);
    assert.equal((await send(`Auto-Submitted: auto-replied\r\nSubject: Away\r\n\r\n${bounce}`)).json.why, 'automatic');
    assert.equal(await allowed('bo@x.example'), 'all');
    assert.deepEqual((await send(bounce)).json, { kind: 'bounce' });
    assert.equal(await allowed('bo@x.example'), 'none');
  });

  test('V22: operators list, look up, suppress and clear', async () => {
    const call = (method: string, path = '', token = 'operator:x') =>
      api.call(method, `/v1/admin/suppressions${path}`, { token });
    assert.equal((await call('GET', '', 'producer:posts')).status, 403);
    for (const name of ['a', 'b', 'c']) assert.equal((await call('PUT', `/${name}%40x.example`)).json.reason, 'manual');
    assert.equal((await call('PUT', '/no%20address')).status, 400);
    const first = await call('GET', '?limit=2');
    const second = await call('GET', `?limit=2&cursor=${encodeURIComponent(first.json.nextCursor)}`);
    const found = [...first.json.items, ...second.json.items].map(({ address }: { address: string }) => address);
    assert.deepEqual(found.sort(), ['a@x.example', 'b@x.example', 'c@x.example']);
    assert.equal(second.json.nextCursor, null);
    assert.equal((await call('DELETE', '/a%40x.example')).status, 204);
    assert.equal((await call('GET', '/a%40x.example')).status, 404);
    assert.equal((await call('DELETE', '/a%40x.example')).status, 204);
  });
});
