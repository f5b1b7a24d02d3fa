/** Checks that a batch is whole records and nothing else, so that neither half a record nor a foreign one gets stored. */
import { lanes } from '@carillon/contract/lanes.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { type PackedBatch, recordHeaderBytes, recordVersion } from './record.ts';

/** The batch as a Buffer over the same bytes. Throws when it is not `count` whole records of this version. */
export function checkedRecords(batch: PackedBatch): Buffer {
  const buffer = Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.byteLength);
  let at = 0;
  let count = 0;
  while (at + recordHeaderBytes <= buffer.length) {
    const length = buffer.readUInt32LE(at);
    const isKnown = buffer[at + 4] === recordVersion && (buffer[at + 5] as number) < lanes.length;
    if (!isKnown || length < recordHeaderBytes) break;
    at += length;
    count++;
  }
  if (at !== buffer.length || count !== batch.count) {
    throw new CarillonError('CARILLON_INTERNAL', 'A batch for the event log does not consist of whole records.');
  }
  return buffer;
}
