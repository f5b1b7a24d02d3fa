/**
 * What the domain name system says of the domain that mail is sent from: SPF, DKIM and DMARC, which receivers ask for.
 * Hints in words for people (`carillon check email`); no mail waits for them.
 */
import type { CredentialFinding } from '../credential-finding.ts';

/** The texts of a name; none where there is none. Rejects where nobody answers. */
export type ResolveTexts = (name: string) => Promise<readonly string[]>;

export interface MailDomain {
  /** Of the sender. */
  readonly from: string;
  /** Of the return path, whose SPF counts. */
  readonly returnPath: string;
  /** Where mails are signed here. */
  readonly dkim: { readonly domain: string; readonly selector: string } | null;
}

export async function checkMailDomain(
  { from, returnPath, dkim }: MailDomain,
  texts: ResolveTexts,
): Promise<CredentialFinding[]> {
  const asked = [
    finding(`SPF of ${returnPath}`, texts, { name: returnPath, judge: spf }),
    ...(dkim === null
      ? []
      : [
          finding(`DKIM key ${dkim.selector} of ${dkim.domain}`, texts, {
            name: `${dkim.selector}._domainkey.${dkim.domain}`,
            judge: dkimKey,
          }),
        ]),
    finding(`DMARC of ${from}`, texts, { name: `_dmarc.${from}`, judge: dmarc }),
  ];
  return [...(await Promise.all(asked)), ...(dkim === null ? [] : [alignment(from, dkim.domain)])];
}

type Judgement = Omit<CredentialFinding, 'what'>;

async function finding(
  what: string,
  texts: ResolveTexts,
  { name, judge }: { name: string; judge: (texts: readonly string[]) => Judgement },
): Promise<CredentialFinding> {
  try {
    return { what, ...judge(await texts(name)) };
  } catch {
    return { what, isGood: false, text: `${name} cannot be looked up just now.` };
  }
}

const good = (text: string): Judgement => ({ isGood: true, text });
const bad = (text: string): Judgement => ({ isGood: false, text });

/** RFC 7208. */
function spf(texts: readonly string[]): Judgement {
  const records = texts.filter((text) => /^v=spf1( |$)/i.test(text));
  const [record] = records;
  if (record === undefined)
    return bad('There is no SPF record: add a TXT record “v=spf1 include:… -all” that names who sends.');
  if (records.length > 1) return bad('There are several SPF records, which counts as none: leave one.');
  return /\+all\b/i.test(record) ? bad('“+all” lets anybody send: end it with “-all”.') : good('There is one record.');
}

/** RFC 6376. */
function dkimKey(texts: readonly string[]): Judgement {
  const record = texts.find((text) => /\bp=/.test(text));
  if (record === undefined) return bad('There is no key: add the TXT record with the public half of email.smtp.dkim.');
  return /\bp=\s*(;|$)/.test(record) ? bad('The key was withdrawn (p= is empty).') : good('There is a key.');
}

/** RFC 7489. */
function dmarc(texts: readonly string[]): Judgement {
  const record = texts.find((text) => /^v=DMARC1\b/i.test(text));
  if (record === undefined)
    return bad(
      'There is no DMARC record: add a TXT record “v=DMARC1; p=none; rua=mailto:…”, large receivers ask for one.',
    );
  const policy = /\bp=(\w+)/i.exec(record)?.[1];
  return policy === undefined ? bad('The record names no policy (p=).') : good(`The policy is ${policy}.`);
}

function alignment(from: string, signing: string): CredentialFinding {
  const isAligned = from === signing || from.endsWith(`.${signing}`) || signing.endsWith(`.${from}`);
  const text = isAligned
    ? 'The domain that signs is that of the sender.'
    : `Mail from ${from} is signed by ${signing}: for DMARC they must be the same, or one part of the other.`;
  return { what: 'DMARC alignment', isGood: isAligned, text };
}
