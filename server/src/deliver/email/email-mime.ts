/** A mail as bytes (MIME), for providers that take it whole: built once, the same for every attempt but for its date. */
import DKIM from 'nodemailer/lib/dkim';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { EmailMessage } from './email-provider.ts';

export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly privateKey: string;
}

/**
 * Those that are there are signed: receivers act on `List-Unsubscribe` only where the signature covers it and its
 * `-Post` (RFC 8058 §4).
 */
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
  'Content-Transfer-Encoding',
  'Auto-Submitted',
  'List-Id',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Feedback-ID',
].join(':');

export async function mimeOf(message: EmailMessage, date: Date): Promise<Buffer> {
  const { from, to, subject, html, text, messageId, headers } = message;
  const composer = new MailComposer({
    // As objects: a string would be parsed, and could name several.
    from: { name: from.name, address: from.address },
    to: { name: '', address: to },
    subject,
    html,
    text,
    messageId,
    date,
    headers: { ...headers },
    // Boundaries follow from what the mail is, so that the same mail is the same bytes.
    baseBoundary: message.delivery,
    encoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: 'win',
  });
  const node = composer.compile();
  return await node.build();
}

export async function signed(mime: Buffer, { domain, selector, privateKey }: DkimKey): Promise<Buffer> {
  const signer = new DKIM({ domainName: domain, keySelector: selector, privateKey, headerFieldNames: signedHeaders });
  const chunks: Buffer[] = [];
  for await (const chunk of signer.sign(mime)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
