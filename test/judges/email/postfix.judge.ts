/** Mail by SMTP, judged by a real mail server (Postfix), and DKIM and MIME by mailauth and mailparser (V20, V22). */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { systemClock } from '../../../server/src/base/clock.ts';
import { personKey } from '../../../server/src/base/ids.ts';
import { builtInSource } from '../../../server/src/content/catalogue-source.ts';
import { Content } from '../../../server/src/content/content.ts';
import { composeEmail } from '../../../server/src/deliver/email/compose-email.ts';
import type { EmailMessage } from '../../../server/src/deliver/email/email-provider.ts';
import { EmailProviderSmtp } from '../../../server/src/deliver/email/email-provider-smtp.ts';
import { EmailSecrets } from '../../../server/src/deliver/email/email-secrets.ts';
import { mailReport } from '../../../server/src/deliver/email/feedback/mail-report.ts';
import type { Outcome } from '../../../server/src/deliver/outcome.ts';
import { type MailSink, openMailSink } from './mail-sink.ts';
import { type Postfix, startPostfix } from './postfix-server.ts';

const secrets = new EmailSecrets('s'.repeat(32));
const content = new Content(builtInSource());
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const dkim = {
  domain: 'app.example',
  selector: 's1',
  privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
};

let sink: MailSink;
let postfix: Postfix;
let provider: EmailProviderSmtp;

before(async () => {
  sink = await openMailSink();
  postfix = await startPostfix(sink.port);
  provider = providerWith({});
});
after(async () => {
  await provider.close();
  await postfix.stop();
  await sink.stop();
});

function providerWith(more: { ca?: string; connections?: number }): EmailProviderSmtp {
  const { port, ca } = postfix;
  return new EmailProviderSmtp(
    {
      ...{ host: 'localhost', port, ca, tls: 'required', login: null, heloName: 'app.example' },
      ...{ returnPath: 'bounces@app.example', connections: 1, perSecond: null, dkim },
      ...more,
    },
    systemClock,
  );
}

function mailTo(address: string, locale = 'de'): EmailMessage {
  const object = { kind: 'post', id: 'p1', title: 'Grüße aus 東京 🎉', url: '/p/p1', parent: null };
  const facts = { type: 'post.liked', actors: [{ id: 'a1', name: 'Åsa' }], actorCount: 1, object, mentioned: false };
  const text = content.email(facts, locale, 'https://app.example');
  const from = { name: 'Reisen & Mehr', address: 'notify@app.example' };
  return composeEmail(
    { kind: 'notification', text, type: 'post.liked', category: 'reactions', isCritical: false, thread: 'g1' },
    { person: personKey('default', address), address, delivery: `d_${address}` },
    { from, senderName: 'Reisen', postalAddress: 'Hauptstraße 1', publicUrl: 'https://notify.app.example', secrets },
  );
}

/** As a browser reads it: characters, whether they stand there or are referred to. */
const withoutReferences = (html: string): string =>
  html.trim().replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

const send = (address: string): Promise<Outcome> => provider.send(mailTo(address));
const arrivedAt = (address: string) => sink.next(({ to }) => to.includes(address));

test('V20: a mail goes by TLS through Postfix and arrives whole', async () => {
  const outcome = await send('bo@people.example');
  assert.equal(outcome.kind, 'accepted');
  assert.match(outcome.kind === 'accepted' ? String(outcome.providerId) : '', /^\w+$/);
  const { from, mail } = await arrivedAt('bo@people.example');
  const sent = mailTo('bo@people.example');
  assert.equal(from, 'bounces@app.example');
  assert.equal(mail.subject, sent.subject);
  assert.equal(mail.text, sent.text);
  assert.equal(withoutReferences(String(mail.html)), withoutReferences(sent.html));
  assert.equal(mail.messageId, sent.messageId);
  assert.equal(mail.from?.value[0]?.name, 'Reisen & Mehr');
  const received = String(mail.headers.get('received'));
  assert.match(received, /by mx\.judge\.example \(Postfix\) with ESMTPS/);
});

