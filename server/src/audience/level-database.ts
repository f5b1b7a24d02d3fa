/** The embedded engine's one LevelDB, as its stores see it: after a failed write it takes none until it has been mended. */
import type { ClassicLevel } from 'classic-level';

export type LevelDatabase = ClassicLevel<string, string> & {
  readonly isBroken: boolean;
  mend(): Promise<void>;
};

/** Runs writes one after another, whether earlier ones succeeded or not; for stores that read before they write. */
export class LevelWrites {
  readonly #db: LevelDatabase;
  #last: Promise<unknown> = Promise.resolve();

  constructor(db: LevelDatabase) {
    this.#db = db;
  }

  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(async () => {
      if (this.#db.isBroken) await this.#db.mend();
      return work();
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}
