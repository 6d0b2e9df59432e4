import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { originOf } from '../../analyzer/analyzer.ts';
import { csvText, openMetricsText } from '../../analyzer/exchange/export-history.ts';
import { openStore } from '../../analyzer/history/store.ts';
import { createLocalTime, dayOfDate } from '../../base/model/local-time.ts';
import { OperatorError } from '../../base/model/operator-error.ts';
import { createPattern } from '../../base/model/wildcard.ts';
import { HISTORY_FILE } from '../../base/storage/saved-files.ts';
import { storagePathOf } from '../app/storage.ts';
import { loadConfig } from '../config/load.ts';
import type { CommandContext } from './command.ts';

/** The day of a flag, counted from 1970-01-01; undefined without a value. @throws OperatorError for another text than a date */
export function dayOfFlag(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  const day = dayOfDate(Number(year), Number(month), Number(date));
  const isDate = Number.isFinite(day) && new Date(day * 86_400_000).toISOString().startsWith(value);
  if (!isDate) throw new OperatorError(`--${flag} ${value} is no date; write it as 2026-01-31`);
  return day;
}

const formats = { openmetrics: openMetricsText, csv: csvText } as const;
const isFormat = (name: string): name is keyof typeof formats => Object.hasOwn(formats, name);

/** Prints the recorded history. @throws OperatorError with the remedy */
export async function historyExport({ line, env, printAll }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false });
  const path = join(storagePathOf(config), HISTORY_FILE);
  const format = line.values.format ?? 'openmetrics';
  if (!isFormat(format)) throw new OperatorError(`--format ${format} is not known; use openmetrics or csv`);
  if (!existsSync(path)) {
    throw new OperatorError(`there is no ${path}; only the embedded analyzer keeps a history, in storage.path`);
  }
  const first = dayOfFlag('first-day', line.values['first-day']);
  const last = dayOfFlag('last-day', line.values['last-day']);
  const localTime = createLocalTime(config.embeddedAnalyzer.timeZone);
  const store = openStore({ path, localTime, origin: originOf(config), maxSize: 2 ** 43, isReadOnly: true });
  try {
    const isWanted = createPattern(line.values.feature ?? '*', { ignoreCase: false, wildcard: '*' });
    const series = store.series().filter((one) => isWanted(one.feature));
    const extent = store.days(series);
    const options = {
      store,
      localTime,
      series,
      from: Math.max(first ?? Number.NEGATIVE_INFINITY, extent?.first ?? 0),
      until: Math.min((last ?? Number.POSITIVE_INFINITY) + 1, (extent?.last ?? -1) + 1),
    };
    await printAll(formats[format](options));
  } finally {
    store.close();
  }
  return 0;
}
