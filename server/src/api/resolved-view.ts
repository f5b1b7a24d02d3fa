/** What applies to a person, for people to look at: the rules of `decide` asked for every type of the catalogue (D2). */
import type { Relations } from '@carillon/contract/preferences.ts';
import { type Channel, channels } from '@carillon/contract/reasons.ts';
import type { Resolved } from '@carillon/contract/resolved-preferences.ts';
import type { TypeCatalogue } from '../content/type-catalogue.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import { resolvePreference } from '../decide/resolve-preference.ts';
import type { Profile } from '../profile/profile.ts';

type Choices = Profile['choices'];

export function resolvedView(profile: Profile | null, types: TypeCatalogue): Resolved {
  const choices = profile?.choices ?? {};
  const { relations = {}, digest } = choices;
  const told = types.types.filter(({ rule }) => rule === 'notify');
  return {
    locale: word(choices.locale, profile?.facts?.locale),
    timeZone: word(choices.timeZone, profile?.facts?.timeZone),
    relations: {
      notFollowed: relation(relations.notFollowed),
      notFollowing: relation(relations.notFollowing),
      newAccounts: relation(relations.newAccounts),
    },
    digest: digest === undefined ? { value: { email: 'off' }, from: 'default' } : { value: digest, from: 'choice' },
    types: Object.fromEntries(told.map((type) => [type.name, { category: type.category, ...ofType(choices, type) }])),
  };
}

/** What the person chose goes before what the app says. */
function word(chosen: string | undefined, said: string | null | undefined): Resolved['locale'] {
  if (chosen !== undefined) return { value: chosen, from: 'choice' };
  return typeof said === 'string' ? { value: said, from: 'facts' } : { value: null, from: 'default' };
}

function relation(chosen: Relations['notFollowed']): Resolved['relations']['notFollowed'] {
  return chosen === undefined ? { value: 'accept', from: 'default' } : { value: chosen, from: 'choice' };
}

type OnChannels = Record<Channel, { on: boolean; from: Resolved['types'][string]['push']['from'] }>;

function ofType(choices: Choices, type: TypeEntry): OnChannels {
  const found = channels.map((channel) => {
    const { isOn, origin } = resolvePreference(choices, type, channel);
    return [channel, { on: isOn, from: origin }] as const;
  });
  return Object.fromEntries(found) as OnChannels;
}
