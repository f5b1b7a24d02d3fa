/** When the next record of a reader was accepted, for logs that read it as any other; null where there is none yet. */
import type { LogReader } from './event-log.ts';
import { RecordView } from './record.ts';

export async function acceptedAt(reader: LogReader): Promise<number | null> {
  const batch = await reader.pull(1);
  reader.close();
  if (batch === null) return null;
  const view = new RecordView();
  view.move(Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.byteLength), 0);
  return view.acceptedMs;
}
