import { mkdirSync, readdirSync } from 'node:fs';
import { type ImportReport, importHistory } from '../../src/analyzer/exchange/import-history.ts';
import { Names } from '../../src/analyzer/exchange/names.ts';
import type { DayOfSamples, Sample } from '../../src/analyzer/history/sample.ts';
import { openImport } from '../../src/analyzer/history/staged-import.ts';
import { openStore } from '../../src/analyzer/history/store.ts';
import { debugLogUsage } from '../../src/analyzer/sources/flexnet/debug-log-usage.ts';
import { reportLogUsage } from '../../src/analyzer/sources/rlm/report-log-usage.ts';
import { createLocalTime, dateText } from '../../src/base/model/local-time.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import { reader } from '../../src/program/commands/import.ts';
import { reportText } from '../../src/program/commands/import-report.ts';

/** Imports in UTC, as the command does them, and what a history has after several. */

const utc = createLocalTime('UTC');

export interface Imported {
  readonly report: ImportReport;
  readonly text: string;
  readonly days: readonly DayOfSamples[];
}

export interface ImportSettings {
  /** Where the files wait. */
  readonly folder: string;
  /** Epoch seconds. */
  readonly now: number;
  readonly server?: string;
  readonly firstDay?: number;
  /** Of the times in logs. */
  readonly zone?: string;
}

/** Imports a path, and leaves what was staged. */
export async function importPath(
  path: string,
  { folder, now, server = '27000@lic1', firstDay = 0, zone = 'UTC' }: ImportSettings,
): Promise<Imported> {
  mkdirSync(folder, { recursive: true });
  const report = await importHistory({
    path,
    folder,
    logs: [debugLogUsage, reportLogUsage],
    readText: reader('UTC'),
    logTime: createLocalTime(zone),
    localTime: utc,
    encoding: undefined,
    names: new Names({ known: [], server, servers: [] }),
    firstDay,
    asOfNow: false,
    people: true,
    isWithoutReservations: () => false,
    isDryRun: false,
    now,
    onProgress: () => undefined,
  });
  const left = readdirSync(folder).filter((name) => !name.endsWith('.db'));
  if (left.length > 0) throw new Error(`the import has left ${left.join(', ')}`);
  const days = report.staged.flatMap((file) => {
    const open = openImport(file, utc);
    try {
      return [...open.pieces()].flatMap((piece) => piece ?? []);
    } finally {
      open.close();
    }
  });
  return {
    report,
    days,
    text: reportText(report, [], { today: utc.dayOf(now), asOfNow: false, isWithoutReservations: false }),
  };
}

const secondOf = (time: string): number => Date.parse(`${time}Z`) / 1000;

export const samplesOf = (days: readonly DayOfSamples[], feature: string): readonly Sample[] =>
  days.filter(({ series }) => series.feature === feature).flatMap(({ samples }) => samples);

/** What is in use of a feature at a time of UTC such as `2026-08-03T09:05`. */
export function inUseAt(days: readonly DayOfSamples[], feature: string, time: string): number | undefined {
  const at = secondOf(time);
  return samplesOf(days, feature).findLast((one) => one.at <= at && at < one.at + one.seconds)?.inUse;
}

/** What the history has after imports, one after the other: the samples, and peak and license-seconds of each feature and day. */
export function historyOf(imports: readonly Imported[]) {
  const store = openStore({ path: undefined, localTime: utc, origin: 'test', maxSize: 2 ** 30 });
  for (const [i, { days }] of imports.entries()) {
    const origin = { key: `import ${i}`, form: 'FlexNet debug log', name: 'a.log', at: i, seconds: 0, asOfNow: false };
    runAtOnce(store.import(days, origin));
  }
  const all = store.series();
  const days = all.flatMap((series): DayOfSamples[] => {
    const { first = 0, last = -1 } = store.days([series]) ?? {};
    return Array.from({ length: last - first + 1 }, (_, i) => {
      const record = store.read(series, first + i);
      return { series, day: first + i, samples: record !== undefined && 'samples' in record ? record.samples : [] };
    });
  });
  store.close();
  const figures = Object.fromEntries(
    days
      .filter(({ samples }) => samples.length > 0)
      .map(({ series, day, samples }) => [
        `${series.feature} ${dateText(day)}`,
        {
          peak: Math.max(...samples.map(({ inUse = 0, whole }) => Math.max(inUse, whole?.peak ?? 0))),
          seconds: samples.reduce(
            (sum, { inUse = 0, seconds, whole }) => sum + (whole?.licenseSeconds ?? inUse * seconds),
            0,
          ),
        },
      ])
      .sort(),
  );
  return { days, figures };
}
