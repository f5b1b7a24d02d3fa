/** Email from the configuration: its providers, and what every mail has in common; null where no provider is named. */
import type { Clock } from '../../base/clock.ts';
import type { EmailSettings } from '../../base/config-email.ts';
import { mailbox } from '../../base/mailbox.ts';
import type { LiveContent } from '../../content/live-content.ts';
import type { SuppressionStore } from '../../profile/suppression-store.ts';
import { createEmailProviders } from './create-email-providers.ts';
import { EmailOutlet } from './email-outlet.ts';
import type { EmailProvider } from './email-provider.ts';
import { EmailSecrets } from './email-secrets.ts';

export interface EmailOutletSources {
  readonly suppressions: Pick<SuppressionStore, 'find' | 'change'>;
  readonly content: LiveContent;
  readonly clock: Clock;
}

/** `secret`: as configured, or that of development mode. */
export async function openEmailOutlet(
  settings: EmailSettings,
  secret: string,
  sources: EmailOutletSources,
): Promise<{ outlet: EmailOutlet; providers: readonly EmailProvider[] } | null> {
  const from = settings.from === undefined ? null : mailbox(settings.from);
  if (settings.providers.length === 0 || from === null) return null;
  const providers = await createEmailProviders(settings, sources.clock);
  const { senderName = from.name, postalAddress = '', publicUrl = null, appUrl = null, formerSecrets } = settings;
  const composer = { from, senderName, postalAddress, publicUrl, secrets: new EmailSecrets(secret, formerSecrets) };
  return { outlet: new EmailOutlet({ providers, composer, appUrl, ...sources }), providers };
}
