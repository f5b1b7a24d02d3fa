/**
 * Opens the files of a log at start: reads every segment's head, checks that none is missing, takes or rebuilds the
 * indexes of the sealed ones, and reads all of the last one. Says what it found; it skips nothing without counting it.
 */
import { CarillonError } from '../../base/carillon-error.ts';
import { RecordView } from '../record.ts';
import type { BlockHeader } from './block.ts';
import { recordsEnd } from './block.ts';
import { FingerprintTable } from './fingerprint-table.ts';
import { laneKey } from './lane-key.ts';
import type { LogFiles } from './log-files.ts';
import { headerBytes, indexName, readSegmentHeader, type SegmentHeader, segmentName } from './segment-header.ts';
import { readSegmentIndex } from './segment-index.ts';
import { scanSegment } from './segment-scan.ts';
import { SegmentScanner } from './segment-scanner.ts';
import { type Segment, SegmentStore, type StoreParts, saveIndex } from './segment-store.ts';
import { damaged } from './storage-error.ts';

/** What a start found (N3a): for the log, the metrics and whoever must act on it. */
export interface Recovery {
  readonly segments: number;
  /** Bytes of a commit that was never acknowledged, cut off at the end. */
  readonly truncatedBytes: number;
  /** Damaged places in stored records: readers stop there. */
  readonly holes: number;
  readonly rebuiltIndexes: number;
}

export function recoverStore(parts: StoreParts): { store: SegmentStore; recovery: Recovery } {
  const headers = readHeaders(parts.files);
  const segments: Segment[] = [];
  let rebuiltIndexes = 0;
  for (const [at, header] of headers.entries()) {
    const next = headers[at + 1];
    if (next === undefined) break;
    const { segment, rebuilt } = takeSealed(parts, header, next.previousEnd);
    segments.push(segment);
    if (rebuilt) rebuiltIndexes++;
  }
  let nextCommit = 1;
  const last = headers.at(-1);
  if (last !== undefined) {
    const active = takeActive(parts, last);
    segments.push(active.segment);
    nextCommit = active.nextCommit;
  }
  removeStrays(parts.files, headers);
  const store = new SegmentStore(parts, segments, nextCommit);
  const truncatedBytes = store.cutTail();
  const holes = segments.reduce((sum, segment) => sum + segment.holes, 0);
  return { store, recovery: { segments: segments.length, truncatedBytes, holes, rebuiltIndexes } };
}

function readHeaders(files: LogFiles): SegmentHeader[] {
  const bases = files
    .list()
    .filter((name) => /^\d{20}\.log$/.test(name))
    .map((name) => Number.parseInt(name, 10));
  const headers: SegmentHeader[] = [];
  for (const [at, base] of bases.entries()) {
    const header = readHeader(files, base);
    if (header !== null) headers.push(header);
    // A crash while the last file was made leaves a torn head and no blocks behind it: nothing was stored there.
    else if (at < bases.length - 1 || holdsBlocks(files, base)) throw damaged(segmentName(base), base);
    else files.unlink(segmentName(base));
  }
  return withoutGivenUp(files, headers);
}

/** Leaves out empty segments that a later one replaced, and makes sure that nothing else is missing. */
function withoutGivenUp(files: LogFiles, headers: readonly SegmentHeader[]): SegmentHeader[] {
  const kept: SegmentHeader[] = [];
  for (const header of headers) {
    for (let last = kept.at(-1); last !== undefined && last.base > header.previousBase; last = kept.at(-1)) {
      kept.pop();
      files.unlink(segmentName(last.base));
    }
    const previous = kept.at(-1);
    if (previous !== undefined && previous.base !== header.previousBase) {
      throw new CarillonError(
        'CARILLON_INTERNAL',
        `The event log lacks the segment ${segmentName(header.previousBase)}. Restore it, or remove every older ` +
          `segment (up to ${segmentName(previous.base)}) to go on without what it held.`,
      );
    }
    kept.push(header);
  }
  return kept;
}

