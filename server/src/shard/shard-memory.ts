/** How much a shard keeps in memory. The meaning of each is in base/limits.ts; tests make them tiny. */
import { limits } from '../base/limits.ts';

export interface ShardMemory {
  readonly cachedPeopleMax: number;
  readonly cachedRowsMax: number;
  readonly cachedMembersMax: number;
  readonly cachedHeadRows: number;
  readonly cachedRowsPerPerson: number;
  readonly cachedProfileWeightMax: number;
  /** People of one row are counted exactly up to here. */
  readonly exactPeopleMax: number;
  /** Micro-batches between two looks at what may go. */
  readonly evictEveryBatches: number;
}

const { cachedPeopleMax, cachedRowsMax, cachedMembersMax, cachedProfileWeightMax } = limits;
const { cachedHeadRows, cachedRowsPerPerson, exactPeopleMax, evictEveryBatches } = limits;

export const usualMemory: ShardMemory = {
  cachedPeopleMax,
  cachedRowsMax,
  cachedMembersMax,
  cachedHeadRows,
  cachedRowsPerPerson,
  cachedProfileWeightMax,
  exactPeopleMax,
  evictEveryBatches,
};
