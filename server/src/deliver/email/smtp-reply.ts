/**
 * What a mail server's reply means (RFC 5321, RFC 3463, RFC 5248): one table, asked by the SMTP provider about answers to
 * it, and about bounces that come later, as mail or by webhook.
 *
 *   soft     not now: tried again; counts as a soft bounce once nobody tries any more
 *   wait     greylisted: the same again after a minute
 *   slow     we send too fast: everything by this provider waits
 *   hard     nobody is there: the address is suppressed
 *   content  this mail alone cannot be taken
 *   blocked  policy or credentials, our fault: nothing is sent until mended, and no address suffers for it
 */
export type SmtpClass = 'soft' | 'wait' | 'slow' | 'hard' | 'content' | 'blocked';

export interface SmtpReply {
  /** 550; 0 where only the enhanced code is known. */
  readonly code: number;
  /** `5.1.1`; null where there is none. */
  readonly status: string | null;
  readonly text: string;
}

/** By enhanced code; what is not here goes by its first two parts, then by the reply's own code. */
const byStatus: Readonly<Record<string, SmtpClass>> = {
  // RFC 3463 §3.2: addresses. 5.1.7 and 5.1.8 are about the sender's.
  '5.1.1': 'hard',
  '5.1.2': 'hard',
  '5.1.3': 'hard',
  '5.1.6': 'hard',
  '5.1.7': 'blocked',
  '5.1.8': 'blocked',
  '5.1.10': 'hard', // RFC 7505: the domain takes no mail
  // §3.3: mailboxes. Full ones are emptied again.
  '5.2.1': 'hard',
  '5.2.2': 'soft',
  '5.2.3': 'content',
  // §3.4: the system. 5.3.4 is a mail too large.
  '5.3.4': 'content',
  // §3.5: the way there may come back.
  '5.4.4': 'soft',
  '5.4.6': 'soft',
  // Rates: RFC 3463 has none; these are what large receivers answer.
  '4.7.0': 'slow',
  '4.7.28': 'slow',
  '4.7.26': 'slow',
  '4.7.32': 'slow',
};

const bySubject: Readonly<Record<string, SmtpClass>> = {
  '4.7': 'wait',
  '5.2': 'soft',
  '5.3': 'soft',
  '5.4': 'soft',
  '5.5': 'content',
  '5.6': 'content',
  '5.7': 'blocked',
};

/** For replies without an enhanced code, or with one that says nothing (5.0.0, 5.1.0): their words, as servers use them. */
const byWords: readonly (readonly [pattern: RegExp, found: SmtpClass])[] = [
  [/\b(spam|blocked|black ?list|block ?list|policy|spf|dkim|dmarc|reputation|unauthenticated)/i, 'blocked'],
  [/\b(size|too large|too big)\b/i, 'content'],
  [/\b(full|over ?quota|quota exceeded|insufficient (system )?storage)\b/i, 'soft'],
  [/\b(unknown|no such|invalid|non-?existent|not found|does ?n[o']t exist|not exist|disabled|inactive)\b/i, 'hard'],
];

const statusOf = /(?:^|[\s-])([245]\.\d{1,3}\.\d{1,3})(?=[\s;,)]|$)/;

/** A reply as a server wrote it: `550 5.1.1 <a@b> no such user`. */
export function readReply(text: string): SmtpReply {
  return { code: Number(/^\s*(\d{3})/.exec(text)?.[1] ?? 0), status: statusOf.exec(text)?.[1] ?? null, text };
}

/** Of a reply that is no success. */
export function smtpClass({ code, status, text }: SmtpReply): SmtpClass {
  const isPassing = status === null ? code < 500 : status.startsWith('4');
  if (isPassing && /throttl|too many|rate limit|maximum sending rate/i.test(text)) return 'slow';
  const known = status === null ? undefined : (byStatus[status] ?? bySubject[status.slice(0, 3)]);
  // A server that says so and hangs up slows us all; one that refuses this recipient for now does not.
  if (known === 'slow' || known === 'wait') return code === 421 || known === 'slow' ? 'slow' : 'wait';
  if (known !== undefined) return known;
  if (isPassing) return /gr[ea]y-?list/i.test(text) ? 'wait' : 'soft';
  if (code === 530 || code === 535 || code === 538) return 'blocked';
  return byWords.find(([pattern]) => pattern.test(text))?.[1] ?? (code === 552 ? 'soft' : 'content');
}

/** Short, and without what a server may quote of an address: for logs and attempts. */
export function replyCode({ code, status }: SmtpReply): string {
  return [code === 0 ? [] : [String(code)], status ?? []].flat().join(' ') || 'none';
}
