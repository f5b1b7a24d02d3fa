/** A mail for tests. */
import type { EmailMessage } from './email-provider.ts';

export function testMessage(more: Partial<EmailMessage> = {}): EmailMessage {
  return {
    delivery: 'd_1',
    tenant: 'default',
    from: { name: 'Carillon', address: 'notify@app.example' },
    to: 'bo@people.example',
    messageId: '<m1@app.example>',
    subject: 'Ana liked your post “Grüße”',
    html: '<p>Ana &amp; others</p>',
    text: 'Ana & others\n',
    headers: { 'Auto-Submitted': 'auto-generated', 'List-Id': '<reactions.app.example>' },
    ...more,
  };
}
