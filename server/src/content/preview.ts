/** What a type reads like in a locale and channel (O1), with made-up people and things: for whoever writes the words. */

import type { Channel } from '@carillon/contract/reasons.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Content } from './content.ts';
import { languageOf } from './locale-words.ts';
import type { ShownAction } from './render-in-app.ts';
import type { PushFacts } from './render-push.ts';
import type { PrivacyLevel, TypeEntry } from './type-entry.ts';

export interface PreviewRequest {
  readonly type: string;
  /** Any language tag; null for the default locale. */
  readonly locale: string | null;
  readonly channel: Channel;
  /** For push: what the person allows on a lock screen; everything if absent. */
  readonly privacy?: PrivacyLevel | undefined;
}

export interface PreviewSample {
  /** How many people did it. */
  readonly people: number;
  /** Title, or subject of an email. */
  readonly title: string;
  readonly body: string;
  readonly url: string | null;
  readonly actions: readonly ShownAction[];
}

export interface Preview {
  readonly type: string;
  readonly channel: Channel;
  /** The locale whose words are used. */
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  readonly templateVersion: string;
  readonly samples: readonly PreviewSample[];
}

const peopleShown = [1, 2, 7];
const names = ['Ana', 'Bo', 'Cy'];

/** Throws CARILLON_EVENT_TYPE_UNKNOWN for a type that is not there, or one that tells nobody. */
export function preview(content: Content, request: PreviewRequest): Preview {
  const type = typeToPreview(content, request.type);
  const words = content.words.in(request.locale);
  const counts = type.grouping === 'alone' ? [1] : peopleShown;
  return {
    type: type.name,
    channel: request.channel,
    ...languageOf(words),
    templateVersion: content.templateVersion,
    samples: counts.map((people) =>
      sample(content, request, sampleFacts(type.name, people, type.grouping === 'parent')),
    ),
  };
}

/** Throws CARILLON_EVENT_TYPE_UNKNOWN for a type that is not there, or one that tells nobody. */
export function typeToPreview(content: Content, name: string): TypeEntry {
  const type = content.types.find(name);
  if (type !== undefined && type.rule === 'notify') return type;
  const detail = type === undefined ? 'There is no such type.' : `Of rule ${type.rule}, it tells nobody.`;
  throw new CarillonError('CARILLON_EVENT_TYPE_UNKNOWN', detail);
}

function sample(
  content: Content,
  { channel, locale, privacy = 'full' }: PreviewRequest,
  facts: PushFacts,
): PreviewSample {
  const people = facts.actorCount;
  switch (channel) {
    case 'inApp': {
      const { text, url, actions } = content.describe(facts, locale);
      return { people, ...text, url, actions };
    }
    case 'push': {
      const { title, body, url, actions } = content.push(facts, locale, privacy);
      return { people, title, body, url, actions };
    }
    case 'email': {
      const { subject, text, url } = content.email(facts, locale, 'https://app.example');
      return { people, title: subject, body: text, url, actions: [] };
    }
  }
}

/** Made-up people and things. */
export function sampleFacts(type: string, people: number, hasParent: boolean): PushFacts {
  const post = { kind: 'post', id: 'p1', title: 'My trip', url: '/p/p1' };
  const comment = { kind: 'comment', id: 'c1', title: 'Nice!', url: '/p/p1#c1', image: null, parent: post };
  return {
    type,
    actors: names.slice(0, Math.min(people, 3)).map((name) => ({ id: name.toLowerCase(), name, avatar: null })),
    actorCount: people,
    object: hasParent ? comment : { ...post, image: null, parent: null },
    mentioned: false,
  };
}
