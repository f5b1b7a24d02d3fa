/**
 * What a message may ask for, and where it comes from (C2, C4). User text is cut, cleaned of controls, and set apart where
 * its letters may run the other way; in a right-to-left sentence always.
 */
import { limits } from '../base/limits.ts';
import type { LocaleTools } from './locale-tools.ts';
import { cleanText, inSentence, isolated } from './user-text.ts';

/** What the words of a notification depend on: the part of an item that a reader sees. */
export interface TextFacts {
  readonly type: string;
  /** Newest first, at most three. */
  readonly actors: readonly { readonly id: string; readonly name: string | null }[];
  readonly actorCount: number;
  readonly object: {
    readonly kind: string;
    readonly title: string | null;
    readonly parent: { readonly kind: string; readonly title: string | null } | null;
  };
  /** A comment or reply that also mentions the reader. */
  readonly mentioned: boolean;
}

/** The patterns of a locale, compiled. */
export interface Patterns {
  quoted(text: string): string;
  said(text: string): string;
  someone(): string;
  people(count: number): string;
  others(count: number): string;
}

/** The arguments of texts of types. A message of a type that groups by parent quotes the parent, others the object. */
export const typeArgumentNames = ['people', 'count', 'kind', 'title', 'titled', 'quoted', 'said'] as const;
type TypeArguments = Readonly<Record<(typeof typeArgumentNames)[number], (facts: TextFacts) => string | number>>;

export function typeArguments(tools: LocaleTools, patterns: Patterns, groupsByParent: boolean): TypeArguments {
  const shown = tools.isRightToLeft ? shownApart : shownInline;
  const people = peopleText(tools, patterns, shown);
  const subject = ({ object }: TextFacts): { kind: string; title: string | null } =>
    groupsByParent && object.parent !== null ? object.parent : object;
  return {
    people,
    count: ({ actorCount }) => Math.max(actorCount, 1),
    kind: (facts) => subject(facts).kind,
    title: ({ object }) => shown(object.title),
    titled: ({ object }) => (shown(object.title) === '' ? 'no' : 'yes'),
    quoted(facts) {
      const text = shown(subject(facts).title);
      return text === '' ? '' : patterns.quoted(text);
    },
    said({ object, actorCount }) {
      // Several people said several things: the newest words would be put in everybody's mouth.
      const text = actorCount > 1 ? '' : shown(object.title);
      return text === '' ? '' : patterns.said(text);
    },
  };
}

type Shown = (text: string | null) => string;

/** User text as it may stand in a sentence; empty where there is nothing to see. */
const shownInline: Shown = (text) => (text === null ? '' : inSentence(text, limits.inAppTitleBytesMax));

const shownApart: Shown = (text) => {
  const clean = text === null ? '' : cleanText(text, limits.inAppTitleBytesMax);
  return clean === '' ? '' : isolated(clean);
};

/** "Ana", "Ana and Bo", "Ana, Bo and Cy", "Ana, Bo and 5 others". */
function peopleText(tools: LocaleTools, patterns: Patterns, shown: Shown): (facts: TextFacts) => string {
  const name = (actor: { readonly id: string; readonly name: string | null }): string =>
    shown(actor.name) || shown(actor.id) || patterns.someone();
  return ({ actors, actorCount }) => {
    const [first, second, third] = actors;
    if (first === undefined) return actorCount > 1 ? patterns.people(actorCount) : patterns.someone();
    if (second === undefined || actorCount <= 1) {
      return actorCount > 1 ? tools.list([name(first), patterns.others(actorCount - 1)]) : name(first);
    }
    if (actorCount === 2) return tools.list([name(first), name(second)]);
    const last = actorCount === 3 && third !== undefined ? name(third) : patterns.others(actorCount - 2);
    return tools.list([name(first), name(second), last]);
  };
}
