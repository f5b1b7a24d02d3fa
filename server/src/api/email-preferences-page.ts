/** The page of a person's mail preferences: a switch for all mail, and one for each category of the catalogue (V21). */
import { escapeHtml } from '../content/render-email.ts';
import { isMailOn, mailCategories } from './mail-categories.ts';
import type { MailLink, MailLinkParts } from './mail-link.ts';
import { categoryTitle, mailPage } from './mail-page.ts';
import type { Answer } from './operation.ts';

/** Of the switch for all mail; no category has this name. */
export const allMail = '*';

export function preferencesPage({ content }: MailLinkParts, { choices, words }: MailLink, isSaved: boolean): Answer {
  const rows = [...mailCategories(content.types)].map(([category, types]) =>
    row(category, categoryTitle(words, types), isMailOn(choices, types)),
  );
  const all = row(allMail, words.phrase('emails'), choices.channels?.email ?? true);
  const saved = isSaved ? `<p role="status">${escapeHtml(words.phrase('saved'))}</p>` : '';
  const body = `${saved}<form method="post"><ul>${all}${rows.join('')}</ul><button>${escapeHtml(words.phrase('save'))}</button></form>`;
  return mailPage({ words, title: words.phrase('settings'), body });
}

/** `was` tells later what was changed here, so that what was changed elsewhere meanwhile stays. */
function row(name: string, label: string, isOn: boolean): string {
  const value = escapeHtml(name);
  return `<li><label><span>${escapeHtml(label)}</span><input type="checkbox" name="on" value="${value}"${isOn ? ' checked' : ''}></label>${isOn ? `<input type="hidden" name="was" value="${value}">` : ''}</li>`;
}