test('BC-56: the signature holds, by mailauth, and covers both headers of RFC 8058', async () => {
  await send('dkim@people.example');
  const { bytes } = await arrivedAt('dkim@people.example');
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const asked: string[] = [];
  const resolver = async (name: string): Promise<string[][]> => {
    asked.push(name);
    return [[`v=DKIM1; k=rsa; p=${key}`]];
  };
  const { results } = await dkimVerify(bytes, { resolver });
  const [result] = results;
  assert.equal(result?.status.result, 'pass', JSON.stringify(result?.status));
  assert.deepEqual(asked, ['s1._domainkey.app.example']);
  const covered = (/^DKIM-Signature:[\s\S]*?\bh=([^;]*);/im.exec(bytes.toString('latin1'))?.[1] ?? '').toLowerCase();
  for (const name of [
    'list-unsubscribe',
    'list-unsubscribe-post',
    'from',
    'subject',
    'message-id',
    'auto-submitted',
    'feedback-id',
  ])
    assert.ok(covered.split(/[:;,\s]+/).includes(name), `${name} in ${covered}`);
  const spoilt = Buffer.from(
    bytes.toString('latin1').replace('List-Unsubscribe-Post: List', 'List-Unsubscribe-Post: Tist'),
    'latin1',
  );
  assert.notEqual((await dkimVerify(spoilt, { resolver })).results[0]?.status.result, 'pass');
});

test('BC-60: refusals of a real server in the middle of a batch spoil nothing', async () => {
  const names = ['p1', 'p2', 'gone', 'p4', 'soft', 'full', 'closing', 'policy', 'p9', 'p10'];
  const outcomes = await Promise.all(names.map((name) => send(`${name}@people.example`)));
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['accepted', 'accepted', 'gone', 'accepted', 'retry', 'retry', 'retry', 'blocked', 'accepted', 'accepted'],
  );
  assert.deepEqual(outcomes[4], { kind: 'retry', code: '450 4.7.1', afterMs: 60_000 });
  for (const name of ['p1', 'p2', 'p4', 'p9', 'p10']) await arrivedAt(`${name}@people.example`);
  const counts = names.map((name) => sink.arrived.filter(({ to }) => to.includes(`${name}@people.example`)).length);
  assert.deepEqual(counts, [1, 1, 0, 1, 0, 0, 0, 0, 1, 1]);
});

test('V22, BC-57: the bounce that Postfix sends later is read, and counts for its recipient', async () => {
  const cases = [
    ['nobody', [550, '5.1.1 no such user'], 'hard'],
    ['strict', [550, '5.7.1 we do not like you'], 'blocked'],
    ['huge', [552, '5.2.2 mailbox full'], 'soft'],
  ] as const;
  for (const [name, reply, kind] of cases) {
    const address = `${name}@elsewhere.example`;
    sink.refuse.set(address, reply);
    assert.equal((await send(address)).kind, 'accepted');
    const { bytes, mail } = await sink.next(
      ({ to, mail: { text } }) => to.includes('bounces@app.example') && (text ?? '').includes(address),
    );
    assert.match(String(mail.from?.text), /MAILER-DAEMON/i);
    const report = mailReport(bytes, secrets, 1000);
    assert.equal(report.kind, 'bounce');
    assert.deepEqual(
      report.kind === 'bounce' && report.events.map((event) => [event.kind, event.tenant, event.address]),
      [[kind, 'default', address]],
    );
    // Without our secret the very same bounce counts for nobody.
    assert.deepEqual(mailReport(bytes, new EmailSecrets('x'.repeat(32)), 1000), { kind: 'ignored', why: 'unknown' });
  }
});

test('S4: a server whose certificate we do not trust gets nothing', async () => {
  const { testCertificate } = await import('../../../server/src/deliver/email/feedback/test-certificate.ts');
  const other = providerWith({ ca: testCertificate('localhost').pem });
  const outcome = await other.send(mailTo('untrusted@people.example'));
  await other.close();
  assert.deepEqual(outcome, { kind: 'blocked', code: 'ETLS' });
  assert.ok(!sink.arrived.some(({ to }) => to.includes('untrusted@people.example')));
});

test('check says that the server answers, encrypted', async () => {
  const [finding] = await provider.check();
  assert.deepEqual([finding?.isGood, finding?.text], [true, 'The server answers without a login, encrypted.']);
});
