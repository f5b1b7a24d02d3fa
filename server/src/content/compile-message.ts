/**
 * A message in ICU MessageFormat as a function: its text is parsed once, and what is asked for a hundred thousand times a
 * second is only joining strings (C2). Plural rules, numbers and lists come from `Intl`.
 *
 * Arguments are the words of `MessageWords`, each looked up when the text needs it. Dates and tags are not taken: no
 * argument is a date, and text must not become markup.
 */
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import type { LocaleTools } from './locale-tools.ts';

export type Compiled<Words> = (words: Words) => string;

/** How each argument of a message is found. A number may be counted with (`plural`). */
export type Arguments<Words> = Readonly<Record<string, (words: Words) => string | number>>;

type Element = MessageFormatElement;

/** Throws on text that `check-message.ts` finds fault with. */
export function compileMessage<Words>(text: string, tools: LocaleTools, names: Arguments<Words>): Compiled<Words> {
  return new Compiler(tools, names).all(parseMessage(text), null);
}

/** Throws SyntaxError. `<` is an ordinary character: messages are text, not markup. */
export function parseMessage(text: string): Element[] {
  return parse(text, { ignoreTag: true, requiresOtherClause: true, captureLocation: true });
}

class Compiler<Words> {
  readonly #tools: LocaleTools;
  readonly #names: Arguments<Words>;

  constructor(tools: LocaleTools, names: Arguments<Words>) {
    this.#tools = tools;
    this.#names = names;
  }

  /** `pound`: what `#` stands for. */
  all(elements: readonly Element[], pound: Compiled<Words> | null): Compiled<Words> {
    return joined(elements.map((element) => this.#one(element, pound)));
  }

  #one(element: Element, pound: Compiled<Words> | null): Compiled<Words> {
    switch (element.type) {
      case TYPE.literal: {
        const { value } = element;
        return () => value;
      }
      case TYPE.argument:
      case TYPE.number:
        return this.#shown(element.value);
      case TYPE.pound:
        return pound ?? (() => '#');
      case TYPE.select:
        return this.#select(element, pound);
      case TYPE.plural:
        return this.#plural(element);
      default:
        throw new SyntaxError('messages take text, numbers, select and plural only');
    }
  }

  #argument(name: string): (words: Words) => string | number {
    const argument = Object.hasOwn(this.#names, name) ? this.#names[name] : undefined;
    if (argument === undefined) throw new SyntaxError(`there is no argument {${name}}`);
    return argument;
  }

  #shown(name: string): Compiled<Words> {
    const argument = this.#argument(name);
    const { number } = this.#tools;
    return (words) => {
      const value = argument(words);
      return typeof value === 'number' ? number(value) : value;
    };
  }

  #select(element: Extract<Element, { type: TYPE.select }>, pound: Compiled<Words> | null): Compiled<Words> {
    const argument = this.#argument(element.value);
    const options = new Map<string, Compiled<Words>>();
    for (const [key, { value }] of Object.entries(element.options)) options.set(key, this.all(value, pound));
    const other = options.get('other') as Compiled<Words>;
    return (words) => (options.get(String(argument(words))) ?? other)(words);
  }

  #plural(element: Extract<Element, { type: TYPE.plural }>): Compiled<Words> {
    const argument = this.#argument(element.value);
    const { number, cardinal, ordinal } = this.#tools;
    const category = element.pluralType === 'ordinal' ? ordinal : cardinal;
    const { offset } = element;
    const count = (words: Words): number => Number(argument(words)) - offset;
    const pound: Compiled<Words> = (words) => number(count(words));
    const exact = new Map<number, Compiled<Words>>();
    const byCategory = new Map<string, Compiled<Words>>();
    for (const [key, { value }] of Object.entries(element.options)) {
      const option = this.all(value, pound);
      if (key.startsWith('=')) exact.set(Number(key.slice(1)), option);
      else byCategory.set(key, option);
    }
    const other = byCategory.get('other') as Compiled<Words>;
    return (words) => {
      const left = count(words);
      const option = exact.get(left + offset) ?? byCategory.get(category(left)) ?? other;
      return option(words);
    };
  }
}

/** Most messages have three parts or fewer, which need no loop. */
function joined<Words>(parts: readonly Compiled<Words>[]): Compiled<Words> {
  const [a, b, c] = parts;
  if (a === undefined) return () => '';
  if (b === undefined) return a;
  if (c === undefined) return (words) => a(words) + b(words);
  if (parts.length === 3) return (words) => a(words) + b(words) + c(words);
  return (words) => {
    let text = '';
    for (const part of parts) text += part(words);
    return text;
  };
}
