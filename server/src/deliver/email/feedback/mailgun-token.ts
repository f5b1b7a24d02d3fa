/**
 * Whether a call of Mailgun's webhooks is Mailgun's. Its signature covers a time and a token, and not the event: whoever
 * has seen one could send any event with it, so a token counts once (`mailgun-webhook.ts`).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Json, textOf } from './feedback-event.ts';
import { isFresh } from './is-fresh.ts';

/** The token; null for what cannot be believed. */
export function mailgunToken({ timestamp, token, signature }: Json, key: string, nowMs: number): string | null {
  const [time, name] = [textOf(timestamp), textOf(token)];
  if (!/^\d{1,12}$/.test(time) || !/^[A-Za-z0-9_-]{20,128}$/.test(name) || !isFresh(Number(time) * 1000, nowMs))
    return null;
  const expected = createHmac('sha256', key)
    .update(time + name)
    .digest();
  const given = Buffer.from(textOf(signature), 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected) ? name : null;
}
