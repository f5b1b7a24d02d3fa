/**
 * Port: one way to send mail. What a mail says and which headers it has is made before (`EmailMessage`); a provider only
 * hands it over. Every provider is one file of the same order: limits, table of errors with their source, render,
 * classify, send.
 *
 * `send` makes one attempt. It never rejects, and answers `unknown` only if the mail may have been taken and no answer
 *   came; then it is not given to another provider either (V4). Of several recipients each has a mail of its own, so
 *   that one refused address spoils nothing (BC-60).
 * `gone` means a hard bounce: the address is to be suppressed. `blocked` is about us, never about the recipient.
 */
import type { EmailProviderName } from '../../base/config-email.ts';
import type { Mailbox } from '../../base/mailbox.ts';
import type { CredentialFinding } from '../credential-finding.ts';
import type { Outcome } from '../outcome.ts';

export interface EmailMessage {
  /** Names this delivery: the same on every attempt and at every provider. */
  readonly delivery: string;
  /** What a provider is to give back with its events, so that they reach the right one. */
  readonly tenant: string;
  /** `Carillon <notify@app.example>`. */
  readonly from: Mailbox;
  /** One address. */
  readonly to: string;
  /** Ours, `<…@domain>`: the same on every attempt (V20). */
  readonly messageId: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** All others: `List-Unsubscribe`, `Auto-Submitted`, `References`… Values without line breaks. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface EmailLimits {
  readonly sendsMax: number;
  /** Allowed by configuration; null: as many as it takes. */
  readonly perSecond: number | null;
}

export interface EmailProvider {
  readonly name: EmailProviderName;
  readonly limits: EmailLimits;
  send(message: EmailMessage): Promise<Outcome>;
  check(): Promise<readonly CredentialFinding[]>;
  close(): Promise<void>;
}
