/** By what anything can be sent, as the configuration says: none of it is loaded where it is not named. */
import type { EmailSettings } from '../base/config-email.ts';
import { emailEndpointOf } from '../deliver/email/email-outlet.ts';
import { type EmailOutletSources, openEmailOutlet } from '../deliver/email/open-email-outlet.ts';
import type { WayOut } from './delivery-work.ts';

export interface WaysOutSettings {
  readonly email: EmailSettings;
  readonly emailSecret: string;
}

export async function waysOut(settings: WaysOutSettings, sources: EmailOutletSources): Promise<readonly WayOut[]> {
  const { email, emailSecret } = settings;
  const mail = await openEmailOutlet(email, emailSecret, sources);
  return mail === null ? [] : [wayOf(mail, emailEndpointOf)];
}

interface Opened {
  readonly outlet: WayOut['outlet'];
  readonly providers: readonly { close(): Promise<void> }[];
}

function wayOf({ outlet, providers }: Opened, endpointOf: WayOut['endpointOf']): WayOut {
  return {
    outlet,
    endpointOf,
    async close() {
      for (const provider of providers) await provider.close();
    },
  };
}
