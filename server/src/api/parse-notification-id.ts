/**
 * Ids from outside, parsed once. One that no inbox can hold is unknown like any other, so that an answer never tells
 * more than "not yours" (A6, BC-63), and nothing but these characters reaches a store's keys.
 */
import { CarillonError } from '../base/carillon-error.ts';
import type { NotificationId } from '../base/ids.ts';

const possible = /^[A-Za-z0-9_-]{1,128}$/;

/** Throws CARILLON_NOTIFICATION_UNKNOWN. */
export function parseNotificationId(text: string): NotificationId {
  if (!possible.test(text)) throw new CarillonError('CARILLON_NOTIFICATION_UNKNOWN', 'There is no such notification.');
  return text as NotificationId;
}

/** For requests that pass over unknown ids. */
export function possibleIds(texts: readonly string[]): NotificationId[] {
  return texts.filter((text) => possible.test(text)) as NotificationId[];
}
