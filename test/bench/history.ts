import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getEfficiency, getHeatMap, getHistory } from '../../src/analyzer/history/history-charts.ts';
import type { Recorded } from '../../src/analyzer/history/recorded-days.ts';
import type { Sample } from '../../src/analyzer/history/sample.ts';
import { openStore } from '../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { onlyFigures } from '../support/store-samples.ts';
import { compare, type Line } from './report.ts';
import { createWalk } from './samples.ts';

/** History in our store, compared with plain SQL on plain rows in SQLite with the same samples. */
export interface HistoryBench {
  readonly features: number;
  readonly days: number;
  /** Seconds between collections. */
  readonly interval: number;
  readonly runs: number;
}

const DAY = 86_400;
/** Beginning of a year. */
const BEGIN = Date.UTC(2025, 0, 1) / 1000;

function finish(steps: Iterable<void>): void {
  for (const _ of steps);
}

export async function benchHistory({ features, days, interval, runs }: HistoryBench): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-bench-'));
  const path = { ours: join(folder, 'ours.db'), bulk: join(folder, 'bulk.db'), peer: join(folder, 'peer.db') };
  const localTime = createLocalTime('UTC');
  const options = { localTime, origin: 'benchmark', maxSize: 2 ** 40 };
  const store = openStore({ ...options, path: path.ours });
  const bulk = openStore({ ...options, path: path.bulk });
  const rows = new DatabaseSync(path.peer);
  rows.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA locking_mode = EXCLUSIVE;
    CREATE TABLE sample (series INTEGER NOT NULL, at INTEGER NOT NULL, seconds INTEGER NOT NULL,
      available INTEGER NOT NULL, in_use INTEGER NOT NULL, reserved INTEGER NOT NULL, users INTEGER NOT NULL,
      denials INTEGER NOT NULL, PRIMARY KEY (series, at)) WITHOUT ROWID`);
  const insert = rows.prepare('INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?)');

  const walk = createWalk(features);
  const spent = { ours: 0, bulk: 0, peer: 0 };
  const measure = (name: keyof typeof spent, action: () => void): void => {
    const started = performance.now();
    action();
    spent[name] += performance.now() - started;
  };
  const firstDay = localTime.dayOf(BEGIN);
  // the bulk import takes only past days
  finish(bulk.seal(firstDay + days));
  for (let day = 0; day < days; day += 1) {
    const ofDay: Sample[][] = walk.series.map(() => []);
    for (let at = BEGIN + day * DAY; at < BEGIN + (day + 1) * DAY; at += interval) {
      const collected = walk.next();
      for (const [i, [, figures]] of collected.entries()) ofDay[i]?.push({ at, seconds: interval, ...figures });
      measure('ours', () => finish(store.record(at, interval, onlyFigures(collected))));
      measure('peer', () => {
        rows.exec('BEGIN');
        for (const [i, [, { available, inUse, reserved, users, denials }]] of collected.entries()) {
          const figures = [available, inUse, reserved, users, denials].map((figure) => figure ?? null);
          insert.run(i + 1, at, interval, ...figures);
        }
        rows.exec('COMMIT');
      });
    }
    measure('ours', () => finish(store.seal(firstDay + day + 1)));
    const whole = walk.series.map((series, i) => ({ series, day: firstDay + day, samples: ofDay[i] ?? [] }));
    measure('bulk', () => finish(bulk.add(whole, ['past', String(day)])));
  }
  const samples = (features * days * DAY) / interval;
  const rate = (ms: number): number => samples / (ms / 1000);

  const recorded: Recorded = { store, localTime, now: BEGIN + days * DAY - 1 };
  const one = { product: 'server0;daemon', feature: 'feature-0' };
  // the year is the calendar year: all days
  const window = { year: '2025', month: '1', last: '465' };
  const peer = {
    trend: rows.prepare(`SELECT at / 86400 AS day, max(available) AS available, sum(in_use * seconds) / 3600.0 AS hours,
      sum(denials) AS denials FROM sample WHERE series = ? GROUP BY at / 86400 ORDER BY day`),
    heat: rows.prepare(`SELECT (at / 3600) % 24 AS hour, (at / 86400 + 4) % 7 AS weekday, max(in_use) AS in_use
      FROM sample WHERE series = ? GROUP BY weekday, hour ORDER BY weekday, hour`),
    efficiency: rows.prepare('SELECT in_use, sum(seconds) AS seconds FROM sample WHERE series = ? GROUP BY in_use'),
  };

  // both must give the same result
  const trend = peer.trend.all(1);
  deepStrictEqual(
    (await getHistory(recorded, one)).map(({ data }) => data),
    ['available', 'hours', 'denials'].map((name) => trend.map((row) => [Number(row.day) * DAY * 1000, row[name]])),
  );
  deepStrictEqual(
    (await getHeatMap(recorded, one, window))[0]?.series[0]?.data,
    peer.heat.all(1).map(({ hour, weekday, in_use }) => [hour, weekday, in_use]),
  );
  const held = peer.efficiency.all(1);
  const atLeastOne = held.reduce((sum, row) => sum + (Number(row.in_use) > 0 ? Number(row.seconds) : 0), 0) / 3600;
  deepStrictEqual((await getEfficiency(recorded, one, window))[0]?.series[0]?.data[0], ['1', atLeastOne]);

  const all = walk.series.map(({ vendorLicense, feature }) => ({ product: vendorLicense, feature }));
  const times = {
    trends: await compare(
      runs,
      async () => {
        for (const each of all) await getHistory(recorded, each);
      },
      () => all.map((_, i) => peer.trend.all(i + 1)),
    ),
    trend: await compare(
      runs,
      () => getHistory(recorded, one),
      () => peer.trend.all(1),
    ),
    heat: await compare(
      runs,
      () => getHeatMap(recorded, one, window),
      () => peer.heat.all(1),
    ),
    efficiency: await compare(
      runs,
      () => getEfficiency(recorded, one, window),
      () => peer.efficiency.all(1),
    ),
  };
  for (const each of [store, bulk, rows]) each.close();
  const size = (file: string): number => statSync(file).size / samples;
  const bytes = { ours: size(path.ours), peer: size(path.peer) };
  rmSync(folder, { recursive: true });

  const line = (what: string, { ours, peer: other }: { ours: number; peer: number }, whose = 'one feature'): Line => ({
    what: `${what}, ${days} days of ${whose}`,
    ours,
    peer: other,
    unit: 'ms',
    ratio: other / ours,
  });
  const ingest = (what: string, ours: number): Line => ({
    what,
    ours: rate(ours),
    peer: rate(spent.peer),
    unit: 'samples/s',
    ratio: spent.peer / ours,
  });
  return [
    line('daily trend', times.trend),
    line('daily trends one by one', times.trends, `${features} features`),
    line('heat map', times.heat),
    line('efficiency', times.efficiency),
    ingest(`recording ${features} features, collection by collection, sealed daily`, spent.ours),
    ingest(`adding ${features} features, day by day`, spent.bulk),
    {
      what: 'size, samples and hours and totals',
      ...bytes,
      unit: 'bytes/sample',
      ratio: bytes.peer / bytes.ours,
    },
  ];
}
