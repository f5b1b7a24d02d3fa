/**
 * What an email about one notification says (C3, C4): subject, words, where it leads, labels for what goes around it. Pure
 * text: whoever puts it into HTML escapes it (`escapeHtml`), and nothing of it can break a header.
 */
import { limits } from '../base/limits.ts';
import { type LocaleWords, languageOf, type TypeTexts } from './locale-words.ts';
import { longestThatFits } from './longest-that-fits.ts';
import type { DescribedFacts } from './render-in-app.ts';
import { safeLink } from './safe-link.ts';

export interface EmailText {
  /** One line. */
  readonly subject: string;
  /** The words alone. */
  readonly body: string;
  /** The whole of the plain part: words and link. */
  readonly text: string;
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  /** Absolute; null where the app has no address or the thing no link. */
  readonly url: string | null;
  readonly labels: { readonly open: string; readonly settings: string; readonly unsubscribe: string };
}

/** `appUrl`: where links that are paths of the app lead, `https://app.example`. */
export function renderEmail(
  facts: DescribedFacts,
  { words, texts }: { readonly words: LocaleWords; readonly texts: TypeTexts },
  appUrl: string | null,
): EmailText {
  const { object } = facts;
  const url = absoluteLink(object.url, appUrl) ?? absoluteLink(object.parent?.url ?? null, appUrl);
  const body = texts.emailText(facts);
  const open = words.phrase('open');
  return {
    subject: subjectLine(texts.emailSubject(facts)),
    body,
    text: url === null ? `${body}\n` : `${body}\n\n${open}: ${url}\n`,
    ...languageOf(words),
    url,
    labels: emailLabels(words),
  };
}

/** What stands on the links around the words. */
export function emailLabels(words: LocaleWords): EmailText['labels'] {
  return { open: words.phrase('open'), settings: words.phrase('settings'), unsubscribe: words.phrase('unsubscribe') };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not get into a header
const breaks = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** One line within the limit, whatever the text. */
export function subjectLine(text: string): string {
  const line = text.replace(breaks, ' ').trim();
  return longestThatFits(line, (part) => Buffer.byteLength(part) <= limits.emailSubjectBytesMax);
}

/** A link that also leads there from outside the app. */
export function absoluteLink(url: string | null, appUrl: string | null): string | null {
  const safe = safeLink(url);
  if (safe === null || !safe.startsWith('/')) return safe;
  return appUrl !== null && URL.canParse(safe, appUrl) ? safeLink(new URL(safe, appUrl).href) : null;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char] as string);
}
