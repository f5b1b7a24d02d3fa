/** What an app finds in every push beside the words, whichever provider brought it: under `carillon`, the same for all (docs/PUSH.md). */
import { fitPush, type PushText } from '../../content/render-push.ts';
import type { PushAlert, PushBadge, PushMessage, PushRetraction } from './push-provider.ts';

export function alertFacts(message: PushAlert, text: PushText): object {
  const { delivery, notification, type, category, collapseId, threadId, badge } = message;
  return {
    v: 1,
    kind: 'alert',
    ...{ delivery, notification, type, category, collapseId, threadId, badge },
    ...(text.url !== null && { url: text.url }),
    ...(text.image !== null && { image: text.image }),
    ...(text.actions.length > 0 && { actions: text.actions }),
  };
}

export function retractionFacts({ delivery, notification, collapseId, badge }: PushRetraction): object {
  return { v: 1, kind: 'retract', delivery, notification, collapseId, badge };
}

/** With as much of what was cleared as leaves the payload within its limit. */
export function badgeFacts(message: PushBadge, fits: (facts: object) => boolean): object {
  const { delivery, badge } = message;
  const factsFor = (count: number): object => {
    const cleared = message.cleared.slice(0, count);
    return { v: 1, kind: 'badge', delivery, badge, ...(cleared.length > 0 && { cleared }) };
  };
  let enough = 0;
  let tooMuch = message.cleared.length + 1;
  while (tooMuch - enough > 1) {
    const middle = (enough + tooMuch) >> 1;
    if (fits(factsFor(middle))) enough = middle;
    else tooMuch = middle;
  }
  return factsFor(enough);
}

/** The payload as it fits; most do at once, and are encoded once. */
export function fittingPayload(text: PushText, bytesMax: number, encode: (text: PushText) => string): string {
  const whole = encode(text);
  return Buffer.byteLength(whole) <= bytesMax ? whole : encode(fitPush(text, bytesMax, encode));
}

/** Whole seconds a provider is to keep it from now on. */
export function keptSeconds({ expiresAtMs }: PushMessage, nowMs: number, keptMaxMs: number): number {
  return Math.floor(Math.min(Math.max(0, expiresAtMs - nowMs), keptMaxMs) / 1000);
}
