/** V22: what each provider's events mean. The events are in the form of the providers' references. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FeedbackEvent } from './feedback-event.ts';
import { mailgunEvents } from './mailgun-events.ts';
import { sendgridEvents } from './sendgrid-events.ts';
import { sesEvents } from './ses-events.ts';

const nowMs = Date.UTC(2026, 2, 10, 12);
const timestamp = '2026-03-10T11:00:00.000Z';
const atMs = Date.parse(timestamp);
const tenant = Buffer.from('acme').toString('base64url');
const kinds = (events: readonly FeedbackEvent[]) => events.map(({ kind }) => kind);

function bounce(bounceType: string, bounceSubType: string, recipient: object = {}) {
  const bouncedRecipients = [{ emailAddress: 'bo@x.example', ...recipient }];
  return {
    eventType: 'Bounce',
    mail: { tags: { tenant: [tenant] } },
    bounce: { bounceType, bounceSubType, bouncedRecipients, timestamp },
  };
}

test('SES: bounces by type, status and tenant', () => {
  const [event] = sesEvents(
    bounce('Permanent', 'General', { status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 unknown' }),
    nowMs,
  );
  assert.deepEqual(event, { kind: 'hard', tenant: 'acme', address: 'bo@x.example', atMs, code: '5.1.1' });
  assert.deepEqual(kinds(sesEvents(bounce('Permanent', 'OnAccountSuppressionList'), nowMs)), ['hard']);
  assert.deepEqual(kinds(sesEvents(bounce('Transient', 'MailboxFull'), nowMs)), ['soft']);
  assert.deepEqual(kinds(sesEvents(bounce('Transient', 'ContentRejected'), nowMs)), ['ignored']);
  assert.deepEqual(kinds(sesEvents(bounce('Undetermined', 'Undetermined'), nowMs)), ['soft']);
  assert.deepEqual(kinds(sesEvents(bounce('Permanent', 'General', { status: '5.7.1' }), nowMs)), ['blocked']);
});

test('SES: complaints and deliveries, also in the older form; other events say nothing', () => {
  const complaint = {
    complainedRecipients: [{ emailAddress: 'bo@x.example' }],
    complaintFeedbackType: 'abuse',
    timestamp,
  };
  const [event] = sesEvents({ notificationType: 'Complaint', mail: {}, complaint }, nowMs);
  assert.deepEqual(event, { kind: 'complaint', tenant: 'default', address: 'bo@x.example', atMs, code: 'abuse' });
  const kind = { ...complaint, complaintFeedbackType: 'not-spam' };
  assert.deepEqual(kinds(sesEvents({ eventType: 'Complaint', complaint: kind }, nowMs)), ['ignored']);
  assert.deepEqual(
    kinds(sesEvents({ eventType: 'Delivery', delivery: { recipients: ['bo@x.example'], timestamp } }, nowMs)),
    ['delivered'],
  );
  assert.deepEqual(sesEvents({ eventType: 'Open' }, nowMs), []);
});

test('SendGrid: a block is our fault, a bounce the address’s', () => {
  const base = { email: 'bo@x.example', timestamp: atMs / 1000, tenant: 'acme', sg_event_id: 'e' };
  const events = sendgridEvents(
    [
      { ...base, event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 5.1.1 unknown' },
      { ...base, event: 'bounce', type: 'bounce', status: '5.2.2', reason: '552 5.2.2 full' },
      { ...base, event: 'bounce', type: 'blocked', status: '5.7.1', reason: 'blocked' },
      { ...base, event: 'bounce', type: 'bounce', reason: '550 5.7.26 unauthenticated' },
      { ...base, event: 'spamreport' },
      { ...base, event: 'dropped', reason: 'Bounced Address' },
      { ...base, event: 'dropped', reason: 'Unsubscribed Address' },
      { ...base, event: 'deferred', response: '450' },
      { ...base, event: 'delivered' },
    ],
    nowMs,
  );
  assert.deepEqual(kinds(events), [
    'hard',
    'soft',
    'blocked',
    'blocked',
    'complaint',
    'hard',
    'ignored',
    'ignored',
    'delivered',
  ]);
  assert.deepEqual(events[0], { kind: 'hard', tenant: 'acme', address: 'bo@x.example', atMs, code: '5.1.1' });
});

test('Mailgun: a permanent failure by its reason and reply; a temporary one says nothing yet', () => {
  const failed = (severity: string, reason: string, status: object = {}) => ({
    event: 'failed',
    severity,
    reason,
    recipient: 'bo@x.example',
    timestamp: atMs / 1000,
    'user-variables': { tenant: 'acme' },
    'delivery-status': status,
  });
  const kind = (event: object) => mailgunEvents(event as never, nowMs)[0]?.kind;
  assert.equal(
    kind(failed('permanent', 'bounce', { code: 550, message: '5.1.1 The email account does not exist' })),
    'hard',
  );
  assert.equal(
    kind(failed('permanent', 'bounce', { code: 550, 'enhanced-code': '5.7.1', message: 'spam' })),
    'blocked',
  );
  assert.equal(kind(failed('permanent', 'bounce', { code: 552, message: '5.2.2 full' })), 'soft');
  assert.equal(kind(failed('permanent', 'suppress-bounce')), 'hard');
  assert.equal(kind(failed('permanent', 'suppress-complaint')), 'complaint');
  assert.equal(kind(failed('permanent', 'old')), 'soft');
  assert.equal(kind(failed('temporary', 'generic')), 'ignored');
  assert.equal(kind({ event: 'complained', recipient: 'a@b' }), 'complaint');
  assert.equal(kind({ event: 'delivered', recipient: 'a@b' }), 'delivered');
});

test('no odd event fails, and none of them suppresses anybody', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const object = (typeof value === 'object' && value !== null ? value : {}) as never;
      const events = [...sesEvents(object, nowMs), ...sendgridEvents(value, nowMs), ...mailgunEvents(object, nowMs)];
      assert.ok(events.every(({ kind }) => kind === 'ignored'));
    }),
  );
});
