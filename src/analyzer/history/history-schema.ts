import type { DatabaseSync } from 'node:sqlite';

/** The tables of the history file, and how a file of an earlier version gets them. */

/** Version 0.2.0 made 3, without imports. 4 lost samples of old imports. */
export const SCHEMA_VERSION = 5;

/** The oldest that is converted: that of the release before. */
export const OLDEST_SCHEMA_VERSION = 3;

/**
 * A figure that is not known is null. Open samples stand in order of time: a collection then is written to a few pages, not
 * to a page for each series. Those of one series are found by the times of the collections.
 */
const tables = {
  note: 'CREATE TABLE note (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  observation: `CREATE TABLE observation (
    vendor_license TEXT PRIMARY KEY, collected_at INTEGER NOT NULL, observation BLOB NOT NULL,
    source TEXT NOT NULL DEFAULT ''
  ) WITHOUT ROWID`,
  series: `CREATE TABLE series (
    id INTEGER PRIMARY KEY, vendor_license TEXT NOT NULL, feature TEXT NOT NULL, package TEXT NOT NULL,
    feature_type TEXT NOT NULL, UNIQUE (vendor_license, feature, package, feature_type)
  )`,
  openSample: `CREATE TABLE open_sample (
    series INTEGER NOT NULL, at INTEGER NOT NULL, seconds INTEGER NOT NULL, available INTEGER, in_use INTEGER,
    reserved INTEGER, users INTEGER, denials INTEGER, PRIMARY KEY (at, series)
  ) WITHOUT ROWID`,
  openCollection: 'CREATE TABLE open_collection (at INTEGER PRIMARY KEY)',
  daySamples: `CREATE TABLE day_samples (
    series INTEGER NOT NULL, day INTEGER NOT NULL, samples BLOB NOT NULL, PRIMARY KEY (series, day)
  ) WITHOUT ROWID`,
  day: `CREATE TABLE day (
    series INTEGER NOT NULL, day INTEGER NOT NULL, available INTEGER, in_use INTEGER, reserved INTEGER,
    users INTEGER, denials INTEGER, license_seconds INTEGER, hours BLOB NOT NULL, PRIMARY KEY (series, day)
  ) WITHOUT ROWID`,
} as const;

/**
 * What other programs recorded. Its samples stand apart from our own, so that it can be imported again; a day without origins
 * is our own.
 */
const importTables = {
  imported: `CREATE TABLE imported (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, form TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL,
    seconds INTEGER NOT NULL, as_of_now INTEGER NOT NULL
  )`,
  importedSamples: `CREATE TABLE imported_samples (
    series INTEGER NOT NULL, day INTEGER NOT NULL, samples BLOB NOT NULL, PRIMARY KEY (series, day)
  ) WITHOUT ROWID`,
  origin: `CREATE TABLE origin (
    series INTEGER NOT NULL, day INTEGER NOT NULL, imported INTEGER NOT NULL, PRIMARY KEY (series, day, imported)
  ) WITHOUT ROWID`,
} as const;

/** Our own part of days whose samples are not kept any more, if something was imported for the day too. */
const ownHours = `CREATE TABLE own_hours (
    series INTEGER NOT NULL, day INTEGER NOT NULL, license_seconds INTEGER, hours BLOB NOT NULL, PRIMARY KEY (series, day)
  ) WITHOUT ROWID`;

/** The number of licenses that counts for the days of an import, where no import knows it. */
const nowBought = `CREATE TABLE now_bought (
    series INTEGER NOT NULL, imported INTEGER NOT NULL, available INTEGER NOT NULL, is_final INTEGER NOT NULL,
    PRIMARY KEY (series, imported)
  ) WITHOUT ROWID`;

const addedTables = [...Object.values(importTables), ownHours, nowBought];

/** Makes the tables of a new file. Within a transaction. */
export function createTables(database: DatabaseSync): void {
  for (const definition of [...Object.values(tables), ...addedTables]) database.exec(definition);
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
}

/**
 * Adds the tables of imports to a file of an earlier version. No row is rewritten, so a file of any size is ready at once. One
 * transaction: a crash leaves the one version or the other.
 */
export function migrateTables(database: DatabaseSync, transact: (action: () => void) => void): void {
  transact(() => {
    for (const definition of addedTables)
      database.exec(definition.replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'));
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}
