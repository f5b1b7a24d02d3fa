/**
 * What a push says (C3–C5), the same for every provider: words by privacy, where it leads, buttons, a picture. Pure; the
 * provider encodes it, and `fitPush` shortens it until the encoded payload keeps the provider's limit.
 */

import { type LocaleWords, languageOf, type TypeTexts } from './locale-words.ts';
import { longestThatFits } from './longest-that-fits.ts';
import { type DescribedFacts, type ShownAction, shownActions } from './render-in-app.ts';
import { type LinkRule, safeLink } from './safe-link.ts';
import { type PrivacyLevel, privacyLevels, type TypeEntry } from './type-entry.ts';

export interface PushFacts extends DescribedFacts {
  readonly actors: readonly (DescribedFacts['actors'][number] & { readonly avatar: string | null })[];
  readonly object: DescribedFacts['object'] & { readonly image: string | null };
}

export interface PushText {
  readonly title: string;
  readonly body: string;
  /** BCP 47, and the direction of the text. */
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  readonly url: string | null;
  readonly image: string | null;
  readonly actions: readonly ShownAction[];
}

/** The words a text is made of, and how much of it a lock screen may show. */
export interface PushWords {
  readonly words: LocaleWords;
  readonly texts: TypeTexts;
  readonly privacy: PrivacyLevel;
  readonly link: LinkRule;
}

/** The stricter of what the type and the person say. */
export function strictest(...levels: readonly PrivacyLevel[]): PrivacyLevel {
  return privacyLevels[Math.max(...levels.map((level) => privacyLevels.indexOf(level)))] as PrivacyLevel;
}

export function renderPush(facts: PushFacts, type: TypeEntry | undefined, use: PushWords): PushText {
  const { words, privacy } = use;
  const { object, actors } = facts;
  const common = {
    ...languageOf(words),
    url: use.link(object.url) ?? use.link(object.parent?.url ?? null),
  } as const;
  if (privacy === 'hidden') {
    return { ...common, ...hiddenText(facts, use), image: null, actions: [] };
  }
  const avatar = safeLink(actors[0]?.avatar ?? null);
  const shown = privacy === 'full' ? facts : withoutWords(facts);
  return {
    ...common,
    title: use.texts.pushTitle(shown),
    body: use.texts.pushBody(shown),
    image: privacy === 'full' ? (safeLink(object.image) ?? avatar) : avatar,
    actions: type === undefined ? [] : shownActions(facts, type, use),
  };
}

/** Not who, nor what: only that there is something. */
function hiddenText(facts: PushFacts, { words, texts }: PushWords): { title: string; body: string } {
  const nobody = { ...withoutWords(facts), actors: [], actorCount: 0 };
  return { title: words.generic.title(nobody), body: texts.hidden(nobody) };
}

/** The facts without what anybody wrote: neither the object's words nor those of what it belongs to. */
function withoutWords(facts: PushFacts): PushFacts {
  const { parent } = facts.object;
  return { ...facts, object: { ...facts.object, title: null, parent: parent && { ...parent, title: null } } };
}

/** Of a body that is too long at least this much is kept before anything else goes. */
const bodyKept = 80;

/**
 * The push as it fits: first the body is shortened, then picture and buttons go, then the title is shortened, then what is
 * left of the body, to a cluster each at least. Nothing is ever dropped for being too long.
 * Throws RangeError where even that is too much: then the limit leaves no room for the payload's own frame.
 */
export function fitPush(push: PushText, bytesMax: number, encode: (push: PushText) => string): PushText {
  const fits = (candidate: PushText): boolean => Buffer.byteLength(encode(candidate)) <= bytesMax;
  if (fits(push)) return push;
  const shortBody = longestThatFits(push.body, (body) => fits({ ...push, body }));
  if (shortBody.length >= Math.min(bodyKept, push.body.length) && fits({ ...push, body: shortBody })) {
    return { ...push, body: shortBody };
  }
  for (const plainer of [
    { ...push, image: null },
    { ...push, image: null, actions: [] },
  ]) {
    const body = longestThatFits(push.body, (text) => fits({ ...plainer, body: text }));
    if (fits({ ...plainer, body })) return { ...plainer, body };
  }
  const plain = { ...push, image: null, actions: [] };
  const least = longestThatFits(push.body, () => false);
  const title = longestThatFits(push.title, (text) => fits({ ...plain, title: text, body: least }));
  const withTitle = { ...plain, title, body: least };
  if (fits(withTitle)) return withTitle;
  // A link too long for the payload leads nowhere anyway once it is cut: the app opens at its start.
  const last = { ...withTitle, url: null };
  if (!fits(last)) throw new RangeError(`a push does not fit ${bytesMax} bytes, whatever is left out`);
  return last;
}
