/**
 * What a mail that came back says: that ours was not delivered (RFC 3464), or that somebody complains (RFC 5965).
 * Everything else is ignored and never answered: out-of-office replies, lists, chance mail (RFC 3834, BC-59).
 *
 * Anybody can write a bounce. So one counts only for the address in the reference that our own mail carried, which nobody
 * else can make (`email-secrets.ts`); who was not sent a mail cannot be suppressed by one.
 */
import type { TenantId } from '../../../base/ids.ts';
import type { EmailSecrets } from '../email-secrets.ts';
import { readReply, replyCode, type SmtpClass, smtpClass } from '../smtp-reply.ts';
import type { FeedbackEvent } from './feedback-event.ts';
import { type MailPart, readFields, readMail } from './read-mail.ts';

export type MailReport =
  | { readonly kind: 'bounce' | 'complaint'; readonly events: readonly FeedbackEvent[] }
  /** `automatic`: an automatic reply. `unknown`: a report that does not carry our reference. `other`: no report. */
  | { readonly kind: 'ignored'; readonly why: 'automatic' | 'unknown' | 'other' };

/** A bounce that passes: nobody tries any more, or it is about the mail. */
const kinds: Readonly<Record<SmtpClass, FeedbackEvent['kind']>> = {
  hard: 'hard',
  soft: 'soft',
  wait: 'soft',
  slow: 'soft',
  content: 'ignored',
  blocked: 'blocked',
};

export function mailReport(bytes: Buffer, secrets: EmailSecrets, nowMs: number): MailReport {
  const mail = readMail(bytes);
  const report = mail.type === 'multipart/report' ? mail.parameters.get('report-type')?.toLowerCase() : undefined;
  const read = report === 'delivery-status' ? bounce : report === 'feedback-report' ? complaint : null;
  if (read === null) return { kind: 'ignored', why: isAutomatic(mail) ? 'automatic' : 'other' };
  const about = sentTo(mail, secrets);
  if (about === null) return { kind: 'ignored', why: 'unknown' };
  return read(mail, { ...about, atMs: nowMs });
}

type About = Pick<FeedbackEvent, 'tenant' | 'address' | 'atMs'>;

function bounce(mail: MailPart, about: About): MailReport {
  const report = mail.parts.find(({ type }) => /^message\/(global-)?delivery-status$/.test(type));
  // Behind the fields of the mail come those of each recipient: ours has one.
  const recipients = (report?.text ?? '')
    .split(/\r?\n\r?\n/)
    .map(readFields)
    .filter((fields) => fields.has('action'));
  const events = recipients.flatMap((fields): FeedbackEvent[] => {
    const action = fields.get('action')?.toLowerCase();
    if (action !== 'failed' && action !== 'delivered') return [];
    const diagnostic = (fields.get('diagnostic-code') ?? '').replace(/^\s*[\w-]+\s*;\s*/, '');
    const status = /^[245]\.\d+\.\d+/.exec(fields.get('status') ?? '')?.[0] ?? null;
    const reply = withBetterStatus({ ...readReply(diagnostic), status });
    const kind = action === 'delivered' ? 'delivered' : kinds[smtpClass(reply)];
    return [{ ...about, kind, code: replyCode(reply) }];
  });
  return { kind: 'bounce', events };
}

/** `5.0.0` and the like say nothing; the reply's own words then do. */
function withBetterStatus(reply: ReturnType<typeof readReply>): ReturnType<typeof readReply> {
  const own = readReply(reply.text).status;
  const isVague = reply.status === null || /\.0\.0$/.test(reply.status);
  return isVague && own !== null ? { ...reply, status: own } : reply;
}

function complaint(mail: MailPart, about: About): MailReport {
  const report = mail.parts.find(({ type }) => type === 'message/feedback-report');
  const type =
    readFields(report?.text ?? '')
      .get('feedback-type')
      ?.toLowerCase() ?? '';
  const kind = ['abuse', 'fraud', 'virus', 'other'].includes(type) ? 'complaint' : 'ignored';
  return { kind: 'complaint', events: [{ ...about, kind, code: type.slice(0, 32) || null }] };
}

function isAutomatic({ headers }: MailPart): boolean {
  const submitted = headers.get('auto-submitted')?.toLowerCase() ?? 'no';
  const precedence = headers.get('precedence')?.toLowerCase() ?? '';
  if (submitted !== 'no' || ['bulk', 'junk', 'list', 'auto_reply'].includes(precedence)) return true;
  return ['x-autoreply', 'x-autorespond', 'x-auto-response-suppress', 'list-id'].some((name) => headers.has(name));
}

/** Whom our mail was for, as the headers that came back with it say. */
function sentTo(mail: MailPart, secrets: EmailSecrets): { tenant: TenantId; address: string } | null {
  for (const { type, text } of mail.parts) {
    if (!/^(message\/(rfc822|global)(-headers)?|text\/rfc822-headers)$/.test(type)) continue;
    const token = readFields(text).get('x-carillon-reference');
    const [tenant, address] = (token === undefined ? null : secrets.open('reference', token.replace(/\s/g, ''))) ?? [];
    if (tenant !== undefined && address !== undefined) return { tenant: tenant as TenantId, address };
  }
  return null;
}
