/**
 * The audiences that events of a body name, so that they can be looked up before the first record is packed: packing
 * happens within one turn. Nearly every body names none, which costs a search for a word.
 */
import { CarillonError } from '../base/carillon-error.ts';
import { limits } from '../base/limits.ts';
import type { EventBatch } from './read-batch.ts';
import { audienceIn } from './record-builder.ts';
import type { EventScanner } from './scan-event.ts';
import { validateEvent } from './validate-event.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** What a body must hold to name one: the word, or escapes that it may hide behind. */
const signs = ['audience', '\\u00'].map((sign) => Buffer.from(sign));

export function audiencesIn(batch: EventBatch, scanner: EventScanner): string[] {
  if (!signs.some((sign) => batch.bytes.includes(sign))) return [];
  const names = new Set<string>();
  for (let event = 0; event < batch.count; event++) {
    const start = batch.spans[2 * event] as number;
    const end = batch.spans[2 * event + 1] as number;
    if (scanned(batch, { start, end }, scanner) && scanner.to === 'audience') names.add(audienceIn(scanner));
  }
  return [...names];
}

/** Whether it is an event. What is wrong with it otherwise is told when it is packed. */
function scanned(batch: EventBatch, { start, end }: Span, scanner: EventScanner): boolean {
  if (end - start > limits.eventBytesMax) return false;
  if (batch.isUtf8 && batch.convert === null && scanner.scan(batch.bytes, start, end)) return true;
  try {
    const part = batch.bytes.subarray(start, end);
    const canonical = batch.convert ? batch.convert(part) : validateEvent(part);
    return scanner.scan(canonical, 0, canonical.length, true);
  } catch (error) {
    if (!(error instanceof CarillonError)) throw error;
    return false;
  }
}
