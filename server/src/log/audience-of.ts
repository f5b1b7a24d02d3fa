/** The audience that a record's event names. Such records are few, so that their event is parsed as a whole. */
import type { RecordView } from './record.ts';

/** Empty where it names none. */
export function audienceOf(record: RecordView): string {
  const { to } = JSON.parse(record.event()) as { to: { audience?: string } };
  return to.audience ?? '';
}
