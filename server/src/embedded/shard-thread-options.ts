/** What the store's thread is started with. */
export interface ShardThreadOptions {
  readonly dataDir: string;
  readonly shards: number;
  readonly segmentBytes: number;
  readonly logKeptMs: number;
  readonly retentionMs: number;
  readonly rowsPerPersonMax: number;
  readonly exactPeopleMax: number;
  readonly cursorSecret: Uint8Array;
  /** Shared with the sockets' thread; see `progress.ts`. */
  readonly progress: Float64Array;
}
