/** `GET /v1/email-preferences/{token}`: the page of a person's mail preferences, by a link of a mail, without a login (V21). */
import { preferencesPage } from './email-preferences-page.ts';
import { LinkParams, type MailLinkParts, openLink, pageAnswers } from './mail-link.ts';
import { deadLink } from './mail-page.ts';
import { defineOperation, type Operation } from './operation.ts';

export function showEmailPreferences(parts: MailLinkParts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/email-preferences/:token',
    summary: 'The page of mail preferences behind a link of a mail',
    caller: 'anyone',
    params: LinkParams,
    ...pageAnswers,
    errors: [],
    async handle({ params: { token } }) {
      const link = await openLink(parts, 'preferences', token);
      if (link === null) return deadLink(parts.content.current.words.default);
      return preferencesPage(parts, link, false);
    },
  });
}
