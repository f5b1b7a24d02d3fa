/**
 * The words of one locale, compiled when they are first asked for and then kept (C2). What a locale does not say, its
 * parent says, in the parent's grammar. Kept are only types that have words, so the number of messages is bounded by the
 * catalogue, whatever is asked for.
 */
import type { Reason } from '@carillon/contract/reasons.ts';
import { type Arguments, type Compiled, compileMessage } from './compile-message.ts';
import { type LocaleTools, localeTools } from './locale-tools.ts';
import { type Patterns, type TextFacts, typeArguments } from './message-arguments.ts';
import type { LocaleMessages, PatternName, PhraseName, SlotName } from './message-declaration.ts';

/** The texts of one type in one locale. */
export type TypeTexts = Readonly<Record<SlotName, Compiled<TextFacts>>> & {
  /** Labels of actions, by id. */
  readonly actions: ReadonlyMap<string, Compiled<TextFacts>>;
  /** False for a type that has no words in any locale: these are the generic ones. */
  readonly isOwn: boolean;
};

/** What a text falls back to within its own locale, before the parent is asked. */
const standIns: Readonly<Partial<Record<SlotName, SlotName>>> = {
  mentioned: 'body',
  pushTitle: 'title',
  pushBody: 'body',
  emailSubject: 'body',
  emailText: 'body',
};

export interface OutcomeFacts {
  readonly channel: string;
  readonly reason: string;
  readonly until: string;
  readonly timed: string;
}

const outcomeArguments: Arguments<OutcomeFacts> = {
  channel: ({ channel }) => channel,
  reason: ({ reason }) => reason,
  until: ({ until }) => until,
  timed: ({ timed }) => timed,
};

const counted: Arguments<number> = { count: (count) => count };
const setIn: Arguments<string> = { text: (text) => text };

export interface LocaleWordsParts {
  readonly locale: string;
  readonly messages: LocaleMessages;
  readonly parent: LocaleWords | null;
  /** Whether rows of a type are about the parent of its object. */
  readonly groupsByParent: (type: string) => boolean;
}

export class LocaleWords {
  readonly locale: string;
  readonly tools: LocaleTools;
  readonly #parts: LocaleWordsParts;
  readonly #types = new Map<string, TypeTexts>();
  readonly #patterns: Patterns;
  readonly #phrases = new Map<PhraseName, Compiled<number>>();
  readonly #reasons = new Map<Reason, string>();
  readonly #outcomes = new Map<string, Compiled<OutcomeFacts>>();
  readonly #generic: TypeTexts;

  constructor(parts: LocaleWordsParts) {
    this.#parts = parts;
    this.locale = parts.locale;
    this.tools = localeTools(parts.locale);
    this.#patterns = {
      quoted: this.#pattern('quoted', setIn),
      said: this.#pattern('said', setIn),
      someone: this.#pattern('someone', {}) as () => string,
      people: this.#pattern('people', counted),
      others: this.#pattern('others', counted),
    };
    this.#generic = this.#typeTexts('generic', false);
  }

  /** Whether a type has words, here or in what this locale falls back to. */
  knows(type: string): boolean {
    const { messages, parent } = this.#parts;
    return messages.types?.[type] !== undefined || (parent?.knows(type) ?? false);
  }

  /** The words of a type; generic ones for a type without words. */
  texts(type: string): TypeTexts {
    const known = this.#types.get(type);
    if (known !== undefined) return known;
    if (!this.knows(type)) return this.#generic;
    const texts = this.#typeTexts(type, true);
    this.#types.set(type, texts);
    return texts;
  }

  get generic(): TypeTexts {
    return this.#generic;
  }

  phrase(name: PhraseName, count = 0): string {
    return this.#compiledPhrase(name)(count);
  }

  reason(reason: Reason): string {
    return kept(this.#reasons, reason, () => {
      const text = this.#parts.messages.reasons?.[reason];
      return text === undefined ? this.#parent().reason(reason) : compileMessage<null>(text, this.tools, {})(null);
    });
  }

  outcome(kind: 'send' | 'hold' | 'skip', facts: OutcomeFacts): string {
    return this.#compiledOutcome(kind)(facts);
  }

  #compiledOutcome(kind: 'send' | 'hold' | 'skip'): Compiled<OutcomeFacts> {
    return kept(this.#outcomes, kind, () => {
      const text = this.#parts.messages.outcomes?.[kind];
      if (text === undefined) return this.#parent().#compiledOutcome(kind);
      return compileMessage(text, this.tools, outcomeArguments);
    });
  }

  #compiledPhrase(name: PhraseName): Compiled<number> {
    return kept(this.#phrases, name, () => {
      const text = this.#parts.messages.phrases?.[name];
      return text === undefined ? this.#parent().#compiledPhrase(name) : compileMessage(text, this.tools, counted);
    });
  }

  #pattern<Words>(name: PatternName, names: Arguments<Words>): Compiled<Words> {
    const text = this.#parts.messages.patterns?.[name];
    if (text !== undefined) return compileMessage(text, this.tools, names);
    return this.#parent().#patterns[name] as unknown as Compiled<Words>;
  }

  #typeTexts(type: string, isOwn: boolean): TypeTexts {
    const names = typeArguments(this.tools, this.#patterns, this.#parts.groupsByParent(type));
    const text = (slot: SlotName): Compiled<TextFacts> => this.#slot(type, slot, names);
    return {
      title: text('title'),
      body: text('body'),
      mentioned: text('mentioned'),
      hidden: text('hidden'),
      pushTitle: text('pushTitle'),
      pushBody: text('pushBody'),
      emailSubject: text('emailSubject'),
      emailText: text('emailText'),
      actions: this.#labels(type, names),
      isOwn,
    };
  }

  #slot(type: string, slot: SlotName, names: Arguments<TextFacts>): Compiled<TextFacts> {
    const own = this.#parts.messages.types?.[type];
    const standIn = standIns[slot];
    const text = own?.[slot] ?? (standIn === undefined ? undefined : own?.[standIn]);
    if (text !== undefined) return compileMessage(text, this.tools, names);
    const { parent } = this.#parts;
    if (slot === 'hidden' && own !== undefined) return () => this.phrase('hidden');
    if (parent?.knows(type)) return parent.texts(type)[slot];
    if (slot === 'hidden') return () => this.phrase('hidden');
    if (type !== 'generic') return this.#generic[slot];
    throw new Error(`the locale ${this.locale} has no generic words`);
  }

  #labels(type: string, names: Arguments<TextFacts>): Map<string, Compiled<TextFacts>> {
    const { messages, parent } = this.#parts;
    const labels = new Map(parent?.knows(type) ? parent.texts(type).actions : []);
    for (const [id, text] of Object.entries(messages.types?.[type]?.actions ?? {})) {
      labels.set(id, compileMessage(text, this.tools, names));
    }
    return labels;
  }

  /** Throws where nobody says it: the last locale must say everything. */
  #parent(): LocaleWords {
    const { parent, locale } = this.#parts;
    if (parent === null) throw new Error(`the locale ${locale} does not say everything`);
    return parent;
  }
}

/** As messages and pages name it: BCP 47, and the direction of the text. */
export function languageOf({ locale, tools }: LocaleWords): { locale: string; direction: 'ltr' | 'rtl' } {
  return { locale, direction: tools.isRightToLeft ? 'rtl' : 'ltr' };
}

function kept<Key, Value>(cache: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}
