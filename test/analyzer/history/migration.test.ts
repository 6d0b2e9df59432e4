import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import {
  getEfficiency,
  getHeatMap,
  getHistory,
  getHistoryReserved,
} from '../../../src/analyzer/history/history-charts.ts';
import { migrateTables } from '../../../src/analyzer/history/history-file.ts';
import type { Recorded } from '../../../src/analyzer/history/recorded-days.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { createCleanup } from '../../support/harness.ts';
import { onlyFigures } from '../../support/store-samples.ts';

/**
 * A store of version 0.2.0 (commit e46664b): the simulated site `seed 1 of 2 × 6` from 2026-11-16 07:30 to 2026-11-18 12:30 in
 * Berlin, after six days of its past, with samples of three days. What the history endpoints answered then about all features and
 * about each is in the other file.
 */
const fixture = (name: string): Buffer =>
  gunzipSync(readFileSync(join(import.meta.dirname, `fixtures/history-of-simulated-site-0.2.0.${name}.gz`)));

interface Answered {
  readonly known: readonly { readonly name: string; readonly collectedAt: number; readonly pools: number }[];
  readonly answers: readonly ({ readonly feature: string } & Readonly<Record<string, unknown>>)[];
}

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const END = Date.UTC(2026, 10, 18, 11, 30) / 1000;
const localTime = createLocalTime('Europe/Berlin');

function oldFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-migration-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'history.db');
  writeFileSync(path, fixture('db'));
  return path;
}

const open = (path: string): Store =>
  openStore({ path, localTime, origin: 'simulated site 1 of 2 × 6', maxSize: 2 ** 30 });

/** What the file says of itself. */
function inspect(path: string): { version: unknown; problems: unknown; definitions: readonly unknown[] } {
  const database = new DatabaseSync(path);
  const one = (pragma: string): unknown => Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
  const definitions = database
    .prepare('SELECT sql FROM sqlite_schema ORDER BY name')
    .all()
    .map(({ sql }) => String(sql).replace(/\s+/g, ' '));
  const found = { version: one('user_version'), problems: one('integrity_check'), definitions };
  database.close();
  return found;
}

async function answersOf(recorded: Recorded, feature: string): Promise<Readonly<Record<string, unknown>>> {
  const selector = { product: '%', feature };
  const window = { year: '2026', month: '11', last: '107' };
  return {
    feature,
    GetHistory: await getHistory(recorded, selector),
    GetHistoryReserved: await getHistoryReserved(recorded, selector),
    GetEfficiency: await getEfficiency(recorded, selector, window),
    GetHeatMap: await getHeatMap(recorded, selector, window),
  };
}

describe('a store of version 0.2.0', () => {
  it('answers as it did, and takes figures that are not known', async () => {
    const path = oldFile();
    expect(inspect(path)).toMatchObject({ version: 3, problems: 'ok' });
    const store = open(path);
    const { known, answers } = JSON.parse(fixture('answers.json').toString()) as Answered;
    const found = runAtOnce(store.known()).map(({ source, observation: { pools }, ...rest }) => {
      expect(source).toBe('');
      return { ...rest, pools: pools.length };
    });
    expect(found).toEqual(known);
    const recorded: Recorded = { store, localTime, now: END };
    expect(answers.length).toBeGreaterThan(5);
    for (const answered of answers) expect(await answersOf(recorded, answered.feature)).toEqual(answered);

    const [series] = store.series();
    if (series === undefined) throw new Error('unreachable: the fixture has series');
    const figures = { available: 9, inUse: undefined, reserved: undefined, users: undefined, denials: undefined };
    for (const _ of store.record(END + 86_400, 1800, onlyFigures([[series, figures]])));
    for (const _ of store.seal(localTime.dayOf(END) + 2));
    const later = await getHistory({ ...recorded, now: END + 86_400 }, { product: series.vendorLicense, feature: '%' });
    const day = localTime.startOf(localTime.dayOf(END) + 1) * 1000;
    expect(later.map(({ data }) => data.find(([at]) => at === day))).toEqual([[day, 9], undefined, undefined]);
    store.close();
    expect(inspect(path)).toMatchObject({ version: 6, problems: 'ok' });
    open(path).close();
  });

  it('has the tables of a new one afterwards, and a page more for each new one', () => {
    const path = oldFile();
    const { size } = statSync(path);
    open(path).close();
    // four tables of imports, the index of one of them, the numbers of licenses as of now, and people who waited
    expect(statSync(path).size).toBe(size + 7 * 4096);
    const fresh = join(path, '../fresh.db');
    open(fresh).close();
    expect(inspect(path)).toEqual(inspect(fresh));
  });

  it('stays as it is when the migration does not come to its end', () => {
    const path = oldFile();
    const before = inspect(path);
    const database = new DatabaseSync(path);
    const crash = (): void =>
      migrateTables(database, (action) => {
        database.exec('BEGIN IMMEDIATE');
        action();
        throw new Error('power failure');
      });
    expect(crash).toThrow('power failure');
    // without the end of the transaction
    database.close();
    expect(inspect(path)).toEqual(before);
    open(path).close();
    expect(inspect(path).version).toBe(6);
  });

  it('of an older version is refused with the version that converts it', () => {
    const path = oldFile();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 2');
    database.close();
    expect(() => open(path)).toThrow('written by version 0.1.0 of license-exporter; start version 0.2.0 on it once');
    expect(inspect(path).version).toBe(2);
  });

  it('of another origin is refused, and stays as it is', () => {
    const path = oldFile();
    expect(() => openStore({ path, localTime, origin: 'other', maxSize: 2 ** 30 })).toThrow('not of other');
    expect(inspect(path).version).toBe(3);
  });
});
