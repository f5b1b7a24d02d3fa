/** Events of Mailgun's webhooks, by its reference: one each call. A temporary failure is still being tried. */
import { readReply, replyCode, type SmtpReply, smtpClass } from '../smtp-reply.ts';
import { type FeedbackEvent, type Json, objectOf, tenantOf, textOf } from './feedback-event.ts';

type Kind = FeedbackEvent['kind'];

/** Why it gave up without asking the receiver, or after asking for long. */
const byReason: Readonly<Record<string, Kind>> = {
  'suppress-bounce': 'hard',
  'suppress-complaint': 'complaint',
  'suppress-unsubscribe': 'ignored',
  old: 'soft',
};

export function mailgunEvents(event: Json, nowMs: number): FeedbackEvent[] {
  const reply = replyOf(objectOf(event['delivery-status']));
  const seconds = event.timestamp;
  return [
    {
      kind: kindOf(event, reply),
      tenant: tenantOf(objectOf(event['user-variables']).tenant),
      address: textOf(event.recipient),
      atMs: typeof seconds === 'number' && Number.isFinite(seconds) ? Math.floor(seconds * 1000) : nowMs,
      code: reply.code === 0 && reply.status === null ? textOf(event.reason) || null : replyCode(reply),
    },
  ];
}

function kindOf(event: Json, reply: SmtpReply): Kind {
  switch (event.event) {
    case 'delivered':
      return 'delivered';
    case 'complained':
      return 'complaint';
    case 'failed':
      return event.severity === 'permanent' ? (byReason[textOf(event.reason)] ?? byClass(reply)) : 'ignored';
    default:
      return 'ignored';
  }
}

function byClass(reply: SmtpReply): Kind {
  const found = smtpClass(reply);
  if (found === 'hard' || found === 'blocked') return found;
  return found === 'content' ? 'ignored' : 'soft';
}

function replyOf(status: Json): SmtpReply {
  const { code, message } = status;
  const reply = readReply(`${typeof code === 'number' ? code : 0} ${textOf(message)}`);
  return { ...reply, status: /^[245]\.\d+\.\d+$/.exec(textOf(status['enhanced-code']))?.[0] ?? reply.status };
}
