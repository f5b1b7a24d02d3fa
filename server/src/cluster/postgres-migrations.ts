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
  /** Audiences (F2), and the fan-out of events to them (F1). */
  (schema) => [
    `CREATE TABLE ${schema}.audiences (
       tenant text COLLATE "C" NOT NULL,
       audience text COLLATE "C" NOT NULL,
       members bigint NOT NULL,
       PRIMARY KEY (tenant, audience)
     )`,
    `CREATE TABLE ${schema}.audience_members (
       tenant text COLLATE "C" NOT NULL,
       audience text COLLATE "C" NOT NULL,
       person text COLLATE "C" NOT NULL,
       present boolean NOT NULL,
       notify boolean NOT NULL,
       seq double precision,
       time_ms double precision NOT NULL,
       taken_ms double precision NOT NULL,
       PRIMARY KEY (tenant, audience, person)
     )`,
    `CREATE INDEX audience_members_person ON ${schema}.audience_members (tenant, person, audience) WHERE present`,
    `CREATE INDEX audience_members_left ON ${schema}.audience_members (taken_ms) WHERE NOT present`,
    `CREATE TABLE ${schema}.fanouts (
       id text COLLATE "C" PRIMARY KEY,
       tenant text COLLATE "C" NOT NULL,
       shard int NOT NULL,
       audience text NOT NULL,
       source text NOT NULL,
       event text NOT NULL,
       accepted_ms double precision NOT NULL,
       record bytea,
       reached text,
       chunks bigint NOT NULL DEFAULT 0,
       recipients bigint NOT NULL DEFAULT 0,
       done_ms double precision
     )`,
    `CREATE INDEX fanouts_under_way ON ${schema}.fanouts (shard, id) WHERE done_ms IS NULL`,
    `CREATE INDEX fanouts_tenant ON ${schema}.fanouts (tenant, id)`,
    `CREATE INDEX fanouts_done ON ${schema}.fanouts (done_ms) WHERE done_ms IS NOT NULL`,
  ],
  /** Devices (V11), and how many of them each person has. */
  (schema) => [
    `ALTER TABLE ${schema}.profiles ADD COLUMN devices int NOT NULL DEFAULT 0`,
    `CREATE TABLE ${schema}.devices (
       tenant text COLLATE "C" NOT NULL,
       person text COLLATE "C" NOT NULL,
       id text COLLATE "C" NOT NULL,
       provider text NOT NULL,
       address_index text COLLATE "C" NOT NULL UNIQUE,
       address text NOT NULL,
       app text NOT NULL,
       app_version text,
       environment text NOT NULL,
       locale text,
       time_zone text,
       session text COLLATE "C",
       registered_ms double precision NOT NULL,
       seen_ms double precision NOT NULL,
       PRIMARY KEY (tenant, person, id)
     )`,
    `CREATE INDEX devices_session ON ${schema}.devices (session) WHERE session IS NOT NULL`,
    `CREATE INDEX devices_seen ON ${schema}.devices (provider, seen_ms)`,
  ],
  /** Addresses that get no mail, or not all (V22). */
  (schema) => [
    `CREATE TABLE ${schema}.suppressions (
       tenant text COLLATE "C" NOT NULL,
       address_index text COLLATE "C" NOT NULL,
       address text NOT NULL,
       reason text,
       since_ms double precision,
       told_by text,
       code text,
       soft_days int[] NOT NULL,
       cleared_ms double precision NOT NULL,
       PRIMARY KEY (tenant, address_index)
     )`,
    `CREATE INDEX suppressions_index ON ${schema}.suppressions (address_index)`,
    `CREATE INDEX suppressions_held ON ${schema}.suppressions (tenant, address_index) WHERE reason IS NOT NULL`,
  ],
  /** Events that are kept once for their audience (F3), by numbers that rise within a tenant, and how far people have them. */
  (schema) => [
    `ALTER TABLE ${schema}.audience_members ADD COLUMN since_ms double precision`,
    `CREATE INDEX audience_members_notify ON ${schema}.audience_members (tenant, audience, person)
     WHERE present AND notify`,
    `ALTER TABLE ${schema}.fanouts ADD COLUMN kept boolean NOT NULL DEFAULT false`,
    `CREATE TABLE ${schema}.broadcasts (
       tenant text COLLATE "C" NOT NULL,
       number bigint NOT NULL,
       id text COLLATE "C" NOT NULL UNIQUE,
       audience text COLLATE "C" NOT NULL,
       type text NOT NULL,
       accepted_ms double precision NOT NULL,
       record bytea NOT NULL,
       PRIMARY KEY (tenant, number)
     )`,
    `CREATE INDEX broadcasts_audience ON ${schema}.broadcasts (tenant, audience, number)`,
    `CREATE INDEX broadcasts_accepted ON ${schema}.broadcasts (accepted_ms)`,
    `CREATE TABLE ${schema}.broadcast_numbers (
       tenant text COLLATE "C" PRIMARY KEY,
       newest bigint NOT NULL
     )`,
    `CREATE TABLE ${schema}.broadcast_readers (
       tenant text COLLATE "C" NOT NULL,
       person text COLLATE "C" NOT NULL,
       through bigint NOT NULL,
       PRIMARY KEY (tenant, person)
     )`,
  ],
  /** Which keys encrypted values need, and people by their email address (S4). */
  (schema) => [
    `CREATE TABLE ${schema}.encryption_keys (name text COLLATE "C" PRIMARY KEY, proof text NOT NULL)`,
    `ALTER TABLE ${schema}.profiles ADD COLUMN email_index text COLLATE "C"`,
    `CREATE INDEX profiles_email ON ${schema}.profiles (email_index) WHERE email_index IS NOT NULL`,
  ],
  /** Announcements of operators, with who did what to them (A4). */
  (schema) => [
    `CREATE TABLE ${schema}.announcements (
       tenant text COLLATE "C" NOT NULL,
       id text COLLATE "C" NOT NULL,
       version bigint NOT NULL,
       under_way boolean NOT NULL,
       document text NOT NULL,
       PRIMARY KEY (tenant, id)
     )`,
    `CREATE INDEX announcements_under_way ON ${schema}.announcements (id) WHERE under_way`,
  ],
  /** Deliveries that ended without their provider having them (V5). */
  (schema) => [
    `CREATE TABLE ${schema}.dead_letters (
       tenant text COLLATE "C" NOT NULL,
       name text COLLATE "C" NOT NULL,
       person text COLLATE "C" NOT NULL,
       channel text NOT NULL,
       endpoint text NOT NULL,
       state text NOT NULL,
       provider text,
       code text,
       attempts int NOT NULL,
       version int NOT NULL,
       died_ms double precision NOT NULL,
       PRIMARY KEY (tenant, name)
     )`,
    `CREATE INDEX dead_letters_died ON ${schema}.dead_letters (died_ms)`,
    `CREATE INDEX dead_letters_person ON ${schema}.dead_letters (tenant, person)`,
  ],
];
