import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Series } from './sample.ts';

export interface RecordedSeries extends Series {
  readonly days: readonly number[];
  /** Whether its number of licenses was ever recorded. */
  readonly isBoughtKnown: boolean;
  /** Whether any of its licenses were ever recorded as reserved. */
  readonly wasReserved: boolean;
}

/**
 * The series of a history that another process may have open, with their sealed days from one on. Empty if the file
 * does not exist or cannot be read.
 */
export function readRecordedSeries(path: string, from: number): readonly RecordedSeries[] {
  if (!existsSync(path)) return [];
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
    const bought = database
      .prepare(
        'SELECT series FROM day WHERE available IS NOT NULL UNION SELECT series FROM open_sample WHERE available IS NOT NULL',
      )
      .all();
    const isBought = new Set(bought.map(({ series }) => Number(series)));
    const reserved = database
      .prepare('SELECT series FROM day WHERE reserved > 0 UNION SELECT series FROM open_sample WHERE reserved > 0')
      .all();
    const wasReserved = new Set(reserved.map(({ series }) => Number(series)));
    const days = database.prepare('SELECT day FROM day WHERE series = ? AND day >= ? AND in_use IS NOT NULL');
    return database
      .prepare('SELECT * FROM series')
      .all()
      .map((row) => ({
        vendorLicense: String(row.vendor_license),
        feature: String(row.feature),
        package: String(row.package),
        featureType: String(row.feature_type),
        isBoughtKnown: isBought.has(Number(row.id)),
        wasReserved: wasReserved.has(Number(row.id)),
        days: days.all(Number(row.id), from).map(({ day }) => Number(day)),
      }));
  } catch {
    return [];
  } finally {
    database?.close();
  }
}
