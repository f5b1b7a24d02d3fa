/**
 * Which events the log holds already (E3): a table for the segment being written, an index and a filter for the sealed
 * ones. Everything here is a hint by fingerprint; only a comparison of shard, tenant, source, id and part says
 * "the same record".
 */
import { RecordView } from '../record.ts';
import { FingerprintFilter } from './fingerprint-filter.ts';
import { FingerprintTable } from './fingerprint-table.ts';
import type { ReadableFile } from './log-files.ts';
import { type IndexSummary, SegmentIndex } from './segment-index.ts';

/** Reads the record stored at a position: the buffer and where in it the record begins; null when it is unreadable. */
export type ReadRecord = (position: number) => { buffer: Buffer; at: number } | null;

export class Identity {
  table = new FingerprintTable();
  readonly #filter: FingerprintFilter;
  readonly #indexes = new Map<number, SegmentIndex>();
  readonly #openIndex: (base: number) => ReadableFile;
  readonly #stored = new RecordView();
  readonly #offered = new RecordView();

  constructor(entriesPerSegment: number, openIndex: (base: number) => ReadableFile) {
    this.#filter = new FingerprintFilter(entriesPerSegment);
    this.#openIndex = openIndex;
  }

  /** Whether the record at `at` is one that the table, or a sealed segment, holds. */
  holds(fingerprint: number, buffer: Buffer, at: number, read: ReadRecord): boolean {
    const table = this.table;
    for (let slot = table.first(fingerprint); slot >= 0; slot = table.after(slot)) {
      if (this.#isSame(buffer, at, read(table.positionAt(slot)))) return true;
    }
    for (const base of this.#filter.segmentsOf(fingerprint)) {
      const positions = this.#indexes.get(base)?.find(fingerprint, this.#openIndex(base)) ?? [];
      for (const position of positions) if (this.#isSame(buffer, at, read(position))) return true;
    }
    return false;
  }

  /** What is added from here on belongs to the segment with this base. */
  begin(base: number): void {
    // As large as the last one grew: growing again for every segment would stop the thread each time.
    this.table = new FingerprintTable(this.table.capacity);
    this.#filter.begin(base);
  }

  /** Tells the filter of a record that is durable; the table has it from `insert`. */
  noteDurable(fingerprint: number): void {
    this.#filter.add(fingerprint);
  }

  /** The table becomes the index of the segment, which takes no more. */
  seal(summary: IndexSummary): SegmentIndex {
    const index = new SegmentIndex(summary, this.table.sorted(), false);
    this.#indexes.set(summary.base, index);
    return index;
  }

  /** A segment that was sealed before the start; `saved`: the pairs are in its index file already. */
  addSealed(summary: IndexSummary, pairs: Float64Array, saved: boolean): SegmentIndex {
    const index = new SegmentIndex(summary, pairs, saved);
    this.#indexes.set(summary.base, index);
    this.#filter.begin(summary.base);
    for (let at = 0; at < pairs.length; at += 2) this.#filter.add(pairs[at] as number);
    return index;
  }

  /** Indexes that still live in memory, because their file could not be written. */
  unsaved(): SegmentIndex[] {
    return [...this.#indexes.values()].filter((index) => !index.saved);
  }

  forget(base: number): void {
    this.#indexes.delete(base);
    this.#filter.remove(base);
  }

  #isSame(buffer: Buffer, at: number, record: { buffer: Buffer; at: number } | null): boolean {
    // A stored record that cannot be read confirms nothing: the event is taken, since losing it would be worse.
    if (record === null) return false;
    const offered = this.#offered;
    const stored = this.#stored;
    offered.move(buffer, at);
    stored.move(record.buffer, record.at);
    return (
      offered.shard === stored.shard &&
      offered.text('id') === stored.text('id') &&
      offered.text('source') === stored.text('source') &&
      offered.tenant === stored.tenant &&
      offered.part === stored.part
    );
  }
}
