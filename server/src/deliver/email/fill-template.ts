/**
 * HTML of mails from a template that mjml has compiled: `{{name}}` stands for a text, and what lies between
 * `<!-- block:start -->` and `<!-- block:end -->` for none, one or many fillings of it. Every text is escaped here, so
 * that none can become markup (C4); what is HTML already says so.
 */
import { escapeHtml } from '../../content/render-email.ts';

/** HTML made here, not from anybody's text. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Values = Readonly<Record<string, string | Html>>;

export interface Filling {
  readonly values: Values;
  /** By block: what it is filled with each time. A block that is absent is left out. */
  readonly blocks: readonly { readonly block: string; readonly values: Values }[];
}

type Part = string | { readonly blocks: ReadonlyMap<string, string> };

/** A template taken apart once, at start: blocks that follow each other are filled in the order of their fillings. */
export class Template {
  readonly #parts: readonly Part[];

  constructor(html: string) {
    this.#parts = takeApart(html);
  }

  /** Throws for a value that is missing: a mistake in the program. */
  fill({ values, blocks }: Filling): string {
    const filled = this.#parts.map((part) => {
      if (typeof part === 'string') return put(part, values);
      return blocks.map((each) => put(part.blocks.get(each.block) ?? '', { ...values, ...each.values })).join('');
    });
    return filled.join('');
  }
}

/** The compiled templates run from left to right; for the other direction their sides change places. */
export function mirrored(html: string): string {
  return html
    .replaceAll('text-align:left', 'text-align:right')
    .replaceAll('align="left"', 'align="right"')
    .replaceAll('direction:ltr', 'direction:rtl');
}

function takeApart(html: string): Part[] {
  const parts: Part[] = [];
  const blocksPattern = /(?:<!-- (\w+):start -->[\s\S]*?<!-- \1:end -->\s*)+/g;
  let end = 0;
  for (const found of html.matchAll(blocksPattern)) {
    const inside = found[0].matchAll(/<!-- (\w+):start -->([\s\S]*?)<!-- \1:end -->/g);
    const blocks = new Map([...inside].map(([, name = '', text = '']) => [name, text.trimStart()]));
    parts.push(html.slice(end, found.index), { blocks });
    end = found.index + found[0].length;
  }
  parts.push(html.slice(end));
  return parts;
}

function put(text: string, values: Values): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the template's ${name} is not given`);
    return value instanceof Html ? value.text : escapeHtml(value);
  });
}
