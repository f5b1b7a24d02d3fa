/**
 * Pages behind links in mails (V21): without scripts, without a login, in the person's language. Nothing may frame them,
 * nothing else is loaded, and the address, which is a secret, is handed on to nobody.
 */
import { createHash } from 'node:crypto';
import { type LocaleWords, languageOf } from '../content/locale-words.ts';
import { escapeHtml } from '../content/render-email.ts';
import type { Answer } from './operation.ts';

const style = `:root{color-scheme:light dark;--ground:#f4f3f8;--card:#fff;--words:#1c1b22;--line:#8b8799;--accent:#4638c2;--on-accent:#fff}
@media (prefers-color-scheme:dark){:root{--ground:#131219;--card:#1f1d29;--words:#f3f2f8;--line:#8b8799;--accent:#b9b1ff;--on-accent:#17152a}}
*{box-sizing:border-box}
body{margin:0;padding:24px 16px;background:var(--ground);color:var(--words);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}
main{max-width:520px;margin:0 auto;padding:24px;background:var(--card);border-radius:12px}
h1{margin:0 0 16px;font-size:20px;line-height:1.4}
p{margin:0 0 16px}
ul{list-style:none;margin:0 0 24px;padding:0}
li{border-block-start:1px solid color-mix(in srgb,var(--line) 40%,transparent)}
label{display:flex;gap:16px;align-items:center;justify-content:space-between;min-block-size:48px;padding-block:8px;cursor:pointer}
input{inline-size:20px;block-size:20px;accent-color:var(--accent);flex:none}
button{border:0;border-radius:8px;padding:12px 24px;background:var(--accent);color:var(--on-accent);font:inherit;cursor:pointer;min-block-size:48px}
a{color:var(--accent)}
a:focus-visible,button:focus-visible,input:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
`;
const styleHash = createHash('sha256').update(style).digest('base64');

export interface MailPage {
  readonly words: LocaleWords;
  readonly title: string;
  /** HTML; texts in it are escaped. */
  readonly body: string;
}

export function mailPage({ words, title, body }: MailPage, status = 200): Answer {
  const { locale, direction } = languageOf(words);
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    },
    body: `<!doctype html>
<html lang="${escapeHtml(locale)}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`,
  };
}

/** Says nothing of whom it was for. */
export function deadLink(words: LocaleWords): Answer {
  return mailPage({ words, title: words.phrase('linkInvalid'), body: '' }, 400);
}

/** What a category is called: the titles of its types. */
export function categoryTitle(words: LocaleWords, types: readonly { readonly name: string }[]): string {
  const object = { kind: '', title: null, parent: null };
  const nobody = { actors: [], actorCount: 1, object, mentioned: false };
  const titles = types.map(({ name }) => words.texts(name).title({ ...nobody, type: name }));
  return new Intl.ListFormat(words.locale, { type: 'unit', style: 'short' }).format([...new Set(titles)]);
}
