/** A link of a mail, opened: whose it is, what is known of them, in which words they are answered (V21). */

import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { Type } from 'typebox';
import { type PersonKey, personKey } from '../base/ids.ts';
import type { LiveContent } from '../content/live-content.ts';
import type { LocaleWords } from '../content/locale-words.ts';
import type { EmailSecrets, TokenUse } from '../deliver/email/email-secrets.ts';
import { localeOf } from '../profile/person-locales.ts';
import type { PreferenceParts } from './write-preferences.ts';

export interface MailLinkParts extends PreferenceParts {
  readonly secrets: EmailSecrets;
  readonly content: LiveContent;
}

export const LinkParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 1024 }) });

/** Pages, and what they answer to a link that is none. */
export const pageAnswers = { answers: { 200: Type.String(), 400: Type.String() }, answerType: 'text/html' } as const;

export interface MailLink {
  readonly person: PersonKey;
  /** Of a link to unsubscribe: a category, or everything. */
  readonly scope: string;
  readonly choices: PreferenceChoices;
  readonly words: LocaleWords;
}

/** Null: no link of ours. `words` then are those of the default language. */
export async function openLink(
  { secrets, profiles, content }: MailLinkParts,
  use: TokenUse,
  token: string,
): Promise<MailLink | null> {
  const [tenant, user, scope = ''] = secrets.open(use, token) ?? [];
  if (tenant === undefined || user === undefined) return null;
  const person = personKey(tenant, user);
  const [profile = null] = await profiles.read([person]);
  const words = content.current.words.in(localeOf(profile));
  return { person, scope, choices: profile?.choices ?? {}, words };
}
