import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Collected, VendorLicenseObservation } from '../../base/model/observation/observation.ts';
import { DamagedRecord } from './day-codec.ts';
import { blob, type HistoryFile, integer, type Row, text } from './history-file.ts';

/** It is the fastest, and makes observations no larger than the default. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

function readObservation(bytes: Uint8Array): VendorLicenseObservation {
  try {
    return deserialize(zstdDecompressSync(bytes)) as VendorLicenseObservation;
  } catch (error) {
    throw new DamagedRecord('a stored observation cannot be read', { cause: error });
  }
}

/** The last observation of each vendor license, for a new process. */
export class ObservationTable {
  readonly #file: HistoryFile;

  constructor(file: HistoryFile) {
    this.#file = file;
  }

  /** A large one takes some milliseconds for each step. */
  *replace({ source, name, collectedAt, observation }: Collected): Generator<void, void> {
    const bytes = serialize(observation);
    yield;
    const compressed = zstdCompressSync(bytes, COMPRESSION);
    yield;
    this.#file.sql('INSERT OR REPLACE INTO observation VALUES (?, ?, ?, ?)').run(name, collectedAt, compressed, source);
  }

  /** Deletes those of other vendor licenses. */
  keepOnly(vendorLicenses: ReadonlySet<string>): void {
    for (const row of this.#file.sql('SELECT vendor_license FROM observation').all()) {
      const name = text(row, 'vendor_license');
      if (!vendorLicenses.has(name)) this.#file.sql('DELETE FROM observation WHERE vendor_license = ?').run(name);
    }
  }

  /** @throws StoreError */
  *all(): Generator<void, readonly Collected[]> {
    const { guard, sql } = this.#file;
    const all: Collected[] = [];
    for (const row of guard(() => sql('SELECT * FROM observation').all())) {
      all.push(guard(() => readRow(row)));
      yield;
    }
    return all;
  }
}

const readRow = (row: Row): Collected => ({
  source: text(row, 'source'),
  name: text(row, 'vendor_license'),
  collectedAt: integer(row, 'collected_at'),
  observation: readObservation(blob(row, 'observation')),
});
