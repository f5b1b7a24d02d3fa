/**
 * `carillon preview --channel email --whole`: a whole mail as it is sent, with headers, plain part and HTML. Links lead
 * to addresses made up here, and open nothing.
 */
import type { Config } from './base/config-schema.ts';
import { personKey } from './base/ids.ts';
import { mailbox } from './base/mailbox.ts';
import { Content } from './content/content.ts';
import { type PreviewRequest, sampleFacts, typeToPreview } from './content/preview.ts';
import { readCatalogue } from './content/read-catalogue.ts';
import { type ComposerOptions, composeEmail, type Letter } from './deliver/email/compose-email.ts';
import type { EmailMessage } from './deliver/email/email-provider.ts';
import { EmailSecrets } from './deliver/email/email-secrets.ts';

const usualSender = { name: 'Carillon', address: 'notify@app.example' };

export function runPreviewEmail(
  { content: settings, email }: Config,
  { type, locale }: PreviewRequest,
  html: boolean,
): string[] {
  const content = new Content(readCatalogue(settings));
  const { name, category, critical, grouping } = typeToPreview(content, type);
  const people = grouping === 'alone' ? 1 : 7;
  const facts = sampleFacts(name, people, grouping === 'parent');
  const text = content.email(facts, locale, email.appUrl ?? 'https://app.example');
  const letter: Letter = { kind: 'notification', text, type: name, category, isCritical: critical, thread: 'preview' };
  const from = mailbox(email.from ?? '') ?? usualSender;
  const options: ComposerOptions = {
    from,
    senderName: email.senderName ?? from.name,
    postalAddress: email.postalAddress ?? '',
    publicUrl: email.publicUrl ?? 'https://notify.app.example',
    secrets: new EmailSecrets('of a preview, which opens nothing'),
  };
  const to = { person: personKey('default', 'preview'), address: 'you@people.example', delivery: 'preview' };
  return lines(composeEmail(letter, to, options), html);
}

function lines({ from, to, subject, messageId, headers, text, html }: EmailMessage, isHtml: boolean): string[] {
  if (isHtml) return [html];
  const sender = from.name === '' ? from.address : `${from.name} <${from.address}>`;
  const all = { From: sender, To: to, Subject: subject, 'Message-ID': messageId, ...headers };
  return [...Object.entries(all).map(([name, value]) => `${name}: ${value}`), '', text];
}
