/**
 * Events of Amazon SES, as SNS brings them: those of configuration sets (`eventType`) and of identities
 * (`notificationType`). By SES Developer Guide, contents of event data and of notifications.
 */
import { readReply, replyCode, type SmtpReply, smtpClass } from '../smtp-reply.ts';
import { type FeedbackEvent, type Json, listOf, objectOf, tenantOf, textOf } from './feedback-event.ts';

type Kind = FeedbackEvent['kind'];

const permanent: Kind = 'hard';
/** Transient bounces that are about the mail, not the mailbox. */
const aboutTheMail = new Set(['MessageTooLarge', 'ContentRejected', 'AttachmentRejected']);

export function sesEvents(event: Json, nowMs: number): FeedbackEvent[] {
  const mail = objectOf(event.mail);
  const tenant = tenantOf(decoded(listOf(objectOf(mail.tags).tenant)[0]));
  const common = (about: Json) => ({ tenant, atMs: timeOf(about.timestamp) ?? nowMs });
  switch (event.eventType ?? event.notificationType) {
    case 'Bounce': {
      const bounce = objectOf(event.bounce);
      return listOf(bounce.bouncedRecipients).map((each) => ({
        ...common(bounce),
        ...bounceOf(bounce, objectOf(each)),
      }));
    }
    case 'Complaint': {
      const complaint = objectOf(event.complaint);
      const kind = complaint.complaintFeedbackType === 'not-spam' ? 'ignored' : 'complaint';
      return listOf(complaint.complainedRecipients).map((each) => ({
        ...common(complaint),
        kind,
        address: textOf(objectOf(each).emailAddress),
        code: textOf(complaint.complaintFeedbackType) || null,
      }));
    }
    case 'Delivery': {
      const delivery = objectOf(event.delivery);
      const recipients = listOf(delivery.recipients).map(textOf);
      return recipients.map((address) => ({ ...common(delivery), kind: 'delivered', address, code: null }));
    }
    default:
      return [];
  }
}

function bounceOf(bounce: Json, recipient: Json): Pick<FeedbackEvent, 'kind' | 'address' | 'code'> {
  const reply = replyOf(recipient);
  const code = reply.status ?? (reply.code === 0 ? textOf(bounce.bounceSubType) || null : replyCode(reply));
  return { kind: kindOf(bounce, reply), address: textOf(recipient.emailAddress), code };
}

function kindOf({ bounceType, bounceSubType }: Json, reply: SmtpReply): Kind {
  // A policy is our fault, though SES calls it permanent.
  if (reply.status !== null && smtpClass(reply) === 'blocked') return 'blocked';
  if (bounceType === 'Permanent') return permanent;
  return aboutTheMail.has(textOf(bounceSubType)) ? 'ignored' : 'soft';
}

function replyOf(recipient: Json): SmtpReply {
  const reply = readReply(textOf(recipient.diagnosticCode).replace(/^smtp;\s*/i, ''));
  return { ...reply, status: /^[245]\.\d+\.\d+$/.exec(textOf(recipient.status))?.[0] ?? reply.status };
}

/** As `email-provider-ses.ts` writes it. */
function decoded(tag: unknown): string | null {
  return typeof tag === 'string' ? Buffer.from(tag, 'base64url').toString() : null;
}

function timeOf(value: unknown): number | null {
  const ms = Date.parse(textOf(value));
  return Number.isNaN(ms) ? null : ms;
}
