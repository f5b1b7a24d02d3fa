/** Events of SendGrid's event webhook, by its reference. Most of them say nothing about an address. */
import { readReply, smtpClass } from '../smtp-reply.ts';
import { type FeedbackEvent, type Json, listOf, objectOf, tenantOf, textOf } from './feedback-event.ts';

type Kind = FeedbackEvent['kind'];

/** Why SendGrid did not even try: its own lists. */
const dropped: Readonly<Record<string, Kind>> = {
  'Bounced Address': 'hard',
  'Invalid SMTPAPI header': 'ignored',
  'Spam Reporting Address': 'complaint',
};

export function sendgridEvents(body: unknown, nowMs: number): FeedbackEvent[] {
  return listOf(body).map((value) => {
    const event = objectOf(value);
    const seconds = event.timestamp;
    return {
      kind: kindOf(event),
      tenant: tenantOf(event.tenant),
      address: textOf(event.email),
      atMs: typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : nowMs,
      code: /^[245]\.\d+\.\d+$/.exec(textOf(event.status))?.[0] ?? null,
    };
  });
}

function kindOf(event: Json): Kind {
  switch (event.event) {
    case 'delivered':
      return 'delivered';
    case 'spamreport':
      return 'complaint';
    case 'dropped':
      return dropped[textOf(event.reason)] ?? 'ignored';
    case 'bounce':
      return event.type === 'blocked' ? 'blocked' : bounceKind(event);
    default:
      return 'ignored';
  }
}

function bounceKind({ status, reason }: Json): Kind {
  const reply = readReply(`${textOf(reason)}`);
  const given = { ...reply, status: /^[245]\.\d+\.\d+$/.exec(textOf(status))?.[0] ?? reply.status };
  if (given.status === null) return 'hard';
  const found = smtpClass(given);
  return found === 'blocked' || found === 'soft' ? found : 'hard';
}
