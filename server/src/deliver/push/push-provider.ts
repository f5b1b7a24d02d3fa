/**
 * Port: one way to push. The channel decides whether, when and to which device; a provider only speaks its protocol. Every
 * provider is one file of the same order: limits, table of errors with their source, render, classify, send.
 *
 * `render` is pure: the same message, device and time, the same bytes, within `limits.payloadBytesMax`, whatever the text.
 *   What it gives is good for an attempt made then: providers count how long to keep it from there.
 * `classify` is a pure look-up in the table.
 * `send` makes one attempt, and answers `unknown` only if the request may have reached the provider and no answer came. It
 *   never rejects and never tries again by itself, but for what the provider is known not to have looked at (a stream that
 *   GOAWAY left out, a token of ours that had just run out). Calls may come at once, up to `limits.sendsMax`. Where the
 *   answer about one device may as well be the fault of our credentials, it waits a while for what others are answered.
 */
import type { PushText } from '../../content/render-push.ts';
import type { Device, PushProviderName } from '../../profile/device.ts';
import type { CredentialFinding } from '../credential-finding.ts';
import type { Outcome } from '../outcome.ts';

export type PushMessage = PushAlert | PushBadge | PushRetraction;

interface AnyPush {
  /** Names this delivery: the same on every attempt, so that a provider or device can tell a repetition. */
  readonly delivery: string;
  /** Exact count of unread (V12). */
  readonly badge: number;
  /** A provider need not keep it beyond. */
  readonly expiresAtMs: number;
}

export interface PushAlert extends AnyPush {
  readonly kind: 'alert';
  readonly notification: string;
  readonly type: string;
  readonly category: string;
  readonly text: PushText;
  /** What a later one of the same takes the place of: the group. ASCII letters and digits, up to 32. */
  readonly collapseId: string;
  /** What devices show together. */
  readonly threadId: string;
  /** `high` wakes the device: for what a person waits for. */
  readonly urgency: 'high' | 'normal';
}

/** Silent: read elsewhere, so counts and what is shown follow. */
export interface PushBadge extends AnyPush {
  readonly kind: 'badge';
  /** Collapse ids of what is not to be shown any more, as many as fit. */
  readonly cleared: readonly string[];
}

/** What was shown is no longer true: to be taken away or replaced. */
export interface PushRetraction extends AnyPush {
  readonly kind: 'retract';
  readonly notification: string;
  readonly collapseId: string;
}

export interface PushRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** Where it goes; the provider's own form. */
  readonly target: string;
  readonly body: Uint8Array | string;
}

/** What a provider answered, in the form `classify` looks up. */
export interface ProviderAnswer {
  readonly status: number;
  /** The provider's own reason, if it gave one. */
  readonly reason: string | null;
  /** As `Retry-After` said. */
  readonly retryAfterMs: number | null;
  /** The provider's time of the fact, for what is gone. */
  readonly atMs: number | null;
  readonly providerId: string | null;
}

export interface PushLimits {
  /** Of the encoded payload, before encryption. */
  readonly payloadBytesMax: number;
  /** Under way at once. */
  readonly sendsMax: number;
  /** Allowed by the provider, for each of its projects; null: it says none. */
  readonly perMinute: number | null;
  /** Allowed for one device. */
  readonly perDevicePerMinute: number | null;
}

export interface PushProvider {
  readonly name: PushProviderName;
  readonly limits: PushLimits;
  /** Names the credentials a device's pushes go by, so that what is blocked or throttled stops only those; null: none fit. */
  projectOf(device: Device): string | null;
  /** Null: this device cannot show such a message (a retraction where there is none). */
  render(message: PushMessage, device: Device, nowMs: number): PushRequest | null;
  classify(answer: ProviderAnswer): Outcome;
  send(request: PushRequest, device: Device): Promise<Outcome>;
  /** Asks the provider whether the credentials are good, in words (`carillon check push`). */
  check(): Promise<readonly CredentialFinding[]>;
  close(): Promise<void>;
}
