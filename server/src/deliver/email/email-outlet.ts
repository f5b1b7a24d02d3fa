/**
 * Email as the channel's workers see it: a person's one verified address, unless it is suppressed, and the providers that
 * may take a mail, in the order of the configuration (V4). Says what a mail tells; `compose-email.ts` says how.
 */
import type { Clock } from '../../base/clock.ts';
import { type PersonKey, splitPersonKey } from '../../base/ids.ts';
import type { LiveContent } from '../../content/live-content.ts';
import type { EndpointState } from '../../decide/decide-channels.ts';
import { localeOf } from '../../profile/person-locales.ts';
import type { Profile } from '../../profile/profile.ts';
import { mailAllowed } from '../../profile/suppression.ts';
import type { SuppressionStore } from '../../profile/suppression-store.ts';
import type { Outcome } from '../outcome.ts';
import type { Endpoint, Outgoing, Outlet, Reached, Route } from '../outlet.ts';
import { type ComposerOptions, composeEmail, type Letter } from './compose-email.ts';
import type { EmailProvider } from './email-provider.ts';

export interface EmailOutletParts {
  readonly providers: readonly EmailProvider[];
  readonly suppressions: Pick<SuppressionStore, 'find' | 'change'>;
  readonly content: LiveContent;
  readonly composer: ComposerOptions;
  /** Where paths of the app lead. */
  readonly appUrl: string | null;
  readonly clock: Clock;
}

export interface EmailEndpoint extends Endpoint {
  readonly person: PersonKey;
  readonly address: string;
}

/** What stands for a person's address in what is stored: they have one. */
const endpointId = 'address';
const states = { all: 'ready', critical: 'criticalOnly', none: 'suppressed' } as const;

/** As a shard knows it, which asks no list of suppressions. */
export function emailEndpointOf(_person: PersonKey, profile: Profile | null): EndpointState {
  return addressOf(profile) === null ? 'none' : 'ready';
}

export class EmailOutlet implements Outlet<EmailEndpoint> {
  readonly channel = 'email';
  readonly #parts: EmailOutletParts;

  constructor(parts: EmailOutletParts) {
    this.#parts = parts;
  }

  async reach(person: PersonKey, profile: Profile | null): Promise<Reached<EmailEndpoint>> {
    const address = addressOf(profile);
    if (address === null) return { state: 'none', endpoints: [] };
    const [suppression = null] = await this.#parts.suppressions.find(splitPersonKey(person).tenant, [address]);
    const state = states[mailAllowed(suppression)];
    return { state, endpoints: state === 'suppressed' ? [] : [{ id: endpointId, person, address }] };
  }

  prepare(outgoing: Outgoing, { person, address }: EmailEndpoint, delivery: string): readonly Route[] {
    const { providers, composer } = this.#parts;
    const message = composeEmail(this.#letter(outgoing), { person, address, delivery }, composer);
    return providers.map((provider) => {
      const { name, limits } = provider;
      return { provider: name, project: name, sendsMax: limits.sendsMax, send: () => provider.send(message) };
    });
  }

  /** A hard bounce: nobody is there. */
  async ended({ person, address }: EmailEndpoint, outcome: Outcome, provider: string): Promise<void> {
    if (outcome.kind !== 'gone') return;
    const atMs = outcome.asOfMs ?? this.#parts.clock.now();
    const change = { kind: 'hard', atMs, by: provider, code: outcome.code } as const;
    await this.#parts.suppressions.change([{ tenant: splitPersonKey(person).tenant, address, change }]);
  }

  #letter({ items, profile, isDigest }: Outgoing): Letter {
    const { appUrl } = this.#parts;
    const content = this.#parts.content.current;
    const locale = localeOf(profile);
    const entries = items.map((item) => content.email(item, locale, appUrl));
    const [text] = entries;
    const [item] = items;
    if (text === undefined || item === undefined) throw new Error('a mail is to tell of nothing');
    if (isDigest || items.length > 1) {
      return { kind: 'digest', frame: content.digest(items.length, locale, appUrl), entries };
    }
    const isCritical = content.types.find(item.type)?.critical ?? false;
    return { kind: 'notification', text, type: item.type, category: item.category, isCritical, thread: item.id };
  }
}

function addressOf(profile: Profile | null): string | null {
  const facts = profile?.facts ?? null;
  return facts?.emailVerified === true ? facts.email : null;
}
