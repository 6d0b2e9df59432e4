import { DatabaseSync } from 'node:sqlite';
import { encodeHours } from '../../src/analyzer/history/day-codec.ts';
import { createDaySummary, totalsOf } from '../../src/analyzer/history/day-summary.ts';
import type { Sample, Series } from '../../src/analyzer/history/sample.ts';
import { openStore } from '../../src/analyzer/history/store.ts';
import { type LocalTime, weekdayOf } from '../../src/base/model/local-time.ts';

/** A history file with sealed days of many features, made without recording each sample. */
export interface YearStore {
  readonly path: string;
  readonly origin: string;
  readonly localTime: LocalTime;
  readonly series: readonly Series[];
  /** Sealed days. The last one is the day before `today`. */
  readonly days: number;
  readonly today: number;
}

/** Series that differ. The others are copies of them. */
const KINDS = 16;
const INTERVAL = 300;

/** Licenses in use over a day: few at night and on weekends, many at work, other ones on each day. */
function samplesOf(kind: number, day: number, start: number): Sample[] {
  const bought = 8 + kind * 5;
  const isWeekend = [0, 6].includes(weekdayOf(day));
  const wave = 0.7 + 0.2 * Math.sin((day + kind * 31) / 9);
  return Array.from({ length: 86_400 / INTERVAL }, (_, i) => {
    const hour = (i * INTERVAL) / 3600;
    const work = isWeekend ? 0.1 : Math.max(0.05, 1 - ((hour - 13) / 6) ** 2);
    const noise = Math.sin(Math.floor(i / 4) * 1.7 + day * kind) * 1.2;
    const wanted = Math.max(0, Math.round(bought * work * wave + noise));
    const inUse = Math.min(bought, wanted);
    const denials = wanted > bought ? 1 : 0;
    return {
      at: start + i * INTERVAL,
      seconds: INTERVAL,
      available: bought,
      inUse,
      reserved: 0,
      users: inUse,
      denials,
    };
  });
}

/** Writes the file. */
export function writeYear({ path, origin, localTime, series, days, today }: YearStore): void {
  // makes the tables, and seals the days before today
  const store = openStore({ path, origin, localTime, maxSize: 2 ** 44 });
  store.setNote('recorded since', String(localTime.startOf(today)));
  for (const _ of store.seal(today));
  store.close();
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
  const insertSeries = database.prepare('INSERT INTO series VALUES (?, ?, ?, ?, ?)');
  const insertDay = database.prepare('INSERT INTO day VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const summarise = createDaySummary();
  const rows = Array.from({ length: KINDS }, (_, kind) =>
    [...Array(days).keys()].map((i) => {
      const day = today - days + i;
      const frame = { hours: localTime.hoursOf(day), end: localTime.startOf(day + 1) };
      const hours = summarise([{ samples: samplesOf(kind, day, localTime.startOf(day)) }], frame);
      const { available, inUse, reserved, users, denials, licenseSeconds } = totalsOf(hours);
      const totals = [available, inUse, reserved, users, denials, licenseSeconds].map((figure) => figure ?? null);
      return [day, ...totals, encodeHours(hours)] as const;
    }),
  );
  for (const [i, { vendorLicense, feature, package: packageName, featureType }] of series.entries()) {
    insertSeries.run(i + 1, vendorLicense, feature, packageName, featureType);
    for (const row of rows[i % KINDS] ?? []) insertDay.run(i + 1, ...row);
  }
  database.exec('COMMIT');
  database.close();
}
