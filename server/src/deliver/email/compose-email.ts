/**
 * A whole mail from its words (V20, V21): HTML and plain part, headers, links. Pure: the same letter to the same person
 * gives the same mail, with the same Message-ID, however often it is tried.
 *
 * Who may unsubscribe: everybody, from everything but mail about the safety of their account, which has no list headers
 * either. Links that are not safe are left out; no text becomes a header or markup (C4).
 */
import { readFileSync } from 'node:fs';
import { type PersonKey, splitPersonKey } from '../../base/ids.ts';
import { lazy } from '../../base/lazy.ts';
import { limits } from '../../base/limits.ts';
import { domainOf, type Mailbox } from '../../base/mailbox.ts';
import { type EmailText, escapeHtml, subjectLine } from '../../content/render-email.ts';
import { safeLink } from '../../content/safe-link.ts';
import type { EmailMessage } from './email-provider.ts';
import type { EmailSecrets } from './email-secrets.ts';
import { type Filling, Html, mirrored, Template } from './fill-template.ts';

/** What one mail tells. */
export type Letter =
  | {
      readonly kind: 'notification';
      readonly text: EmailText;
      readonly type: string;
      readonly category: string;
      /** About the safety of the account: no unsubscribing from it. */
      readonly isCritical: boolean;
      /** Names what later mails about the same belong to: the group. */
      readonly thread: string;
    }
  | {
      readonly kind: 'digest';
      /** What goes around: subject, language, labels; `url` leads to the inbox. */
      readonly frame: Omit<EmailText, 'body' | 'text'>;
      /** The most important first. */
      readonly entries: readonly EmailText[];
    };

export interface Addressee {
  readonly person: PersonKey;
  readonly address: string;
  /** Names the delivery. */
  readonly delivery: string;
}

export interface ComposerOptions {
  readonly from: Mailbox;
  /** At the foot; empty: none. */
  readonly senderName: string;
  readonly postalAddress: string;
  /** Where links to this service lead; null: there are none. */
  readonly publicUrl: string | null;
  readonly secrets: EmailSecrets;
}

/** From all notification mail. A category's name holds no `*`. */
export const everything = '*';

export function composeEmail(letter: Letter, to: Addressee, options: ComposerOptions): EmailMessage {
  const { from, secrets } = options;
  const { tenant } = splitPersonKey(to.person);
  const domain = domainOf(from.address);
  const links = linksOf(letter, to.person, options);
  const { subject, locale } = frameOf(letter);
  return {
    delivery: to.delivery,
    tenant,
    from,
    to: to.address,
    messageId: `<${secrets.idOf(['message', to.delivery])}@${domain}>`,
    subject: subjectLine(subject),
    html: htmlOf(letter, links, options),
    text: textOf(letter, links, options),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'Content-Language': locale.replace(/[^A-Za-z0-9-]/g, ''),
      'X-Carillon-Reference': secrets.seal('reference', [tenant, to.address]),
      ...threadHeaders(letter, to.person, { secrets, domain }),
      ...listHeaders(letter, links, domain),
    },
  };
}

interface Links {
  readonly settings: string | null;
  readonly unsubscribe: string | null;
}

function linksOf(letter: Letter, person: PersonKey, { publicUrl, secrets }: ComposerOptions): Links {
  if (publicUrl === null) return { settings: null, unsubscribe: null };
  const { tenant, user } = splitPersonKey(person);
  const base = publicUrl.replace(/\/+$/, '');
  const settings = `${base}/v1/email-preferences/${secrets.seal('preferences', [tenant, user])}`;
  if (letter.kind === 'notification' && letter.isCritical) return { settings, unsubscribe: null };
  // Whoever has had enough of a digest wants no other mails in its place.
  const scope = letter.kind === 'digest' ? everything : letter.category;
  return { settings, unsubscribe: `${base}/v1/unsubscribe/${secrets.seal('unsubscribe', [tenant, user, scope])}` };
}

function frameOf(letter: Letter): Omit<EmailText, 'body' | 'text'> {
  return letter.kind === 'digest' ? letter.frame : letter.text;
}

