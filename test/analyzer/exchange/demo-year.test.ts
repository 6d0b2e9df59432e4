import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { importHistory } from '../../../src/analyzer/exchange/import-history.ts';
import { Names } from '../../../src/analyzer/exchange/names.ts';
import { createRecordedDemand } from '../../../src/analyzer/history/recorded-demand.ts';
import type { Sample, Series } from '../../../src/analyzer/history/sample.ts';
import { openImport } from '../../../src/analyzer/history/staged-import.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { createCatalogue, type SimulatedPool } from '../../../src/analyzer/simulated/simulated-catalogue.ts';
import { planDay } from '../../../src/analyzer/simulated/simulated-day.ts';
import { countOn } from '../../../src/analyzer/simulated/simulated-supply.ts';
import { debugLogUsage } from '../../../src/analyzer/sources/flexnet/debug-log-usage.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import type { Advice } from '../../../src/insight/advice/method/advice.ts';
import type { Demand } from '../../../src/insight/advice/method/demand.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { isMatrix } from '../../support/extent.ts';
import { createCleanup } from '../../support/harness.ts';
import { hostileNames } from '../../support/hostile-names.ts';
import { conflictsIn, contradictionsIn } from '../../support/said-figures.ts';
import { onlyFigures } from '../../support/store-samples.ts';

/** The year of the demo, recorded as it went by, and imported from logs of it on its last day. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const SLOT = 300;
const DAYS = 365;
const localTime = createLocalTime('Europe/Berlin');
const today = localTime.dayOf(Date.parse('2026-11-18T12:00Z') / 1000);
const size = isMatrix
  ? { vendorLicenses: 5, featuresPerVendorLicense: 10 }
  : { vendorLicenses: 3, featuresPerVendorLicense: 8 };

interface Held {
  readonly user: string;
  readonly from: number;
  readonly to: number;
}

interface Day {
  readonly held: readonly Held[];
  readonly denials: readonly number[];
}

interface Feature {
  readonly series: Series;
  readonly daemon: string;
  readonly pool: SimulatedPool;
}

/** Features whose licenses the log of one daemon counts: neither tokens nor packages, and one version. */
const features: readonly Feature[] = createCatalogue({ seed: 1, ...size, names: hostileNames }).flatMap(
  ({ server, pools }, i) => {
    const names = Map.groupBy(pools, ({ feature }) => feature);
    return [...names.values()].flatMap((versions) => {
      const [pool] = versions;
      if (pool === undefined || versions.length > 1 || pool.featureType !== 'feature' || !Number.isFinite(pool.count))
        return [];
      if (pool.feature.includes('"')) return [];
      const daemon = `vend${i}`;
      const series = {
        vendorLicense: `${server};${daemon}`,
        feature: pool.feature,
        package: '',
        featureType: 'feature',
      };
      return [{ series, daemon, pool }];
    });
  },
);

function dayOf({ pool }: Feature, day: number): Day {
  const [start, end] = [localTime.startOf(day), localTime.startOf(day + 1)];
  const { sessions, long, refused } = planDay(pool, day, localTime.startOf);
  const held = sessions.map(({ user, from, to }) => ({ user, from: Math.max(from, start), to: Math.min(to, end) }));
  const overDays = long.filter(({ from }) => from >= start && from < end);
  return {
    held: [...held, ...overDays].map((one) => ({ ...one, from: Math.floor(one.from), to: Math.ceil(one.to) })),
    denials: refused.map(({ from }) => from),
  };
}

/** What an analyzer sees every five minutes. */
function recordDay(feature: Feature, day: number, held: readonly Held[], denials: readonly number[]): Sample[] {
  const samples: Sample[] = [];
  const end = localTime.startOf(day + 1);
  for (let at = localTime.startOf(day); at < end; at += SLOT) {
    const now = held.filter(({ from, to }) => from <= at && at < to);
    samples.push({
      at,
      seconds: SLOT,
      available: countOn(feature.pool, day),
      inUse: now.length,
      reserved: 0,
      users: new Set(now.map(({ user }) => user)).size,
      denials: denials.filter((one) => one > at - SLOT && one <= at).length,
    });
  }
  return samples;
}

const two = (value: number): string => String(value).padStart(2, '0');

function logOf(lines: readonly (readonly [at: number, text: string])[]): string {
  const sorted = lines.toSorted(([a], [b]) => a - b);
  return sorted
    .map(([at, text]) => {
      const clock = (at + localTime.offsetAt(at)) % 86_400;
      return `${Math.floor(clock / 3600)}:${two(Math.floor(clock / 60) % 60)}:${two(clock % 60)} ${text}\n`;
    })
    .join('');
}

