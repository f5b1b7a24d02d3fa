/** Finds the first record of a lane accepted at or after a time: by segment, then by block header, then by record. */
import { RecordView } from '../record.ts';
import { type BlockHeader, recordsStart } from './block.ts';
import { type LaneKey, laneKey } from './lane-key.ts';
import { segmentName } from './segment-header.ts';
import { SegmentScanner } from './segment-scanner.ts';
import { firstBlock, type Segment, type SegmentStore } from './segment-store.ts';
import { damaged } from './storage-error.ts';

/** The position of that record, or the end of the log when there is none yet. Throws at damage on the way. */
export function findByTime(store: SegmentStore, key: LaneKey, timeMs: number): number {
  for (const segment of store.segments) {
    if (segment.acceptedMaxMs < timeMs) continue;
    const position = findInSegment(store, segment, (header) => {
      return laneKey(header.shard, header.lane) === key && header.acceptedMaxMs >= timeMs;
    });
    if (position !== null) return position + offsetOf(store, segment, position, timeMs);
  }
  return store.end;
}

function findInSegment(store: SegmentStore, segment: Segment, wanted: (header: BlockHeader) => boolean): number | null {
  const scanner = new SegmentScanner(store.fileOf(segment), segment.header.base, firstBlock(segment));
  for (;;) {
    const header = scanner.peek(segment.end);
    if (header === 'end') return null;
    if (header === 'damaged') throw damaged(segmentName(segment.header.base), scanner.position);
    if (wanted(header)) return header.position;
    scanner.skip(header);
  }
}

/** From the block's position to its first record accepted at or after the time. */
function offsetOf(store: SegmentStore, segment: Segment, position: number, timeMs: number): number {
  const scanner = new SegmentScanner(store.fileOf(segment), segment.header.base, position);
  const header = scanner.peek(segment.end) as BlockHeader;
  const records = scanner.records(header);
  if (records === null) throw damaged(segmentName(segment.header.base), position);
  const view = new RecordView();
  const start = recordsStart(header) - position;
  for (let at = 0; at < records.length; ) {
    const next = view.move(records, at);
    if (view.acceptedMs >= timeMs) return start + at;
    at = next;
  }
  return start + records.length;
}
