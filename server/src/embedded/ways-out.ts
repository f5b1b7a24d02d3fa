/** By what anything can be sent, as the configuration says: none of it is loaded where it is not named. */
import type { EmailSettings } from '../base/config-email.ts';
import type { OutwardName } from '../deliver/delivery.ts';
import { emailEndpointOf } from '../deliver/email/email-outlet.ts';
import { type EmailOutletSources, openEmailOutlet } from '../deliver/email/open-email-outlet.ts';
import type { LogChannelParts } from '../deliver/log-channel.ts';
import type { Outlet } from '../deliver/outlet.ts';

/** A channel as shards need to know it. */
export interface KnownWay {
  readonly name: OutwardName;
  /** From what the shard knows without waiting. */
  readonly endpointOf: LogChannelParts['endpointOf'];
}

export interface WayOut extends KnownWay {
  readonly outlet: Outlet;
  /** Lets go of the providers. */
  close(): Promise<void>;
}

export interface WaysOutSettings {
  readonly email: EmailSettings;
  /** As configured, or that of development mode. */
  readonly emailSecret: string;
}

export type WaysOutSources = EmailOutletSources;

export function knownWays({ email }: Pick<WaysOutSettings, 'email'>): readonly KnownWay[] {
  return email.providers.length === 0 ? [] : [{ name: 'email', endpointOf: emailEndpointOf }];
}

export async function waysOut(settings: WaysOutSettings, sources: WaysOutSources): Promise<readonly WayOut[]> {
  const { email, emailSecret } = settings;
  const opened = { email: await openEmailOutlet(email, emailSecret, sources), push: null };
  return knownWays(settings).flatMap((way) => {
    const found = opened[way.name];
    return found === null ? [] : [wayOf(way, found)];
  });
}

interface Opened {
  readonly outlet: Outlet;
  readonly providers: readonly { close(): Promise<void> }[];
}

function wayOf(way: KnownWay, { outlet, providers }: Opened): WayOut {
  return {
    ...way,
    outlet,
    async close() {
      for (const provider of providers) await provider.close();
    },
  };
}
