import { join } from 'node:path';
import type { Log } from '../../base/model/log.ts';
import type { StateWrites } from '../../base/storage/file-writes.ts';
import { createJsonState } from '../../base/storage/json-state.ts';
import { stateFiles } from '../../base/storage/saved-files.ts';
import { stampOf } from '../../base/storage/stamp.ts';
import { type KeptContract, movedContract } from './field-contract.ts';

const FILE = stateFiles.fields;

/** The file in which the fields of an analyzer's answers survive a restart. */
export interface FieldFile {
  /** What was saved for this analyzer; `undefined` without a file that can be used. */
  load(): KeptContract | undefined;
  /** Writes in the background. Of several calls during a write, only the newest one is written. */
  save(fields: KeptContract): void;
  /** Resolves when all is written, or cannot be. */
  settled(): Promise<void>;
}

/** @throws Error if it is not what was saved */
function readFields(value: unknown): KeptContract {
  if (typeof value !== 'object' || value === null) throw new Error('it has no fields');
  const isKept = Object.values(value).every(
    (all) =>
      Array.isArray(all) &&
      all.every(
        ({ vendorLicense, expected, missing, at }) =>
          typeof vendorLicense === 'string' &&
          Array.isArray(expected) &&
          typeof at === 'number' &&
          Object.values(missing as object).every((since) => typeof since === 'number'),
      ),
  );
  if (!isKept) throw new Error('it has fields of another form');
  return value as KeptContract;
}

/** @param storagePath without one, nothing is kept */
export function createFieldFile(
  storagePath: string | undefined,
  analyzer: string,
  { now, writes, log }: { readonly now: () => number; readonly writes: StateWrites; readonly log: Log },
): FieldFile {
  if (storagePath === undefined) {
    return { load: () => undefined, save: () => undefined, settled: () => Promise.resolve() };
  }
  let newest: KeptContract = {};
  let written: Promise<void> = Promise.resolve();
  const state = createJsonState<KeptContract | undefined>({
    path: join(storagePath, FILE),
    consequence: 'after a restart, a field that was renamed meanwhile is noticed only if it is needed',
    content: () => ({ analyzer, fields: newest }),
    read: ({ analyzer: whose, fields }, by) => (whose === analyzer ? movedContract(readFields(fields), by) : undefined),
    stamp: () => stampOf(now()),
    writes: writes.of(FILE),
    log,
  });
  return {
    load: state.load,
    save: (fields) => {
      newest = fields;
      written = state.save();
    },
    settled: () => written,
  };
}
