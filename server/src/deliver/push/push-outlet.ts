/**
 * Push as the channel's workers see it: the person's devices, each with the provider that it belongs to. Says what a
 * message is made of (C5, V12); the provider says it in its own form.
 */
import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { PersonKey } from '../../base/ids.ts';
import type { LiveContent } from '../../content/live-content.ts';
import type { PushText } from '../../content/render-push.ts';
import type { EndpointState } from '../../decide/decide-channels.ts';
import type { Item } from '../../inbox/item.ts';
import type { Device, PushProviderName } from '../../profile/device.ts';
import { localeOf } from '../../profile/person-locales.ts';
import type { Profile } from '../../profile/profile.ts';
import type { Outcome } from '../outcome.ts';
import type { Outgoing, Outlet, Reached, Route } from '../outlet.ts';
import type { PushAlert, PushProvider } from './push-provider.ts';
import { pushQuotas } from './push-quotas.ts';

/** What of the device store pushes need. */
export interface PushDevices {
  list(person: PersonKey): Promise<readonly Device[]>;
  /** Removes a device that was dead by then, unless it was registered since. */
  removeDead(person: PersonKey, id: string, asOfMs: number): Promise<boolean>;
}

export interface PushOutletParts {
  readonly devices: PushDevices;
  readonly providers: ReadonlyMap<PushProviderName, PushProvider>;
  readonly content: LiveContent;
  readonly clock: Clock;
}

/** As a shard knows it. */
export function pushEndpointOf(_person: PersonKey, profile: Profile | null): EndpointState {
  return (profile?.devices ?? 0) > 0 ? 'ready' : 'none';
}

export class PushOutlet implements Outlet<Device> {
  readonly channel = 'push';
  readonly #parts: PushOutletParts;

  constructor(parts: PushOutletParts) {
    this.#parts = parts;
  }

  async reach(person: PersonKey, profile: Profile | null): Promise<Reached<Device>> {
    if (profile === null) return { state: 'none', endpoints: [] };
    const endpoints = (await this.#parts.devices.list(person)).filter((device) => this.#projectOf(device) !== null);
    return { state: endpoints.length === 0 ? 'none' : 'ready', endpoints };
  }

  prepare(outgoing: Outgoing, device: Device, delivery: string): readonly Route[] {
    const provider = this.#parts.providers.get(device.provider);
    const project = this.#projectOf(device);
    if (provider === undefined || project === null) return [];
    const request = provider.render(this.#message(outgoing, device, delivery), device, this.#parts.clock.now());
    if (request === null) return [];
    const { sendsMax } = provider.limits;
    const quotas = pushQuotas(provider, project, device);
    return [{ provider: provider.name, project, sendsMax, quotas, send: () => provider.send(request, device) }];
  }

  async ended({ person, id, registeredAtMs }: Device, outcome: Outcome): Promise<void> {
    if (outcome.kind !== 'gone') return;
    // A provider that says no time means the registration that was sent to, and none since (BC-46).
    await this.#parts.devices.removeDead(person, id, outcome.asOfMs ?? registeredAtMs + 1);
  }

  #projectOf(device: Device): string | null {
    return this.#parts.providers.get(device.provider)?.projectOf(device) ?? null;
  }

  #message(outgoing: Outgoing, device: Device, delivery: string): PushAlert {
    const { items, unread, expiresAtMs, profile } = outgoing;
    const [item] = items as readonly [Item, ...Item[]];
    const type = this.#parts.content.current.types.find(item.type);
    return {
      kind: 'alert',
      delivery,
      badge: unread,
      expiresAtMs,
      notification: item.id,
      type: item.type,
      category: item.category,
      text: this.#text(items, device.locale ?? localeOf(profile), profile),
      collapseId: shortName(type?.collapse === 'none' ? delivery : item.id),
      threadId: shortName(item.category),
      urgency: item.lane === 'direct' ? 'high' : 'normal',
    };
  }

  /** Several are told of by their number, with the words of what matters most. */
  #text(items: readonly Item[], locale: string | null, profile: Profile | null): PushText {
    const content = this.#parts.content.current;
    const text = content.push(items[0] as Item, locale, profile?.choices.privacy?.lockScreen ?? 'full');
    if (items.length === 1) return text;
    return { ...text, title: content.words.in(locale).phrase('digest', items.length), actions: [] };
  }
}

/** Letters and digits, as providers take them: what a later push of the same name takes the place of. */
export function shortName(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32);
}
