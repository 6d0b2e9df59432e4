import { type HistoryFile, integer, text } from './history-file.ts';
import type { Series } from './sample.ts';

export interface StoredSeries extends Series {
  readonly id: number;
}

/** The same for equal series only. */
export const seriesKey = ({ vendorLicense, feature, package: packageName, featureType }: Series): string =>
  JSON.stringify([vendorLicense, feature, packageName, featureType]);

/** The series that are stored, all of them in memory too. */
export class SeriesTable {
  readonly #file: HistoryFile;
  readonly #byKey = new Map<string, StoredSeries>();

  /** @throws StoreError */
  constructor(file: HistoryFile) {
    this.#file = file;
    for (const row of file.guard(() => file.sql('SELECT * FROM series').all())) {
      const series = {
        id: integer(row, 'id'),
        vendorLicense: text(row, 'vendor_license'),
        feature: text(row, 'feature'),
        package: text(row, 'package'),
        featureType: text(row, 'feature_type'),
      };
      this.#byKey.set(seriesKey(series), series);
    }
  }

  all(): readonly StoredSeries[] {
    return [...this.#byKey.values()];
  }

  /** By their keys in the store. */
  byId(): ReadonlyMap<number, StoredSeries> {
    return new Map(this.all().map((series) => [series.id, series]));
  }

  /** Call it only within a transaction. `added` collects the series to forget if that fails. */
  identify(series: Series, added: Series[]): StoredSeries {
    const key = seriesKey(series);
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    const { vendorLicense, feature, package: packageName, featureType } = series;
    const { lastInsertRowid } = this.#file
      .sql('INSERT INTO series (vendor_license, feature, package, feature_type) VALUES (?, ?, ?, ?)')
      .run(vendorLicense, feature, packageName, featureType);
    const stored = { id: Number(lastInsertRowid), vendorLicense, feature, package: packageName, featureType };
    this.#byKey.set(key, stored);
    added.push(stored);
    return stored;
  }

  /** After a transaction that was undone. */
  forget(added: readonly Series[]): void {
    for (const series of added) this.#byKey.delete(seriesKey(series));
  }

  /** After rows were deleted. */
  forgetDeleted(): void {
    const rows = this.#file.guard(() => this.#file.sql('SELECT id FROM series').all());
    const left = new Set(rows.map((row) => integer(row, 'id')));
    for (const [key, { id }] of this.#byKey) if (!left.has(id)) this.#byKey.delete(key);
  }
}
