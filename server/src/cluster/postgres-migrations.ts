/**
 * The tables in PostgreSQL, by migrations that build on each other. Never change one that has been released: add another,
 * which the release before must be able to work with (G4). `schema` is quoted and stands before every name.
 */
export type Migration = (schema: string) => readonly string[];

/** By number, from 1. */
export const postgresMigrations: readonly Migration[] = [
  /** Profiles (D2, D3), and who has changed lately, for those who have profiles in memory. */
  (schema) => [
    `CREATE TABLE ${schema}.profiles (
       tenant text COLLATE "C" NOT NULL,
       person text COLLATE "C" NOT NULL,
       revision bigint NOT NULL,
       version bigint NOT NULL,
       choices jsonb NOT NULL,
       facts jsonb,
       mutes jsonb NOT NULL,
       PRIMARY KEY (tenant, person)
     )`,
    `CREATE TABLE ${schema}.profile_changes (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
       at timestamptz NOT NULL DEFAULT now(),
       tenant text COLLATE "C" NOT NULL,
       person text COLLATE "C" NOT NULL
     )`,
    `CREATE INDEX profile_changes_changed ON ${schema}.profile_changes (changed)`,
    `CREATE INDEX profile_changes_at ON ${schema}.profile_changes (at)`,
  ],
];
