import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readReply, replyCode, type SmtpClass, smtpClass } from './smtp-reply.ts';

const classOf = (text: string): SmtpClass => smtpClass(readReply(text));

test('V22: what large servers answer, by class', () => {
  const cases: readonly (readonly [string, SmtpClass])[] = [
    ['550 5.1.1 <x@y.example>: Recipient address rejected: User unknown in virtual mailbox table', 'hard'],
    ['550-5.1.1 The email account that you tried to reach does not exist. Please try', 'hard'],
    ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup', 'hard'],
    ['556 5.1.10 Recipient address has null MX', 'hard'],
    ['550 5.2.1 The email account that you tried to reach is inactive.', 'hard'],
    ['550 No such user here', 'hard'],
    ['550 5.0.0 mailbox unknown', 'hard'],
    ['452 4.2.2 The email account that you tried to reach is over quota', 'soft'],
    ['552 5.2.2 Mailbox full', 'soft'],
    ['552 mailbox full', 'soft'],
    ['451 4.3.0 Temporary system problem', 'soft'],
    ['421 4.3.2 Service shutting down', 'soft'],
    ['421 closing', 'soft'],
    ['550 5.4.4 Invalid host name', 'soft'],
    ['554 5.4.6 Routing loop detected', 'soft'],
    ['450 4.7.1 <x@y>: Recipient address rejected: Greylisted', 'wait'],
    ['451 Greylisting in action, please come back later', 'wait'],
    ['421 4.7.28 Our system has detected an unusual rate of unsolicited mail', 'slow'],
    ['421 4.7.1 too fast', 'slow'],
    ['451 4.7.0 Temporary rate limit exceeded', 'slow'],
    ['454 Throttling failure: Maximum sending rate exceeded.', 'slow'],
    ['552 5.3.4 Message size exceeds fixed limit', 'content'],
    ['552 message too large', 'content'],
    ['554 5.6.0 Invalid header', 'content'],
    ['501 5.5.4 Invalid argument', 'content'],
    ['550 5.7.1 Message rejected due to content restrictions', 'blocked'],
    ['550 5.7.26 This mail is unauthenticated', 'blocked'],
    ['550 5.7.515 Access denied, sending domain does not meet the required level', 'blocked'],
    ['554 Your IP is on a blacklist', 'blocked'],
    ['553 5.1.8 Sender address rejected: Domain not found', 'blocked'],
    ['530 Authentication required', 'blocked'],
    ['554 nobody knows', 'content'],
  ];
  for (const [text, expected] of cases) assert.equal(classOf(text), expected, text);
});

test('V22: nothing that passes, and no policy, is ever taken for an address that is gone', () => {
  const digits = fc.integer({ min: 0, max: 999 });
  fc.assert(
    fc.property(fc.integer({ min: 400, max: 499 }), digits, digits, fc.string(), (code, a, b, text) => {
      assert.notEqual(classOf(`${code} 4.${a}.${b} ${text}`), 'hard');
      assert.notEqual(classOf(`${code} ${text.replace(/[245]\./g, '')}`), 'hard');
    }),
  );
  fc.assert(
    fc.property(digits, fc.string(), (detail, text) => {
      assert.equal(classOf(`550 5.7.${detail} user unknown ${text}`), 'blocked');
    }),
  );
});

test('S6: what is kept of a reply quotes nothing of it', () => {
  assert.equal(replyCode(readReply('550 5.1.1 <ana@app.example> unknown')), '550 5.1.1');
  assert.equal(replyCode(readReply('no reply of ana@app.example')), 'none');
});
