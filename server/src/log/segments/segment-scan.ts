/**
 * Reads all of a segment that was not closed in order, at start. Decides between a torn tail and damage:
 * a commit is acknowledged only after its sync, and the next one is written only after that. So what is wrong in the last
 * commit was never acknowledged and is cut off as a whole; what is wrong with a later commit behind it was, and is a hole.
 */
import { type BlockHeader, nextBlock } from './block.ts';
import type { ReadableFile } from './log-files.ts';
import { SegmentScanner } from './segment-scanner.ts';

export interface ScanInput {
  readonly file: ReadableFile;
  readonly base: number;
  /** Position of the first block. */
  readonly start: number;
  /** Position where the file, or a sealed segment's data, ends. */
  readonly limit: number;
  readonly firstCommit: number;
  /** Whether the end may be torn; else everything up to `limit` should be there. */
  readonly tail: boolean;
  /** Called for each block in order; `records` is null where they are damaged and a later commit shows they were stored. */
  readonly onBlock: (header: BlockHeader, records: Buffer | null) => void;
}

export interface ScanResult {
  /** Position behind the last whole commit. */
  readonly end: number;
  readonly nextCommit: number;
  readonly holes: number;
}

export function scanSegment(input: ScanInput): ScanResult {
  const scanner = new SegmentScanner(input.file, input.base, input.start);
  /** Blocks of a commit whose last block has not been seen. */
  let open: { header: BlockHeader; records: Buffer | null }[] = [];
  let end = input.start;
  let nextCommit = input.firstCommit;
  let holes = 0;
  const close = (): void => {
    for (const { header, records } of open) input.onBlock(header, records);
    const last = open.at(-1)?.header;
    if (last !== undefined) {
      end = nextBlock(last);
      nextCommit = last.commit + 1;
    }
    open = [];
  };
  for (;;) {
    const header = scanner.peek(input.limit);
    if (header === 'end') break;
    const records = header === 'damaged' ? null : scanner.records(header);
    if (records === null) {
      const commit = header === 'damaged' ? (open[0]?.header.commit ?? nextCommit) : header.commit;
      if (input.tail && !hasLaterCommit(input, scanner.position, commit)) break;
      holes++;
    }
    if (header === 'damaged') {
      if (scanner.resync(input.limit) === null) break;
      continue;
    }
    if (open.length > 0 && open[0]?.header.commit !== header.commit) close();
    open.push({ header, records });
    scanner.skip(header);
    if (header.place + 1 === header.blocks) close();
  }
  if (!input.tail) close();
  return { end, nextCommit, holes };
}

function hasLaterCommit(input: ScanInput, position: number, commit: number): boolean {
  const ahead = new SegmentScanner(input.file, input.base, position);
  for (let header = ahead.resync(input.limit); header !== null; header = ahead.resync(input.limit)) {
    if (header.commit > commit) return true;
  }
  return false;
}
