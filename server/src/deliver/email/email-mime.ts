/**
 * A mail as bytes (MIME), for providers that take it whole: the same for every attempt but for its date. Written here and
 * not by a library, because our mails have one shape (two texts, no attachments) and building it piece by piece through
 * streams cost more than sending it; encodings of words and lines are the library's.
 *
 * Nothing of a message can begin a header or a part: line breaks in headers become spaces, and the boundary is one that
 * no part contains.
 */
import { domainToASCII } from 'node:url';
import DKIM from 'nodemailer/lib/dkim';
import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';
import { encode, wrap } from 'nodemailer/lib/qp';
import { digest } from '../../base/hash.ts';
import type { EmailMessage } from './email-provider.ts';

export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly privateKey: string;
}

/** Those that are there are signed: receivers act on `List-Unsubscribe` only where the signature covers it and its
 * `-Post` (RFC 8058 §4). */
const signedHeaders = [
  'From',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'In-Reply-To',
  'References',
  'MIME-Version',
  'Content-Type',
  'Auto-Submitted',
  'List-Id',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Feedback-ID',
].join(':');

/** Of lines and encoded words (RFC 5322 §2.1.1, RFC 2047 §2). */
const lineChars = 76;
const wordChars = 52;
/** Beyond, a line may be cut off on its way (RFC 5322: 998). */
const rawLineCharsMax = 900;

export function mimeOf(message: EmailMessage, date: Date): Buffer {
  const text = part('text/plain', message.text);
  // As references, so that it is ASCII and needs no encoding.
  const html = part(
    'text/html',
    message.html.replace(/[^\0-\x7f]/gu, (char) => `&#${char.codePointAt(0)};`),
  );
  let boundary = `=_${digest(['boundary', message.delivery], 22)}`;
  while (text.includes(boundary) || html.includes(boundary)) boundary += '_';
  const lines = [
    ...headersOf(message, date),
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    '',
    `--${boundary}\r\n${text}`,
    `--${boundary}\r\n${html}`,
    `--${boundary}--`,
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}

export async function signed(mime: Buffer, { domain, selector, privateKey }: DkimKey): Promise<Buffer> {
  const signer = new DKIM({ domainName: domain, keySelector: selector, privateKey, headerFieldNames: signedHeaders });
  const chunks: Buffer[] = [];
  for await (const chunk of signer.sign(mime)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function headersOf({ from, to, subject, messageId, headers }: EmailMessage, date: Date): string[] {
  return [
    header('From', sender(from)),
    header('To', encodedDomain(to)),
    header('Subject', worded(subject) ?? subject),
    header('Message-ID', messageId),
    header('Date', date.toUTCString().replace('GMT', '+0000')),
    'MIME-Version: 1.0',
    ...Object.entries(headers).map(([name, value]) => header(name, value)),
  ];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not get into a header
const breaks = /[\u0000-\u001f\u007f]+/g;

function header(name: string, value: string): string {
  // Encoded words come folded; whatever else breaks a line becomes a space.
  const line = value.replace(/\r\n (?==\?)/g, ' ').replace(breaks, ' ');
  return foldLines(`${name}: ${line}`, lineChars);
}

function sender({ name, address }: EmailMessage['from']): string {
  const where = `<${encodedDomain(address)}>`;
  if (name === '') return encodedDomain(address);
  return `${worded(name) ?? `"${name.replace(/["\\]/g, '\\$&')}"`} ${where}`;
}

/** As encoded words, what is not ASCII or would be read as such words; null for what may stand as it is. */
function worded(text: string): string | null {
  return isAscii(text) && !text.includes('=?') ? null : encodeWord(text, 'Q', wordChars);
}

function encodedDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return isAscii(domain) ? address : address.slice(0, at) + domainToASCII(domain);
}

/** Headers and body, without a line break at the end. */
function part(type: string, content: string): string {
  const text = content.replace(/\r\n|\r|\n/g, '\r\n');
  const isPlain = isAscii(text) && !text.split('\r\n').some((line) => line.length > rawLineCharsMax);
  const head = `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding:`;
  return isPlain
    ? `${head} 7bit\r\n\r\n${text}`
    : `${head} quoted-printable\r\n\r\n${wrap(encode(Buffer.from(text)), lineChars)}`;
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what ASCII is, but for NUL, which no mail may hold
  return /^[\x01-\x7f]*$/.test(text);
}
