import { join } from 'node:path';
import type { KeptContract } from '../inventory/field-contract.ts';
import type { Log } from '../model/log.ts';
import { createLatestOnly } from '../scheduling/latest-only.ts';
import { readSavedText, writeJsonFile } from '../storage/json-file.ts';

const FILE = 'fields.json';

interface Content {
  readonly v: 1;
  readonly analyzer: string;
  readonly fields: KeptContract;
}

/** Whether the content can be used. What is damaged is learned again. */
const isContent = (value: unknown): value is Content => {
  const { v, fields } = (value ?? {}) as Partial<Content>;
  return (
    v === 1 &&
    typeof fields === 'object' &&
    Object.values(fields).every(
      (all) =>
        Array.isArray(all) &&
        all.every(
          ({ vendorLicense, expected, missing, at }) =>
            typeof vendorLicense === 'string' &&
            Array.isArray(expected) &&
            typeof at === 'number' &&
            Object.values(missing as object).every((since) => typeof since === 'number'),
        ),
    )
  );
};

/** The file in which the fields of an analyzer's answers survive a restart. */
export interface FieldFile {
  load(): KeptContract | undefined;
  /** Writes in the background. Of several calls during a write, only the newest one is written. */
  save(fields: KeptContract): void;
  /** Resolves when all is written. */
  settled(): Promise<void>;
}

/** @param storagePath without one, nothing is kept */
export function createFieldFile(storagePath: string | undefined, analyzer: string, log: Log): FieldFile {
  if (storagePath === undefined) {
    return { load: () => undefined, save: () => undefined, settled: () => Promise.resolve() };
  }
  const path = join(storagePath, FILE);
  const report = (problem: string): void => log.warn({ problem }, 'the names of fields are not kept');
  let newest: KeptContract | undefined;
  let written: Promise<void> = Promise.resolve();
  const write = createLatestOnly(async () => {
    if (newest === undefined) return;
    try {
      await writeJsonFile(path, { v: 1, analyzer, fields: newest } satisfies Content);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      report(`${path} cannot be written (${code ?? message}); check storage.path`);
    }
  });
  return {
    load: () => {
      const text = readSavedText(path, report);
      if (text === undefined) return undefined;
      try {
        const content: unknown = JSON.parse(text);
        if (isContent(content)) return content.analyzer === analyzer ? content.fields : undefined;
      } catch {
        // reported below
      }
      report(`${path} is damaged; it is written again, and fields are compared from the next answer on`);
      return undefined;
    },
    save: (fields) => {
      newest = fields;
      written = write();
    },
    settled: () => written,
  };
}
