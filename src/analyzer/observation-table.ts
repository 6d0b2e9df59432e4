import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Collected, VendorLicenseObservation } from '../observation/observation.ts';
import { DamagedRecord } from './day-codec.ts';
import { blob, type HistoryFile, integer, text } from './history-file.ts';

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

  replace({ source, name, collectedAt, observation }: Collected): void {
    this.#file
      .sql('INSERT OR REPLACE INTO observation VALUES (?, ?, ?, ?)')
      .run(name, collectedAt, zstdCompressSync(serialize(observation)), source);
  }

  /** Deletes those of other vendor licenses. */
  keepOnly(vendorLicenses: ReadonlySet<string>): void {
    for (const row of this.#file.sql('SELECT vendor_license FROM observation').all()) {
      const name = text(row, 'vendor_license');
      if (!vendorLicenses.has(name)) this.#file.sql('DELETE FROM observation WHERE vendor_license = ?').run(name);
    }
  }

  /** @throws DamagedRecord */
  all(): readonly Collected[] {
    return this.#file
      .sql('SELECT * FROM observation')
      .all()
      .map((row) => ({
        source: text(row, 'source'),
        name: text(row, 'vendor_license'),
        collectedAt: integer(row, 'collected_at'),
        observation: readObservation(blob(row, 'observation')),
      }));
  }
}
