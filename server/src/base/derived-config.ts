/** Values that follow from the rest of the configuration where it does not give them. */
import type { Config } from './config-schema.ts';

export interface DerivedConfig {
  readonly shards: number;
  /** Copies of the log, and of all rows. */
  readonly logReplication: number;
  readonly storeReplication: number;
  /** Whether operators may approve what they wrote. */
  readonly selfApproval: boolean;
}

export function derivedConfig({ engine, mode, shards, kafka, cassandra, broadcasts }: Config): DerivedConfig {
  // Three copies, two of which must have a write, bear the loss of one machine (N3); one machine holds one.
  const copies = mode === 'production' ? 3 : 1;
  return {
    // One process at most works at a shard, so a cluster needs some from the start: their number cannot change.
    shards: shards ?? (engine === 'cluster' ? 12 : 1),
    logReplication: kafka.replicationFactor ?? copies,
    storeReplication: cassandra.replicationFactor ?? copies,
    selfApproval: broadcasts.selfApproval ?? mode === 'development',
  };
}
