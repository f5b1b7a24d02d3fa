/**
 * The embedded engine's event log: segment files of its own in one folder, one thread, synchronous calls.
 *
 * Group commit without a timer: appends that arrive in one turn of the event loop are written and synced together at
 * its end, at most `commitBytesMax` at a time; what arrives meanwhile forms the next commit. A batch that does not fit
 * is spread over several commits, and resolves with the last.
 * Invariant: nothing is told to anyone (status, reader, listener) before the sync of its commit has succeeded.
 * Files and recovery: docs/adr/0008-how-the-log-keeps-its-promises.md.
 */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { acceptedAt } from './accepted-at.ts';
import { AppendListeners } from './append-listeners.ts';
import { checkedRecords } from './checked-records.ts';
import type { AppendStatus, AppliedPosition, EventLog, LogReader, Position } from './event-log.ts';
import type { PackedBatch } from './record.ts';
import { type Commit, CommitBuilder, type WaitingBatch } from './segments/commit-builder.ts';
import { findByTime } from './segments/find-by-time.ts';
import { Identity } from './segments/identity.ts';
import { laneKey, splitLaneKey } from './segments/lane-key.ts';
import { LaneReader } from './segments/lane-reader.ts';
import { LaneStates } from './segments/lane-state.ts';
import type { LogFiles } from './segments/log-files.ts';
import { LogFilesDisk } from './segments/log-files-disk.ts';
import { OpenFiles } from './segments/open-files.ts';
import { indexName } from './segments/segment-header.ts';
import { type Recovery, recoverStore } from './segments/segment-recovery.ts';
import type { SegmentStore } from './segments/segment-store.ts';
import { storageError } from './segments/storage-error.ts';
import { StoredRecords } from './segments/stored-records.ts';

export interface SegmentLogSizes {
  readonly segmentBytes: number;
  readonly preallocateBytes: number;
  readonly commitBytesMax: number;
  readonly tailBytesMax: number;
}

/** Hears of each commit that is durable, for metrics. `committed` must not throw. */
export interface CommitWatch {
  readonly clock: Clock;
  /** `tookMs`: writing and syncing. */
  committed(bytes: number, tookMs: number): void;
}

const defaultSizes: SegmentLogSizes = {
  segmentBytes: limits.segmentBytes,
  preallocateBytes: limits.logPreallocateBytes,
  commitBytesMax: limits.commitBytesMax,
  tailBytesMax: limits.logTailBytesMax,
};

interface Waiting extends WaitingBatch {
  readonly resolve: (statuses: AppendStatus[]) => void;
  readonly reject: (error: CarillonError) => void;
}

interface OpenedFolder {
  readonly files: LogFiles;
  readonly release: () => void;
  readonly watch: CommitWatch | null;
}

export class EventLogSegments implements EventLog {
  readonly recovery: Recovery;
  readonly #store: SegmentStore;
  readonly #lanes: LaneStates;
  readonly #openFiles: OpenFiles;
  readonly #builder: CommitBuilder;
  readonly #listeners = new AppendListeners();
  readonly #release: () => void;
  readonly #commitBytesMax: number;
  readonly #watch: CommitWatch | null;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #closed = false;

  /** Opens the log in a folder (or over other files), recovering what a crash left. Throws when it is in use or damaged. */
  static open(
    where: string | LogFiles,
    sizes: Partial<SegmentLogSizes> = {},
    watch: CommitWatch | null = null,
  ): EventLogSegments {
    const files = typeof where === 'string' ? new LogFilesDisk(where) : where;
    const release = files.lock();
    try {
      return new EventLogSegments({ files, release, watch }, { ...defaultSizes, ...sizes });
    } catch (error) {
      release();
      throw storageError(error);
    }
  }

