/**
 * A relational database as stores use it: statements with `$1`… for values, and transactions. The tables of an
 * installation lie in one schema. What fails because the database is away is CARILLON_STORE_UNAVAILABLE.
 */
export interface Queries {
  /** The rows of one statement. */
  query<Row extends object = Record<string, unknown>>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Queries {
  /** Stands before the name of every table: `"carillon"`. */
  readonly schema: string;
  /**
   * All statements of `work`, or none: it rejects with what `work` threw. Each statement sees what was committed before
   * it began. Where it fails as CARILLON_STORE_UNAVAILABLE at its very end, it may have happened all the same.
   */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
}
