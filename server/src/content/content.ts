/**
 * The catalogue at work: types, and what is said of them in every locale. Made of a checked source; never changed, only
 * replaced as a whole (`live-content.ts`). A text that cannot be made is replaced by a generic one, and counted (C6).
 */
import type { ChannelDecision } from '@carillon/contract/reasons.ts';
import { digest } from '../base/hash.ts';
import { lazy } from '../base/lazy.ts';
import { builtInFiles, readBuiltInFile } from './built-in-files.ts';
import type { CatalogueSource } from './catalogue-source.ts';
import { type LocaleWords, languageOf } from './locale-words.ts';
import { reasonText } from './reason-text.ts';
import { absoluteLink, type EmailText, emailLabels, renderEmail, subjectLine } from './render-email.ts';
import { countFallback } from './render-fallback.ts';
import { type DescribedFacts, type InAppDescription, renderInApp } from './render-in-app.ts';
import { type PushFacts, type PushText, renderPush, strictest } from './render-push.ts';
import { resolveTypes } from './resolve-types.ts';
import { type LinkRule, linkRule } from './safe-link.ts';
import { createTypeCatalogue, type TypeCatalogue } from './type-catalogue.ts';
import type { PrivacyLevel } from './type-entry.ts';
import { Words } from './words.ts';

export class Content {
  readonly types: TypeCatalogue;
  readonly #words: () => Words;
  readonly #source: CatalogueSource;
  readonly #link: LinkRule;
  #templateVersion: string | null = null;

  constructor(source: CatalogueSource) {
    const types = createTypeCatalogue(resolveTypes(source.types));
    this.types = types;
    this.#words = lazy(
      () => new Words({ ...source, groupsByParent: (type) => types.find(type)?.grouping === 'parent' }),
    );
    this.#source = source;
    this.#link = linkRule(source.linkSchemes);
  }

  /** Read when they are first asked for. */
  get words(): Words {
    return this.#words();
  }

  /** Names the words of all types and locales: the same version, the same text for the same facts. */
  get templateVersion(): string {
    this.#templateVersion ??= templateVersion(this.#source);
    return this.#templateVersion;
  }

  /** `locale`: any language tag; null for the default locale. */
  describe(facts: DescribedFacts, locale: string | null): InAppDescription {
    const type = this.types.find(facts.type);
    const words = this.words.in(locale);
    const texts = words.texts(facts.type);
    if (!texts.isOwn) countFallback('inApp', 'noWords');
    try {
      return renderInApp(facts, { type, texts, link: this.#link });
    } catch {
      countFallback('inApp', 'failed');
      return plainInApp(words);
    }
  }

  /** `lockScreen`: what the person allows there; the type may allow less. Whoever sends it, fits it (`fitPush`). */
  push(facts: PushFacts, locale: string | null, lockScreen: PrivacyLevel): PushText {
    const type = this.types.find(facts.type);
    const words = this.words.in(locale);
    const texts = words.texts(facts.type);
    if (!texts.isOwn) countFallback('push', 'noWords');
    // Of a type that is gone nothing is known, so no words of others are shown.
    const privacy = strictest(lockScreen, type?.privacy ?? 'sender');
    try {
      return renderPush(facts, type, { words, texts, privacy, link: this.#link });
    } catch {
      countFallback('push', 'failed');
      return plainPush(words);
    }
  }

  /** `appUrl`: where paths of the app lead. */
  email(facts: DescribedFacts, locale: string | null, appUrl: string | null): EmailText {
    const words = this.words.in(locale);
    const texts = words.texts(facts.type);
    if (!texts.isOwn) countFallback('email', 'noWords');
    try {
      return renderEmail(facts, { words, texts }, appUrl);
    } catch {
      countFallback('email', 'failed');
      return plainEmail(words);
    }
  }

  /** What goes around the words of `count` notifications that come as one email. */
  digest(count: number, locale: string | null, appUrl: string | null): Omit<EmailText, 'body' | 'text'> {
    const words = this.words.in(locale);
    const url = absoluteLink('/', appUrl);
    return {
      subject: subjectLine(words.phrase('digest', count)),
      ...languageOf(words),
      url,
      labels: emailLabels(words),
    };
  }

  /** Why a channel was used or not, in one sentence. `timeZone`: IANA name, in which times are told. */
  explain(decision: ChannelDecision, locale: string | null, timeZone: string): string {
    return reasonText(decision, this.words.in(locale), timeZone);
  }
}

/** Words that ask nothing of the facts, which may be what fails. */
function plainInApp(words: LocaleWords): InAppDescription {
  const text = words.phrase('hidden');
  return { text: { title: text, body: text }, url: null, actions: [], subjectUrl: null, aboutParent: false };
}

function plainPush(words: LocaleWords): PushText {
  const text = words.phrase('hidden');
  return { title: text, body: text, ...languageOf(words), url: null, image: null, actions: [] };
}

function plainEmail(words: LocaleWords): EmailText {
  const text = words.phrase('hidden');
  return { subject: text, body: text, text: `${text}\n`, ...languageOf(words), url: null, labels: emailLabels(words) };
}

function templateVersion({ messages, defaultLocale }: CatalogueSource): string {
  const ours = builtInFiles().map(readBuiltInFile);
  return digest(['words', defaultLocale, JSON.stringify(messages), ...ours], 12);
}
