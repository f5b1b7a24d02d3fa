/**
 * What a provider of the soak does with one attempt: by what the endpoint is like, and by a weather that follows from the
 * seed, the delivery and how often it came. Pure, so that the same delivery meets the same whenever it comes.
 */
import { fingerprintOf } from '../../server/src/base/hash.ts';
import type { EndpointKind } from './soak-plan.ts';

export type Treatment =
  /** Taken; the answer comes after a while, or never. */
  | { readonly kind: 'take'; readonly delayMs: number; readonly isAnswered: boolean }
  /** Not taken just now. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'throttle'; readonly afterMs: number }
  /** The connection is cut before anything was taken. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'gone'; readonly isOldProof: boolean }
  | { readonly kind: 'doubt' }
  | { readonly kind: 'refuse' };

/** Shares in ten thousandths. */
export interface Weather {
  readonly retry: number;
  readonly throttle: number;
  readonly drop: number;
  readonly slow: number;
  readonly cut: number;
  /** From this attempt on the weather is fair: so it alone never uses up the attempts of a delivery. */
  readonly fairFrom: number;
}

/** Push: 5 % 503, 2 % 429. */
export const pushWeather: Weather = { retry: 500, throttle: 200, drop: 20, slow: 100, cut: 0, fairFrom: 4 };
/** Where a failure costs a quarter of an hour, as Apple wants it. */
export const patientWeather: Weather = { ...pushWeather, fairFrom: 2 };
/** Mail: 2 % cut off before the mail comes, by 421 or without a word; 3 % of those that come 451. */
export const envelopeWeather: Weather = { retry: 0, throttle: 0, drop: 0, slow: 0, cut: 200, fairFrom: 4 };
export const mailWeather: Weather = { retry: 300, throttle: 0, drop: 20, slow: 100, cut: 0, fairFrom: 4 };

const slowMs = 2000;

export interface Attempted {
  readonly seed: number;
  /** Names the delivery. */
  readonly id: string;
  /** Of this delivery, from 1. */
  readonly nth: number;
  /** Of this endpoint, from 1. */
  readonly nthOfEndpoint: number;
  readonly kind: EndpointKind;
}

export function treat(attempted: Attempted, weather: Weather): Treatment {
  const { seed, id, nth, nthOfEndpoint, kind } = attempted;
  switch (kind) {
    case 'failing':
      return { kind: 'retry' };
    case 'refusing':
      return { kind: 'refuse' };
    case 'dead':
    case 'returning':
      return { kind: 'gone', isOldProof: false };
    case 'doubted':
      return { kind: 'doubt' };
    case 'oldProof':
      if (nthOfEndpoint === 1) return { kind: 'gone', isOldProof: true };
      break;
    case 'live':
  }
  const drawn = fingerprintOf(`${id} ${nth}`, seed);
  return nth >= weather.fairFrom ? fair : drawnFrom(weather, drawn % 10_000, Math.floor(drawn / 10_000) % slowMs);
}

const fair: Treatment = { kind: 'take', delayMs: 0, isAnswered: true };

function drawnFrom(weather: Weather, drawn: number, spread: number): Treatment {
  const outcomes: readonly (readonly [number, Treatment])[] = [
    [weather.retry, { kind: 'retry' }],
    [weather.throttle, { kind: 'throttle', afterMs: 1000 * (1 + (spread % 2)) }],
    [weather.drop, { kind: 'take', delayMs: 0, isAnswered: false }],
    [weather.slow, { kind: 'take', delayMs: spread, isAnswered: true }],
    [weather.cut, { kind: 'cut' }],
  ];
  let from = 0;
  for (const [share, treatment] of outcomes) {
    if (drawn < from + share) return treatment;
    from += share;
  }
  return fair;
}
