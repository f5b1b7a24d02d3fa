/**
 * What links in mails change of a person's choices (V21), as pure functions over the preferences document: the same
 * choices that the person could make in the app (D2).
 */
import type { ChannelChoices, PreferenceChoices } from '@carillon/contract/preferences.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import { resolvePreference } from '../decide/resolve-preference.ts';
import { everything } from '../deliver/email/compose-email.ts';

type Types = readonly TypeEntry[];
type Named = Readonly<Record<string, ChannelChoices>>;

/** Categories that mail can come of and that can be switched off, with their types, in the catalogue's order. */
export function mailCategories(types: Types): ReadonlyMap<string, Types> {
  const found = new Map<string, TypeEntry[]>();
  for (const type of types) {
    if (type.rule !== 'notify' || type.critical || type.emailMode === 'off') continue;
    found.set(type.category, [...(found.get(type.category) ?? []), type]);
  }
  return found;
}

/** Whether any mail of these types may come. */
export function isMailOn(choices: PreferenceChoices, types: Types): boolean {
  return types.some((type) => resolvePreference(choices, type, 'email').isOn);
}

/** `scope`: a category, or `everything`. Choices for single types of it give way. */
export function withoutMail(choices: PreferenceChoices, scope: string, types: Types): PreferenceChoices {
  if (scope !== everything) return withCategory(choices, { category: scope, isOn: false, types });
  const { digest } = choices;
  return {
    ...choices,
    channels: { ...choices.channels, email: false },
    ...(choices.categories && { categories: withoutTrue(choices.categories) }),
    ...(choices.types && { types: withoutTrue(choices.types) }),
    ...(digest && { digest: { ...digest, email: 'off' as const } }),
  };
}

export interface CategorySwitch {
  readonly category: string;
  readonly isOn: boolean;
  readonly types: Types;
}

export function withCategory(choices: PreferenceChoices, { category, isOn, types }: CategorySwitch): PreferenceChoices {
  const inside = new Set(types.filter((type) => type.category === category).map(({ name }) => name));
  const ofTypes = Object.entries(choices.types ?? {}).map(([name, given]) => [
    name,
    inside.has(name) ? withoutEmail(given) : given,
  ]);
  return {
    ...choices,
    categories: { ...choices.categories, [category]: { ...choices.categories?.[category], email: isOn } },
    ...(choices.types && { types: Object.fromEntries(ofTypes) }),
  };
}

function withoutEmail({ email: _, ...others }: ChannelChoices): ChannelChoices {
  return others;
}

/** Exceptions that say yes go; those that say no say what is wanted. */
function withoutTrue(named: Named): Named {
  const kept = Object.entries(named).map(([name, given]) => [name, given.email === true ? withoutEmail(given) : given]);
  return Object.fromEntries(kept);
}
