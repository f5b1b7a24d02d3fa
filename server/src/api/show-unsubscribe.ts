/**
 * `GET /v1/unsubscribe/{token}`: a page with a button, without a login. Looking at it changes nothing, however often:
 * programs that check links do so before the person (BC-56).
 */
import { isDeepStrictEqual } from 'node:util';
import { escapeHtml } from '../content/render-email.ts';
import { everything } from '../deliver/email/compose-email.ts';
import { mailCategories, withoutMail } from './mail-categories.ts';
import { LinkParams, type MailLink, type MailLinkParts, openLink, pageAnswers } from './mail-link.ts';
import { categoryTitle, deadLink, mailPage } from './mail-page.ts';
import { type Answer, defineOperation, type Operation } from './operation.ts';

export function showUnsubscribe(parts: MailLinkParts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/unsubscribe/:token',
    summary: 'The page behind the link to unsubscribe; it changes nothing',
    caller: 'anyone',
    params: LinkParams,
    ...pageAnswers,
    errors: [],
    async handle({ params: { token } }) {
      const link = await openLink(parts, 'unsubscribe', token);
      if (link === null) return deadLink(parts.content.current.words.default);
      const isDone = isDeepStrictEqual(withoutMail(link.choices, link.scope, parts.content.types), link.choices);
      return isDone ? unsubscribedPage(parts, link) : askingPage(parts, link);
    },
  });
}

/** What is answered once it is done, also to whoever comes again. */
export function unsubscribedPage(parts: MailLinkParts, link: MailLink): Answer {
  const { words } = link;
  return mailPage({
    words,
    title: words.phrase('unsubscribed'),
    body: aboutWhat(parts, link) + settingsLink(parts, link),
  });
}

function askingPage(parts: MailLinkParts, link: MailLink): Answer {
  const { words } = link;
  const unsubscribe = words.phrase('unsubscribe');
  // As a mail program sends it (RFC 8058), to the same address.
  const form = `<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><p><button>${escapeHtml(unsubscribe)}</button></p></form>`;
  return mailPage({ words, title: unsubscribe, body: aboutWhat(parts, link) + form + settingsLink(parts, link) });
}

function aboutWhat({ content }: MailLinkParts, { words, scope }: MailLink): string {
  const types = mailCategories(content.types).get(scope);
  const emails = words.phrase('emails');
  const text = scope === everything || types === undefined ? emails : `${emails}: ${categoryTitle(words, types)}`;
  return `<p>${escapeHtml(text)}</p>`;
}

function settingsLink({ secrets }: MailLinkParts, { person, words }: MailLink): string {
  const token = secrets.seal('preferences', person.split('\u0001'));
  return `<p><a href="../email-preferences/${token}">${escapeHtml(words.phrase('settings'))}</a></p>`;
}