/** Mails about one group hang on one root, which need not have been sent. */
function threadHeaders(
  letter: Letter,
  person: PersonKey,
  { secrets, domain }: { secrets: EmailSecrets; domain: string },
): Record<string, string> {
  if (letter.kind === 'digest') return {};
  const root = `<${secrets.idOf(['thread', person, letter.thread])}@${domain}>`;
  return { 'In-Reply-To': root, References: root };
}

function listHeaders(letter: Letter, { unsubscribe }: Links, domain: string): Record<string, string> {
  const isDigest = letter.kind === 'digest';
  const category = isDigest ? 'digest' : letter.category;
  const feedback = `${label(isDigest ? 'digest' : letter.type)}:${label(category)}:email:${label(domain)}`;
  if (!isDigest && letter.isCritical) return { 'Feedback-ID': feedback };
  return {
    'List-Id': `<${label(category)}.${domain}>`,
    'Feedback-ID': feedback,
    ...(unsubscribe !== null && {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  };
}

/** A name as a part of headers: letters, digits and hyphens. */
function label(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-+/, '').slice(0, 63).replace(/-+$/, '') || 'other';
}

const templates = lazy(() => {
  const html = readFileSync(new URL('./templates/mail.html', import.meta.url), 'utf8');
  return { ltr: new Template(html), rtl: new Template(mirrored(html)) };
});

function htmlOf(letter: Letter, links: Links, options: ComposerOptions): string {
  const { subject, locale, direction, labels } = frameOf(letter);
  return templates()[direction].fill({
    values: {
      lang: locale,
      dir: direction,
      subject,
      open: labels.open,
      ...headOf(letter),
      foot: new Html(footOf(links, labels, options)),
    },
    blocks: blocksOf(letter),
  });
}

function headOf(letter: Letter): { heading: string; preview: string } {
  if (letter.kind === 'digest') {
    return { heading: letter.frame.subject, preview: letter.entries[0]?.body ?? letter.frame.subject };
  }
  return { heading: letter.text.subject, preview: letter.text.body };
}

function blocksOf(letter: Letter): Filling['blocks'] {
  const url = safeLink(frameOf(letter).url);
  const button = url === null ? [] : [{ block: 'button', values: { url } }];
  if (letter.kind === 'digest') return [...letter.entries.slice(0, limits.digestEntriesMax).map(entryOf), ...button];
  const { subject, body } = letter.text;
  // The heading says it already.
  return [...(body === subject ? [] : [{ block: 'entry', values: { body } }]), ...button];
}

function entryOf({ body, url }: EmailText): Filling['blocks'][number] {
  const link = safeLink(url);
  return link === null ? { block: 'entry', values: { body } } : { block: 'linked', values: { body, url: link } };
}

function footOf({ settings, unsubscribe }: Links, labels: EmailText['labels'], options: ComposerOptions): string {
  const link = (url: string, text: string): string => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;
  const own = [settings && link(settings, labels.settings), unsubscribe && link(unsubscribe, labels.unsubscribe)];
  const lines = [
    own.filter(Boolean).join(' · '),
    [options.senderName, options.postalAddress].filter(Boolean).map(escapeHtml).join(' · '),
  ];
  return lines.filter(Boolean).join('<br>');
}

function textOf(letter: Letter, { settings, unsubscribe }: Links, options: ComposerOptions): string {
  const { labels } = frameOf(letter);
  const foot = [
    settings && `${labels.settings}: ${settings}`,
    unsubscribe && `${labels.unsubscribe}: ${unsubscribe}`,
    options.senderName,
    options.postalAddress,
  ].filter(Boolean);
  return `${wordsOf(letter)}${foot.length === 0 ? '' : `\n-- \n${foot.join('\n')}\n`}`;
}

function wordsOf(letter: Letter): string {
  if (letter.kind === 'notification') return letter.text.text;
  const { frame, entries } = letter;
  const shown = entries.slice(0, limits.digestEntriesMax).map(({ body, url }) => {
    const link = safeLink(url);
    return link === null ? `* ${body}` : `* ${body}\n  ${link}`;
  });
  const link = safeLink(frame.url);
  const open = link === null ? [] : [`${frame.labels.open}: ${link}`];
  return `${[frame.subject, shown.join('\n'), ...open].join('\n\n')}\n`;
}
