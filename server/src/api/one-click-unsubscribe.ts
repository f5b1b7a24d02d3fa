/**
 * `POST /v1/unsubscribe/{token}`: unsubscribes at once, without a login, a question or a redirect (RFC 8058). Again, the
 * same is answered, and nothing changes. Other lists, and mail about the safety of the account, go on (V21, BC-56).
 */
import { CarillonError } from '../base/carillon-error.ts';
import { limits } from '../base/limits.ts';
import { changeChoices } from './change-choices.ts';
import { withoutMail } from './mail-categories.ts';
import { LinkParams, type MailLinkParts, openLink, pageAnswers } from './mail-link.ts';
import { deadLink } from './mail-page.ts';
import { defineOperation, type Operation } from './operation.ts';
import { unsubscribedPage } from './show-unsubscribe.ts';

export function oneClickUnsubscribe(parts: MailLinkParts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/unsubscribe/:token',
    summary: 'Unsubscribe by one click',
    caller: 'anyone',
    params: LinkParams,
    rawBody: {
      contentTypes: ['application/x-www-form-urlencoded', 'multipart/form-data'],
      bytesMax: limits.unsubscribeBytesMax,
    },
    ...pageAnswers,
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ params: { token }, body }) {
      const link = await openLink(parts, 'unsubscribe', token);
      if (link === null) return deadLink(parts.content.current.words.default);
      if (!isOneClick(body as Buffer)) {
        const fields = [{ path: '', detail: 'Must be the form List-Unsubscribe=One-Click.' }];
        throw new CarillonError('CARILLON_REQUEST_INVALID', 'The request does not fit its schema.', { fields });
      }
      await changeChoices(parts, link.person, (choices) => withoutMail(choices, link.scope, parts.content.types));
      return unsubscribedPage(parts, link);
    },
  });
}

/** In either form that RFC 8058 allows. */
function isOneClick(body: Buffer): boolean {
  const text = body.toString('latin1');
  if (new URLSearchParams(text.trim()).get('List-Unsubscribe') === 'One-Click') return true;
  return /name="?List-Unsubscribe"?\r?\n(?:[^\r\n]+\r?\n)*\r?\nOne-Click\r?\n/i.test(text);
}