function readHeader(files: LogFiles, base: number): SegmentHeader | null {
  const file = files.open(segmentName(base), 'read');
  try {
    return readSegmentHeader(file, base);
  } finally {
    file.close();
  }
}

function holdsBlocks(files: LogFiles, base: number): boolean {
  const file = files.open(segmentName(base), 'read');
  try {
    return new SegmentScanner(file, base, base).resync(base + file.sizeBytes()) !== null;
  } finally {
    file.close();
  }
}

function takeSealed(parts: StoreParts, header: SegmentHeader, end: number): { segment: Segment; rebuilt: boolean } {
  const { files, identity } = parts;
  const name = indexName(header.base);
  const known = readIndex(files, name, header.base, end);
  if (known !== null) {
    identity.addSealed(known[0], known[1], true);
    const { acceptedMaxMs, holes } = known[0];
    return { segment: { header, end, acceptedMaxMs, holes }, rebuilt: false };
  }
  const table = new FingerprintTable();
  const { segment } = scanFile(files, { header, end }, (block, records) =>
    addRecords(block, records, (fingerprint, position) => table.insert(fingerprint, position)),
  );
  const { acceptedMaxMs, holes } = segment;
  const index = identity.addSealed({ base: header.base, end, acceptedMaxMs, holes }, table.sorted(), false);
  try {
    saveIndex(files, index);
  } catch {
    // A full disk must not keep the log from starting; the index stays in memory until the next seal.
  }
  return { segment, rebuilt: true };
}

function readIndex(files: LogFiles, name: string, base: number, end: number) {
  if (!files.list().includes(name)) return null;
  const file = files.open(name, 'read');
  try {
    return readSegmentIndex(file, base, end);
  } finally {
    file.close();
  }
}

function takeActive(parts: StoreParts, header: SegmentHeader): { segment: Segment; nextCommit: number } {
  parts.lanes.restore(header.before);
  parts.identity.begin(header.base);
  return scanFile(parts.files, { header, end: null }, (block, records) => {
    parts.lanes.get(laneKey(block.shard, block.lane)).advance(recordsEnd(block), block.bytes);
    addRecords(block, records, (fingerprint, position) => {
      parts.identity.table.insert(fingerprint, position);
      parts.identity.noteDurable(fingerprint);
    });
  });
}

/** Scans a segment up to `end`, or up to wherever it is whole when `end` is null. */
function scanFile(
  files: LogFiles,
  { header, end }: { header: SegmentHeader; end: number | null },
  onBlock: (block: BlockHeader, records: Buffer | null) => void,
): { segment: Segment; nextCommit: number } {
  const base = header.base;
  const file = files.open(segmentName(base), 'read');
  let acceptedMaxMs = 0;
  try {
    const result = scanSegment({
      file,
      base,
      start: base + headerBytes(header),
      limit: end ?? base + file.sizeBytes(),
      firstCommit: header.firstCommit,
      tail: end === null,
      onBlock: (block, records) => {
        acceptedMaxMs = Math.max(acceptedMaxMs, block.acceptedMaxMs);
        onBlock(block, records);
      },
    });
    const segment = { header, end: end ?? result.end, acceptedMaxMs, holes: result.holes };
    return { segment, nextCommit: result.nextCommit };
  } finally {
    file.close();
  }
}

function addRecords(
  block: BlockHeader,
  records: Buffer | null,
  add: (fingerprint: number, position: number) => void,
): void {
  if (records === null) return;
  const view = new RecordView();
  const start = recordsEnd(block) - block.bytes;
  for (let at = 0; at < records.length; ) {
    const next = view.move(records, at);
    add(view.fingerprint, start + at);
    at = next;
  }
}

/** Index files whose segment is gone. */
function removeStrays(files: LogFiles, headers: readonly SegmentHeader[]): void {
  const wanted = new Set(headers.map((header) => indexName(header.base)));
  for (const name of files.list()) {
    if (/^\d{20}\.index$/.test(name) && !wanted.has(name)) files.unlink(name);
  }
}
