import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EmailSecrets } from '../email-secrets.ts';
import { type MailReport, mailReport } from './mail-report.ts';
import { readMail } from './read-mail.ts';

const secrets = new EmailSecrets('s'.repeat(32));
const nowMs = Date.UTC(2026, 2, 10, 12);
const reference = secrets.seal('reference', ['acme', 'bo@x.example']);
const read = (text: string): MailReport => mailReport(Buffer.from(text.replaceAll('\n', '\r\n')), secrets, nowMs);

function dsn(
  recipient: string,
  original = `X-Carillon-Reference: ${reference.slice(0, 60)}\n ${reference.slice(60)}`,
): string {
  return `From: MAILER-DAEMON@mx.example
To: bounces@app.example
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="B=_1/mx.example"

This is a MIME-encapsulated message.

--B=_1/mx.example
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

I'm sorry.

--B=_1/mx.example
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example
X-Postfix-Queue-ID: ABC

${recipient}

--B=_1/mx.example
Content-Type: message/rfc822

Subject: Ana liked your post
${original}

the mail
--B=_1/mx.example--
`;
}

const failed = (status: string, diagnostic: string): string => `Final-Recipient: rfc822; bo@x.example
Original-Recipient: rfc822;bo@x.example
Action: failed
Status: ${status}
Diagnostic-Code: smtp; ${diagnostic}`;

test('V22: a bounce counts for whom the mail was sent to, by its code', () => {
  const cases = [
    ['5.1.1', '550 5.1.1 <bo@x.example>: User unknown', 'hard', '550 5.1.1'],
    ['5.0.0', '550 5.1.1 unknown', 'hard', '550 5.1.1'],
    ['5.2.2', '552 5.2.2 full', 'soft', '552 5.2.2'],
    ['4.4.1', 'connect to mx: timed out', 'soft', '4.4.1'],
    ['5.7.26', '550 5.7.26 unauthenticated', 'blocked', '550 5.7.26'],
    ['5.6.0', '554 5.6.0 bad', 'ignored', '554 5.6.0'],
  ] as const;
  for (const [status, diagnostic, kind, code] of cases) {
    assert.deepEqual(read(dsn(failed(status, diagnostic))), {
      kind: 'bounce',
      events: [{ kind, tenant: 'acme', address: 'bo@x.example', atMs: nowMs, code }],
    });
  }
});

test('a mail that is late is not a bounce', () => {
  assert.deepEqual(read(dsn('Final-Recipient: rfc822; bo@x.example\nAction: delayed\nStatus: 4.4.1')), {
    kind: 'bounce',
    events: [],
  });
});

test('V22: a bounce that anybody made up counts for nobody', () => {
  const forged = secrets.seal('unsubscribe', ['acme', 'bo@x.example']);
  for (const original of ['Subject: x', `X-Carillon-Reference: ${forged}`, 'X-Carillon-Reference: AAAA', '']) {
    assert.deepEqual(read(dsn(failed('5.1.1', '550 5.1.1'), original)), { kind: 'ignored', why: 'unknown' });
  }
});

test('V22: a complaint by ARF counts; what is no spam does not', () => {
  const arf = (type: string): string => `From: <fbl@mail.example>
Content-Type: multipart/report; report-type=feedback-report; boundary=x
MIME-Version: 1.0

--x
Content-Type: text/plain

This is an email abuse report.
--x
Content-Type: message/feedback-report
Content-Transfer-Encoding: base64

${Buffer.from(`Feedback-Type: ${type}\r\nUser-Agent: SomeGenerator/1.0\r\nVersion: 1\r\n`).toString('base64')}
--x
Content-Type: text/rfc822-headers

From: notify@app.example
X-Carillon-Reference: ${reference}
--x--
`;
  const event = { tenant: 'acme', address: 'bo@x.example', atMs: nowMs };
  assert.deepEqual(read(arf('abuse')), { kind: 'complaint', events: [{ ...event, kind: 'complaint', code: 'abuse' }] });
  assert.deepEqual(read(arf('not-spam')), {
    kind: 'complaint',
    events: [{ ...event, kind: 'ignored', code: 'not-spam' }],
  });
});

test('BC-59: automatic replies, lists and chance mail are ignored', () => {
  const reply = (headers: string) =>
    read(`From: bo@x.example\nTo: bounces@app.example\n${headers}\nSubject: Away\n\n${dsn(failed('5.1.1', '550'))}`);
  const automatic = { kind: 'ignored', why: 'automatic' };
  assert.deepEqual(reply('Auto-Submitted: auto-replied'), automatic);
  assert.deepEqual(reply('Auto-Submitted: auto-generated'), automatic);
  assert.deepEqual(reply('Precedence: auto_reply'), automatic);
  assert.deepEqual(reply('List-Id: <x.example>'), automatic);
  assert.deepEqual(reply('X-Autoreply: yes'), automatic);
  assert.deepEqual(reply('Auto-Submitted: no'), { kind: 'ignored', why: 'other' });
});

test('whatever bytes come, reading ends, and without our reference nothing counts', () => {
  const piece = fc.constantFrom(
    '--x\r\n',
    '--x--',
    '\r\n\r\n',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=x\r\n',
    'a: b\r\n',
    '=\r\n',
    'Content-Type: message/rfc822\r\n',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 60 }).map((all) => all.join('')),
        fc.string({ unit: 'binary' }),
      ),
      (text) => {
        assert.equal(mailReport(Buffer.from(text), secrets, nowMs).kind, 'ignored');
      },
    ),
  );
});

test('parts within parts, and many of them, are bounded', () => {
  const deep = (depth: number): string =>
    depth === 0
      ? 'end'
      : `Content-Type: multipart/mixed; boundary=b${depth}\n\n--b${depth}\n${deep(depth - 1)}\n--b${depth}--\n`;
  const count = (part: ReturnType<typeof readMail>): number =>
    1 + part.parts.reduce((sum, each) => sum + count(each), 0);
  assert.equal(count(readMail(Buffer.from(deep(30)))), 6);
  const many = `Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(5000)}--b--\n`;
  assert.equal(count(readMail(Buffer.from(many))), 50);
});
