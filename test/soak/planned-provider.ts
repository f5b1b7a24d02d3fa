/**
 * What both providers of a soak share: they are processes of their own, which are never killed, so that what they saw is
 * the truth of the matter. Settings come as a file, orders and news by the parent's channel.
 */
import { readFileSync } from 'node:fs';
import { systemClock } from '../../server/src/base/clock.ts';
import { SeenFile, type SeenSend } from './seen-send.ts';
import type { EndpointKind } from './soak-plan.ts';
import { type Treatment, treat, type Weather } from './weather.ts';

export interface ProviderSettings {
  readonly port: number;
  readonly seed: number;
  readonly seenFile: string;
  readonly endpoints: readonly (readonly [name: string, kind: EndpointKind])[];
  /** False: whatever comes is taken at once, and nothing is written down but how many. */
  readonly hasWeather: boolean;
  /** Requests on one connection before it is closed by GOAWAY (push). */
  readonly goawayEvery: number;
  /** Whether Apple's 503 is among the failures, after which one waits for a quarter of an hour (push). */
  readonly isPatient: boolean;
  /** PEM (push). */
  readonly key: string;
  readonly certificate: string;
}

export type ProviderOrder =
  /** The endpoint was registered again: somebody is there from now on. */
  | { readonly kind: 'revive'; readonly endpoint: string }
  /** Push: nobody answers for so long. Mail: nothing of ours is let in, by policy. */
  | { readonly kind: 'away'; readonly ms: number };

export type ProviderNews =
  | { readonly kind: 'ready' }
  /** Deliveries that need not come again. */
  | { readonly kind: 'progress'; readonly settled: number }
  /** The sender has been told, for the first time, that nobody is there. */
  | { readonly kind: 'gone'; readonly endpoint: string };

const newsEveryMs = 100;

export class PlannedProvider {
  readonly settings: ProviderSettings;
  readonly #kinds: Map<string, EndpointKind>;
  readonly #file: SeenFile;
  readonly #byDelivery = new Map<string, number>();
  readonly #byEndpoint = new Map<string, number>();
  readonly #gone = new Map<string, number>();
  #settled = 0;
  awayUntilMs = 0;

  constructor(settings: ProviderSettings) {
    this.settings = settings;
    this.#kinds = new Map(settings.endpoints);
    this.#file = new SeenFile(settings.seenFile);
  }

  /** Null: there is no such endpoint. `id` names the delivery. */
  treat(endpoint: string, id: string, weather: Weather): Treatment | null {
    if (!this.settings.hasWeather) return { kind: 'take', delayMs: 0, isAnswered: true };
    const kind = this.#kinds.get(endpoint);
    if (kind === undefined) return null;
    const nth = count(this.#byDelivery, `${endpoint} ${id}`);
    const nthOfEndpoint = count(this.#byEndpoint, endpoint);
    return treat({ seed: this.settings.seed, id, nth, nthOfEndpoint, kind }, weather);
  }

  kindOf(endpoint: string): EndpointKind | undefined {
    return this.#kinds.get(endpoint);
  }

  /** Since when nobody is there: from the first time it was said so. */
  goneSinceMs(endpoint: string, said: Treatment['kind']): number {
    const sinceMs = this.#gone.get(endpoint) ?? systemClock.now();
    if (said === 'gone') this.#gone.set(endpoint, sinceMs);
    return sinceMs;
  }

  note(seen: SeenSend): void {
    const { did, endpoint } = seen;
    if (did === 'take' || did === 'gone' || did === 'doubt' || did === 'refuse') this.#settled++;
    if (did === 'gone') tell({ kind: 'gone', endpoint });
    if (this.settings.hasWeather) this.#file.add(seen);
  }

  /** Listens to the parent; resolves `stopped` when it is to end. */
  serve(onAway: (ms: number) => void): Promise<void> {
    process.on('message', (order: ProviderOrder) => {
      if (order.kind === 'revive') this.#kinds.set(order.endpoint, 'live');
      else onAway(order.ms);
    });
    // Without its parent it is of no use.
    process.once('disconnect', () => process.exit(1));
    const stop = systemClock.every(newsEveryMs, () => tell({ kind: 'progress', settled: this.#settled }));
    tell({ kind: 'ready' });
    return new Promise((resolve) => {
      process.once('SIGTERM', () => {
        stop();
        void this.#file.close().then(resolve);
      });
    });
  }
}

export function readSettings(): ProviderSettings {
  return JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as ProviderSettings;
}

function tell(news: ProviderNews): void {
  process.send?.(news);
}

function count(counts: Map<string, number>, key: string): number {
  const next = (counts.get(key) ?? 0) + 1;
  counts.set(key, next);
  return next;
}