  private constructor({ files, release, watch }: OpenedFolder, sizes: SegmentLogSizes) {
    this.#release = release;
    this.#watch = watch;
    this.#commitBytesMax = sizes.commitBytesMax;
    this.#openFiles = new OpenFiles(files, limits.logOpenFilesMax);
    this.#lanes = new LaneStates(sizes.tailBytesMax);
    const identity = new Identity(sizes.segmentBytes / limits.recordBytesTypical, (base) =>
      this.#openFiles.reading(indexName(base)),
    );
    const { segmentBytes, preallocateBytes } = sizes;
    const parts = { files, openFiles: this.#openFiles, identity, lanes: this.#lanes, segmentBytes, preallocateBytes };
    const { store, recovery } = recoverStore(parts);
    this.#store = store;
    this.recovery = recovery;
    const stored = new StoredRecords(store);
    this.#builder = new CommitBuilder(identity, (position) => stored.read(position), sizes.commitBytesMax);
  }

  append(batch: PackedBatch): Promise<AppendStatus[]> {
    if (this.#closed) return Promise.reject(new CarillonError('CARILLON_DRAINING', 'The event log is closed.'));
    return new Promise((resolve, reject) => {
      const buffer = checkedRecords(batch);
      const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
      const statuses = new Array<AppendStatus>(batch.count).fill('accepted');
      this.#waiting.push({ buffer, view, statuses, offset: 0, index: 0, resolve, reject });
      this.#schedule();
    });
  }

  async open(shard: number, lane: Lane, from: Position): Promise<LogReader> {
    const key = laneKey(shard, lanes.indexOf(lane));
    return guarded(() => new LaneReader({ store: this.#store, lane: this.#lanes.get(key), key }, from));
  }

  onAppend(shard: number, listener: () => void): () => void {
    return this.#listeners.add(shard, listener);
  }

  async positionAt(shard: number, lane: Lane, timeMs: number): Promise<Position> {
    return guarded(() => findByTime(this.#store, laneKey(shard, lanes.indexOf(lane)), timeMs));
  }

  async acceptedAt(shard: number, lane: Lane, position: Position): Promise<number | null> {
    return acceptedAt(await this.open(shard, lane, position));
  }

  /** Positions are places in the one file sequence of all lanes, so the least of them bounds it. */
  async trim(timeMs: number, appliedOf: AppliedPosition): Promise<number> {
    const { segments } = this.#store;
    const applied = Math.min(
      ...this.#lanes.keys().map((key) => {
        const { shard, lane } = splitLaneKey(key);
        return appliedOf(shard, lanes[lane] as Lane);
      }),
    );
    let freed = 0;
    for (let oldest = segments[0]; segments.length > 1 && oldest !== undefined; oldest = segments[0]) {
      if (oldest.end > applied || oldest.acceptedMaxMs >= timeMs) break;
      freed += guarded(() => this.#store.dropOldest());
    }
    return freed;
  }

  /** Commits what is waiting, then lets go of the files and the folder. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    while (this.#waiting.length > 0) this.#commit();
    this.#store.close();
    this.#openFiles.close();
    this.#release();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#commit();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #commit(): void {
    if (this.#waiting.length === 0) return;
    let committed: Commit;
    let finished: number;
    try {
      this.#store.prepare(this.#expectedBytes());
      finished = this.#builder.stage(this.#waiting);
      committed = this.#builder.build(this.#store.end, this.#store.nextCommit);
      if (committed.bytes.length > 0) this.#write(committed);
    } catch (error) {
      this.#builder.undo();
      this.#refuse(storageError(error));
      return;
    }
    this.#builder.keep();
    for (const { key, block } of committed.blocks) this.#lanes.add(key, block);
    const done = this.#waiting.slice(0, finished);
    this.#waiting = this.#waiting.slice(finished);
    for (const { resolve, statuses } of done) resolve(statuses);
    this.#listeners.tell(committed.blocks.map(({ key }) => splitLaneKey(key).shard));
  }

  #write({ bytes, acceptedMaxMs }: Commit): void {
    const watch = this.#watch;
    const beganMs = watch?.clock.monotonic() ?? 0;
    this.#store.write(bytes, acceptedMaxMs);
    watch?.committed(bytes.length, watch.clock.monotonic() - beganMs);
  }

  /** All that waits fails together: the next try would only meet the same disk, and callers send again anyway. */
  #refuse(error: CarillonError): void {
    const refused = this.#waiting;
    this.#waiting = [];
    for (const { reject } of refused) reject(error);
  }

  #expectedBytes(): number {
    let bytes = 0;
    for (const { buffer, offset } of this.#waiting) {
      bytes += buffer.length - offset;
      if (bytes >= this.#commitBytesMax) return this.#commitBytesMax;
    }
    return bytes;
  }
}

/** Errors of the file system leave the log as errors of ours. */
function guarded<Answer>(action: () => Answer): Answer {
  try {
    return action();
  } catch (error) {
    throw storageError(error);
  }
}
