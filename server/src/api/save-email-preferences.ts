/** `POST /v1/email-preferences/{token}`: takes over what was changed on the page, and nothing else (V21, A5). */
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { limits } from '../base/limits.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import { everything } from '../deliver/email/compose-email.ts';
import { changeChoices } from './change-choices.ts';
import { allMail, preferencesPage } from './email-preferences-page.ts';
import { mailCategories, withCategory, withoutMail } from './mail-categories.ts';
import { LinkParams, type MailLinkParts, openLink, pageAnswers } from './mail-link.ts';
import { deadLink } from './mail-page.ts';
import { defineOperation, type Operation } from './operation.ts';

export function saveEmailPreferences(parts: MailLinkParts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/email-preferences/:token',
    summary: 'Save what was changed on the page of mail preferences',
    caller: 'anyone',
    params: LinkParams,
    rawBody: { contentTypes: ['application/x-www-form-urlencoded'], bytesMax: limits.unsubscribeBytesMax },
    ...pageAnswers,
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ params: { token }, body }) {
      const link = await openLink(parts, 'preferences', token);
      if (link === null) return deadLink(parts.content.current.words.default);
      const changes = changesOf(new URLSearchParams((body as Buffer).toString()));
      await changeChoices(parts, link.person, (choices) => withChanges(choices, changes, parts.content.types));
      const now = await openLink(parts, 'preferences', token);
      return preferencesPage(parts, now ?? link, true);
    },
  });
}

/** By name of a switch: what it was turned to. */
function changesOf(form: URLSearchParams): ReadonlyMap<string, boolean> {
  const [on, was] = [new Set(form.getAll('on')), new Set(form.getAll('was'))];
  const names = [...new Set([...on, ...was])].filter((name) => on.has(name) !== was.has(name));
  return new Map(names.map((name) => [name, on.has(name)]));
}

function withChanges(
  stored: PreferenceChoices,
  changes: ReadonlyMap<string, boolean>,
  types: readonly TypeEntry[],
): PreferenceChoices {
  let choices = stored;
  const all = changes.get(allMail);
  if (all === false) choices = withoutMail(choices, everything, types);
  if (all === true) choices = { ...choices, channels: { ...choices.channels, email: true } };
  for (const category of mailCategories(types).keys()) {
    const isOn = changes.get(category);
    if (isOn !== undefined) choices = withCategory(choices, { category, isOn, types });
  }
  return choices;
}
