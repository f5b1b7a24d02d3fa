/**
 * A provider that is called so many times a second at most, of this process (V6): calls beyond wait for their turn. As
 * many may be under way as go in a second, so that none waits much longer than one.
 */
import type { Clock } from '../../base/clock.ts';
import type { EmailProviderName } from '../../base/config-email.ts';
import type { CredentialFinding } from '../credential-finding.ts';
import type { Outcome } from '../outcome.ts';
import type { EmailLimits, EmailMessage, EmailProvider } from './email-provider.ts';

export class PacedEmailProvider implements EmailProvider {
  readonly name: EmailProviderName;
  readonly limits: EmailLimits;
  readonly #provider: EmailProvider;
  readonly #clock: Clock;
  readonly #apartMs: number;
  /** When the next call may begin, by the monotonic clock. */
  #nextMs = 0;

  constructor(provider: EmailProvider, perSecond: number, clock: Clock) {
    const { name, limits } = provider;
    this.name = name;
    this.limits = { ...limits, sendsMax: Math.min(limits.sendsMax, perSecond) };
    this.#provider = provider;
    this.#clock = clock;
    this.#apartMs = 1000 / perSecond;
  }

  async send(message: EmailMessage): Promise<Outcome> {
    const nowMs = this.#clock.monotonic();
    const atMs = Math.max(nowMs, this.#nextMs);
    this.#nextMs = atMs + this.#apartMs;
    if (atMs > nowMs) await new Promise<void>((resolve) => this.#clock.after(atMs - nowMs, resolve));
    return this.#provider.send(message);
  }

  check(): Promise<readonly CredentialFinding[]> {
    return this.#provider.check();
  }

  close(): Promise<void> {
    return this.#provider.close();
  }
}
