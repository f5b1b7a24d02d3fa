/** A (shard, lane) as one number, to key maps with. */
import { lanes } from '@carillon/contract/lanes.ts';

export type LaneKey = number;

export function laneKey(shard: number, lane: number): LaneKey {
  return shard * lanes.length + lane;
}

export function splitLaneKey(key: LaneKey): { shard: number; lane: number } {
  return { shard: Math.floor(key / lanes.length), lane: key % lanes.length };
}
