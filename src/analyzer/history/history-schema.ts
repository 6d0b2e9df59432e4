import type { DatabaseSync } from 'node:sqlite';

/** The tables of the history file, and how a file of an earlier version gets them. */

/** Version 0.1.0 made 1, in which every figure was known. 2 had one source. 3 had no imports. 4 lost samples of old imports. */
export const SCHEMA_VERSION = 5;

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
 * From 1: figures may be null. From 2: an observation has a source; the only one that there was has no name. From 3: tables
 * of imports. From 4: our own hours beside them, and numbers of licenses as of now. No row is rewritten, so a file of any size is
 * ready at once. Only the definitions change: NOT NULL makes no difference to how a row is stored, and a missing last column has its default ("Making Other Kinds Of Table Schema Changes" of
 * https://sqlite.org/lang_altertable.html). One transaction: a crash leaves the one version or the other.
 */
export function migrateTables(database: DatabaseSync, transact: (action: () => void) => void): void {
  setProtection(database, false);
  const version = Number(database.prepare('PRAGMA schema_version').get()?.schema_version);
  const define = database.prepare("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?");
  transact(() => {
    define.run(tables.openSample, 'open_sample');
    define.run(tables.day, 'day');
    define.run(tables.observation, 'observation');
    for (const definition of addedTables)
      database.exec(definition.replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'));
    database.exec(`PRAGMA schema_version = ${version + 1}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
  setProtection(database, true);
}

/** Protects the definitions from being changed. Versions of Node.js without the method do not protect them. */
function setProtection(database: DatabaseSync, isOn: boolean): void {
  if (!isOn && 'enableDefensive' in database) database.enableDefensive(false);
  // RESET reads the definitions again
  database.exec(`PRAGMA writable_schema = ${isOn ? 'RESET' : 'ON'}`);
  if (isOn && 'enableDefensive' in database) database.enableDefensive(true);
}
