/** By what anything can be sent, as the configuration says: none of it is loaded where it is not named. */
import type { EmailSettings } from '../base/config-email.ts';
import type { PushSettings } from '../base/push-settings.ts';
import type { Random } from '../base/random.ts';
import type { OutwardName } from '../deliver/delivery.ts';
import { emailEndpointOf } from '../deliver/email/email-outlet.ts';
import { type EmailOutletSources, openEmailOutlet } from '../deliver/email/open-email-outlet.ts';
import type { LogChannelParts } from '../deliver/log-channel.ts';
import type { Outlet } from '../deliver/outlet.ts';
import { createPushProviders } from '../deliver/push/create-push-providers.ts';
import { type PushDevices, PushOutlet, pushEndpointOf } from '../deliver/push/push-outlet.ts';

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
  readonly push: PushSettings;
  /** Development mode: where the key for browsers lies; else null. */
  readonly pushKeyFolder: string | null;
  readonly email: EmailSettings;
  /** As configured, or that of development mode. */
  readonly emailSecret: string;
}

export interface WaysOutSources extends EmailOutletSources {
  readonly devices: PushDevices;
  readonly random: Random;
}

export function knownWays({ push, pushKeyFolder, email }: WaysOutSettings): readonly KnownWay[] {
  const { apns, fcm, expo, webpush } = push;
  const hasKey = webpush.privateKey !== undefined || webpush.privateKeyFile !== undefined || pushKeyFolder !== null;
  const known: KnownWay[] = [];
  if (hasKey || apns.length + fcm.length + expo.apps.length > 0)
    known.push({ name: 'push', endpointOf: pushEndpointOf });
  if (email.providers.length > 0) known.push({ name: 'email', endpointOf: emailEndpointOf });
  return known;
}

export async function waysOut(settings: WaysOutSettings, sources: WaysOutSources): Promise<readonly WayOut[]> {
  const { email, emailSecret } = settings;
  const known = knownWays(settings);
  const hasPush = known.some(({ name }) => name === 'push');
  const opened = {
    push: hasPush ? await openPush(settings, sources) : null,
    email: await openEmailOutlet(email, emailSecret, sources),
  };
  return known.flatMap((way) => {
    const found = opened[way.name];
    return found === null ? [] : [wayOf(way, found)];
  });
}

async function openPush({ push, pushKeyFolder }: WaysOutSettings, sources: WaysOutSources): Promise<Opened> {
  const { all } = await createPushProviders(push, { ...sources, keyFolder: pushKeyFolder });
  const providers = new Map(all.map((provider) => [provider.name, provider]));
  return { outlet: new PushOutlet({ ...sources, providers }), providers: all };
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
