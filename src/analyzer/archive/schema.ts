import type { ArchiveConnection, DatabaseOptions } from './connection.ts';
import { archiveError } from './connection.ts';

/** The tables of the archive. This program makes them, and changes those of an earlier version. */

/**
 * What makes each version out of the one before. `change` counts the transactions of all analyzers; those of one analyzer
 * come one after the other, so that who has seen a number has seen all earlier ones of that analyzer. Hours are partitioned
 * by month, which keeps years of them fast to read and easy to drop.
 */
const versions: readonly string[] = [
  `CREATE TABLE schema.archive (
    version integer NOT NULL,
    id uuid NOT NULL DEFAULT gen_random_uuid()
  );
  INSERT INTO schema.archive (version) VALUES (0);
  CREATE SEQUENCE schema.change;
  CREATE TABLE schema.analyzer (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    version text NOT NULL,
    time_zone text NOT NULL,
    history_of text NOT NULL,
    change bigint NOT NULL DEFAULT 0
  );
  CREATE TABLE schema.series (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    analyzer integer NOT NULL REFERENCES schema.analyzer,
    vendor_license text NOT NULL,
    feature text NOT NULL,
    package text NOT NULL,
    feature_type text NOT NULL,
    UNIQUE (analyzer, vendor_license, feature, package, feature_type)
  );
  CREATE TABLE schema.day (
    series bigint NOT NULL REFERENCES schema.series,
    day date NOT NULL,
    origin text NOT NULL,
    seconds integer NOT NULL,
    peak bigint,
    peak_at timestamptz,
    license_seconds bigint,
    denials bigint,
    available bigint,
    uncounted boolean NOT NULL,
    reserved bigint,
    users bigint,
    hours bytea NOT NULL,
    resolution integer,
    change bigint NOT NULL,
    PRIMARY KEY (series, day)
  );
  CREATE INDEX day_change ON schema.day (change, series, day);
  CREATE INDEX day_day ON schema.day (day);
  CREATE TABLE schema.hour (
    series bigint NOT NULL,
    day date NOT NULL,
    hour smallint NOT NULL,
    at timestamptz NOT NULL,
    origin text NOT NULL,
    seconds integer NOT NULL,
    peak bigint,
    license_seconds bigint,
    denials bigint,
    available bigint,
    uncounted boolean NOT NULL,
    reserved bigint,
    PRIMARY KEY (series, day, hour)
  ) PARTITION BY RANGE (day);`,
  `ALTER TABLE schema.day ADD COLUMN episodes bigint;
  CREATE TABLE schema.blocked_day (
    series bigint NOT NULL,
    day date NOT NULL,
    cause text NOT NULL,
    ended text NOT NULL,
    episodes bigint NOT NULL,
    people bigint NOT NULL,
    seconds bigint NOT NULL,
    PRIMARY KEY (series, day, cause, ended)
  );`,
];

/** The key of the lock for changes of the tables. Those of analyzers begin at 1. */
const SCHEMA_LOCK = 0;

/** Makes the schema and its tables, or brings them to this version. @returns the identity of the archive. @throws ArchiveError */
export async function prepareSchema(connection: ArchiveConnection, options: DatabaseOptions): Promise<string> {
  const { schema } = options;
  const [found] = await connection.query('SELECT to_regnamespace($1)::text AS name', [schema]);
  if (found?.name === null) await connection.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  const read = async (): Promise<number> => {
    // not to_regclass, which may not see yet what was made while a lock was waited for
    const [table] = await connection.query(
      `SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relname = 'archive'`,
      [schema],
    );
    if (table === undefined) return 0;
    const [row] = await connection.query('SELECT version FROM schema.archive');
    return Number(row?.version ?? Number.NaN);
  };
  const before = await read();
  if (Number.isNaN(before)) throw archiveError('foreign', options);
  if (before > versions.length) throw archiveError('newer', options);
  if (before < versions.length) {
    await connection.transact(SCHEMA_LOCK, async () => {
      // another process may have been faster
      for (const change of versions.slice(await read())) await connection.query(change);
      await connection.query('UPDATE schema.archive SET version = $1', [versions.length]);
    });
  }
  const [archive] = await connection.query('SELECT id::text FROM schema.archive');
  return String(archive?.id);
}

/** Makes the tables for the hours of these months, the first days of which are given as `2026-11-01`. @throws ArchiveError */
export async function prepareMonths(connection: ArchiveConnection, months: readonly string[]): Promise<void> {
  const wanted = months.map((month) => ({ month, table: `hour_${month.slice(0, 7).replace('-', '_')}` }));
  const present = await connection.query(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'schema.hour'::regclass",
  );
  const names = new Set(present.map(({ name }) => String(name).split('.').at(-1)));
  for (const { month, table } of wanted) {
    if (names.has(table)) continue;
    await connection.transact(SCHEMA_LOCK, () =>
      connection.query(
        `CREATE TABLE IF NOT EXISTS schema.${table} PARTITION OF schema.hour
          FOR VALUES FROM ('${month}') TO (date '${month}' + interval '1 month')`,
      ),
    );
  }
}
