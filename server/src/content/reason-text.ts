/** A decision about a channel in plain words, for the person who asks "why?" (D1, D12). Pure. */
import type { ChannelDecision } from '@carillon/contract/reasons.ts';
import type { LocaleWords } from './locale-words.ts';

/** One sentence: "Held back from push until Mar 11, 2026, 7:00 AM UTC: these are your quiet hours." */
export function reasonText(
  { channel, kind, reason, until }: ChannelDecision,
  words: LocaleWords,
  timeZone: string,
): string {
  return words.outcome(kind, {
    channel,
    reason: words.reason(reason),
    until: until === undefined ? '' : localTime(until, words.locale, timeZone),
    timed: until === undefined ? 'no' : 'yes',
  });
}

function localTime(time: string, locale: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });
  // Spaces of its own kind would look odd in a text that is searched or compared.
  return format.format(new Date(time)).replaceAll('\u202f', ' ');
}