function demandOf(store: Store, series: Series): Demand {
  const recorded = createRecordedDemand({
    store: () => store,
    localTime,
    origin: 'test',
    intervalOf: () => SLOT,
    pastAdded: async () => undefined,
    pastDaysLeft: () => undefined,
    onImported: () => undefined,
    denials: { sinceStart: () => [], today: async () => ({ series: [] }), yesterday: async () => ({ series: [] }) },
    blocked: { sinceStart: () => [], now: () => [] },
    reclaimable: { now: () => [] },
  });
  const stored = store
    .series()
    .find(({ vendorLicense, feature }) => vendorLicense === series.vendorLicense && feature === series.feature);
  if (stored === undefined) throw new Error(`${series.feature} is not recorded`);
  const hours = (from: number, to: number) => recorded.hours(stored, from, to);
  return { series, days: recorded.totals(stored, today), detail: { kind: 'hours', hours, waits: new Map() } };
}

function adviceOf(store: Store, { series, pool, daemon }: Feature, refusing: ReadonlySet<string>): Advice {
  return evaluateDemand(demandOf(store, series), {
    today,
    tolerance: 1,
    workingTime: { weekdays: new Set([1, 2, 3, 4, 5]), from: 8, to: 18 },
    bought: countOn(pool, today - 1),
    exclusion: undefined,
    interval: SLOT,
    refusalsRecorded: refusing.has(daemon),
  });
}

it('imported from its logs, a year gives the advice of the year as it was recorded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-demo-year-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const options = { path: undefined, localTime, origin: 'test', maxSize: 2 ** 32 };
  const [live, imported] = [openStore(options), openStore(options)];
  runAtOnce(live.seal(today));
  const lines = new Map<string, (readonly [number, string])[]>();
  const refusing = new Set<string>();
  for (const feature of features) {
    const { series, daemon } = feature;
    const own = lines.get(daemon) ?? [];
    lines.set(daemon, own);
    let loans: readonly Held[] = [];
    for (let day = today - DAYS; day < today; day += 1) {
      const { held, denials } = dayOf(feature, day);
      const all = [...loans, ...held];
      loans = all.filter(({ to }) => to > localTime.startOf(day + 1));
      if (denials.length > 0) refusing.add(daemon);
      runAtOnce(live.add([{ series, day, samples: recordDay(feature, day, all, denials) }], ['', '']));
      const end = localTime.startOf(today);
      for (const { user, from, to } of held) {
        own.push([from, `(${daemon}) OUT: "${series.feature}" ${user}@h`]);
        if (to <= end) own.push([to, `(${daemon}) IN: "${series.feature}" ${user}@h`]);
      }
      for (const [i, at] of denials.entries()) {
        own.push([Math.floor(at), `(${daemon}) DENIED: "${series.feature}" r${day}-${i}@h  (x. (-4,342))`]);
      }
    }
  }
  for (const [daemon, own] of lines) {
    for (let at = localTime.startOf(today - DAYS); at <= localTime.startOf(today); at += 6 * 3600) {
      const date = new Date((at + localTime.offsetAt(at)) * 1000);
      const text = `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`;
      own.unshift([at, `(lmgrd) TIMESTAMP ${text}`]);
    }
    const served = features.filter((one) => one.daemon === daemon).map(({ pool }) => pool.feature);
    const listed = served.filter((name) => !/\s/.test(name)).join('\t\t');
    // a real one has three names in a line
    own.unshift([localTime.startOf(today - DAYS), `(${daemon}) Server started on lic1 for:\t${listed}`]);
    own.unshift([localTime.startOf(today - DAYS), `(lmgrd) Started ${daemon} (internet tcp_port 1 pid 2)`]);
    writeFileSync(join(folder, `${daemon}.log`), logOf(own));
  }

  // the first collection: what was bought is known now
  const now = localTime.startOf(today);
  const unknown = { inUse: undefined, reserved: undefined, users: undefined, denials: undefined };
  const figures = features.map(
    ({ series, pool }) => [series, { ...unknown, available: countOn(pool, today - 1) }] as const,
  );
  runAtOnce(imported.record(now, SLOT, onlyFigures(figures)));
  runAtOnce(imported.seal(today));
  const report = await importHistory({
    path: folder,
    folder,
    logs: [debugLogUsage],
    readText: () => undefined,
    logTime: localTime,
    localTime,
    encoding: undefined,
    names: new Names({ known: imported.series(), server: undefined, servers: [] }),
    firstDay: 0,
    asOfNow: true,
    people: true,
    isWithoutReservations: () => false,
    isDryRun: false,
    now,
    onProgress: () => undefined,
  });
  for (const path of report.staged) {
    const open = openImport(path, localTime);
    for (const piece of open.pieces()) if (piece !== undefined) runAtOnce(imported.import(piece, open.staged));
    open.close();
  }

  const differing: string[] = [];
  const contradictions: string[] = [];
  for (const feature of features) {
    const [one, other] = [live, imported].map((store) => adviceOf(store, feature, refusing)) as [Advice, Advice];
    const said = ({ state, count, countRange, needed, growth, days }: Advice) =>
      JSON.stringify({ state, count, countRange, needed, growth: growth.kind, days });
    if (said(one) !== said(other)) differing.push(`${feature.series.feature}: ${said(one)} ${said(other)}`);
    contradictions.push(...contradictionsIn(other), ...conflictsIn(other));
  }
  expect(differing).toEqual([]);
  // the sentences of an imported site say what its columns have
  expect(contradictions).toEqual([]);
});
