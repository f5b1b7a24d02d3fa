/**
 * Reads a mail that came back as far as reports need it (RFC 5322, RFC 2045): headers and parts. Anybody may have written
 * it, so parts and depth are bounded, nothing is fetched, and nothing of it is shown.
 */
import { limits } from '../../../base/limits.ts';

export interface MailPart {
  /** By name in lower case, unfolded; of several the first. */
  readonly headers: ReadonlyMap<string, string>;
  /** `multipart/report`, in lower case. */
  readonly type: string;
  /** Of Content-Type, by name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Decoded. */
  readonly text: string;
  readonly parts: readonly MailPart[];
}

export function readMail(bytes: Buffer): MailPart {
  return readPart(bytes.toString('latin1'), { left: limits.mailPartsMax }, 0);
}

/** Fields in the form of headers, up to the first empty line. */
export function readFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    if (line === '') break;
    const [, name = '', value = ''] = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key !== '' && !fields.has(key)) fields.set(key, value.trim());
  }
  return fields;
}

function readPart(text: string, budget: { left: number }, depth: number): MailPart {
  budget.left--;
  const headers = readFields(text);
  const blank = /\r?\n\r?\n/.exec(text);
  // A part may begin with the empty line that ends its headers.
  const body = /^\r?\n/.test(text)
    ? text.replace(/^\r?\n/, '')
    : blank === null
      ? ''
      : text.slice(blank.index + blank[0].length);
  const { type, parameters } = contentType(headers.get('content-type') ?? 'text/plain');
  const boundary = type.startsWith('multipart/') ? (parameters.get('boundary') ?? '') : '';
  const inside = boundary === '' || depth >= limits.mailDepthMax ? [] : between(body, boundary);
  const parts: MailPart[] = [];
  for (const each of inside) if (budget.left > 0) parts.push(readPart(each, budget, depth + 1));
  return { headers, type, parameters, text: decoded(body, headers.get('content-transfer-encoding') ?? ''), parts };
}

function between(body: string, boundary: string): string[] {
  const parts: string[] = [];
  let begun: number | null = null;
  const mark = `--${boundary}`;
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + mark.length)) {
    if (at > 0 && body[at - 1] !== '\n') continue;
    if (begun !== null) parts.push(body.slice(begun, at).replace(/\r?\n$/, ''));
    const isLast = body.startsWith('--', at + mark.length);
    const lineEnd = body.indexOf('\n', at + mark.length);
    if (isLast || lineEnd < 0) return parts;
    begun = lineEnd + 1;
  }
  // Cut off: what there is of the last part.
  if (begun !== null) parts.push(body.slice(begun));
  return parts;
}

function contentType(value: string): Pick<MailPart, 'type' | 'parameters'> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain] of value.matchAll(
    /;\s*([\w.*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g,
  )) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
  return { type: (value.split(';', 1)[0] ?? '').trim().toLowerCase(), parameters };
}

function decoded(body: string, encoding: string): string {
  switch (encoding.trim().toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64').toString();
    case 'quoted-printable': {
      const bytes = body
        .replace(/[ \t]*=\r?\n/g, '')
        .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      return Buffer.from(bytes, 'latin1').toString();
    }
    default:
      return Buffer.from(body, 'latin1').toString();
  }
}
