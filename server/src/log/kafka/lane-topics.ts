/** Which topic a lane is: `<prefix>.log.<lane>`. A shard is the partition of its number in each of them. */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';

export class LaneTopics {
  /** In the order of `lanes`. */
  readonly names: readonly string[];
  readonly #lanes: ReadonlyMap<string, Lane>;

  constructor(prefix: string) {
    this.names = lanes.map((lane) => `${prefix}.log.${lane}`);
    this.#lanes = new Map(lanes.map((lane, at) => [this.names[at] as string, lane]));
  }

  of(lane: Lane): string {
    return this.names[lanes.indexOf(lane)] as string;
  }

  laneOf(topic: string): Lane | undefined {
    return this.#lanes.get(topic);
  }
}
