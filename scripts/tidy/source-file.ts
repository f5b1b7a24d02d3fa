/**
 * A TypeScript file as the tidiness rules see it: its code with comments and string contents blanked out (same length,
 * same lines), the comments, and what it imports. A scanner of tokens, not a parser: enough for rules about words.
 */

export interface SourceFile {
  /** From the project's root, with `/`: `server/src/base/clock.ts`. */
  readonly path: string;
  readonly text: string;
  /** `text` with comments, string contents and regular expressions replaced by spaces. */
  readonly code: string;
  readonly comments: readonly Span[];
  /** Module specifiers as written, of `import`, `export … from`, `import()` and `new URL('./x.ts', …)`. */
  readonly imports: readonly Span[];
}

export interface Span {
  readonly at: number;
  readonly text: string;
}

export function sourceFile(path: string, text: string): SourceFile {
  const scan = new Scan(text);
  scan.run();
  const code = scan.out.join('');
  const imports = scan.strings.filter(({ at, text: value }) => namesModule(code.slice(0, at), value));
  return { path, text, code, comments: scan.comments, imports };
}

/** Line number of an offset, from 1. */
export function lineAt(file: SourceFile, at: number): number {
  return file.text.slice(0, at).split('\n').length;
}

/** Code that ships: not a test or what only tests use (`test-….ts`), and not a script, measurement or example. */
export function inService(path: string): boolean {
  return /^(contract|server|client)\//.test(path) && !/\.(test|contract)\.ts$|\/test-[^/]+\.ts$/.test(path);
}

function namesModule(before: string, value: string): boolean {
  const lead = before.trimEnd();
  if (/\bfrom$|\bimport$|\bimport\s*\($/.test(lead)) return true;
  return /\bnew URL\s*\($/.test(lead) && /^\.\.?\/.*\.ts$/.test(value);
}

/** What may come before a regular expression but not before a division. */
const beforeRegex = /(^|[(,=:[!&|?{};+\-*%~^<>]|\b(return|typeof|case|in|of|do|else|void|throw|yield|await))\s*$/;

class Scan {
  readonly text: string;
  readonly out: string[];
  readonly comments: Span[] = [];
  readonly strings: Span[] = [];
  #at = 0;

  constructor(text: string) {
    this.text = text;
    this.out = text.split('');
  }

  run(): void {
    this.#code(false);
  }

  /** Scans code; inside a template literal's `${…}` it stops behind the closing brace. */
  #code(inTemplate: boolean): void {
    let depth = 0;
    while (this.#at < this.text.length) {
      const char = this.text[this.#at];
      const pair = this.text.slice(this.#at, this.#at + 2);
      if (pair === '//') this.#comment('\n', 0);
      else if (pair === '/*') this.#comment('*/', 2);
      else if (char === "'" || char === '"') this.#string(char);
      else if (char === '`') this.#template();
      else if (char === '/' && this.#regexFollows()) this.#regex();
      else {
        this.#at++;
        if (char === '{') depth++;
        if (char === '}' && depth-- === 0 && inTemplate) return;
      }
    }
  }

  #comment(end: string, keep: number): void {
    const start = this.#at;
    const found = this.text.indexOf(end, start + 2);
    this.#at = found === -1 ? this.text.length : found + keep;
    this.comments.push({ at: start, text: this.text.slice(start, this.#at) });
    this.#blank(start, this.#at);
  }

  #string(quote: string): void {
    const start = this.#at++;
    while (this.#at < this.text.length && this.text[this.#at] !== quote)
      this.#at += this.text[this.#at] === '\\' ? 2 : 1;
    this.#at++;
    this.strings.push({ at: start, text: this.text.slice(start + 1, this.#at - 1) });
    this.#blank(start + 1, this.#at - 1);
  }

  #template(): void {
    this.#at++;
    while (this.#at < this.text.length && this.text[this.#at] !== '`') {
      if (this.text.startsWith('${', this.#at)) {
        this.#at += 2;
        this.#code(true);
      } else {
        const length = this.text[this.#at] === '\\' ? 2 : 1;
        this.#blank(this.#at, this.#at + length);
        this.#at += length;
      }
    }
    this.#at++;
  }

  #regexFollows(): boolean {
    return beforeRegex.test(this.out.slice(Math.max(0, this.#at - 40), this.#at).join(''));
  }

  #regex(): void {
    const start = this.#at++;
    let inClass = false;
    while (this.#at < this.text.length && (inClass || this.text[this.#at] !== '/') && this.text[this.#at] !== '\n') {
      if (this.text[this.#at] === '[') inClass = true;
      if (this.text[this.#at] === ']') inClass = false;
      this.#at += this.text[this.#at] === '\\' ? 2 : 1;
    }
    this.#at++;
    this.#blank(start + 1, this.#at - 1);
  }

  #blank(start: number, end: number): void {
    for (let at = start; at < Math.min(end, this.out.length); at++) if (this.out[at] !== '\n') this.out[at] = ' ';
  }
}
