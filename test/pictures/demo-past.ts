import { writeFileSync } from 'node:fs';
import { toFeature } from '../../src/analyzer/server/feature-records.ts';
import { createSimulatedSite, type SimulatedObservation } from '../../src/analyzer/simulated/simulated-site.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { featureFields } from '../../src/base/query-api/feature-fields.ts';
import { demoDefaults } from '../../src/program/app/demo-analyzer.ts';
import { loadConfig } from '../../src/program/config/load.ts';

/** What Prometheus would have recorded of the demo, for the panels of its time series: the simulated site is a function of time. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The longest time range of a dashboard. */
const DAYS = 31;
/** How far apart the samples are up to an age, seconds: the shorter the time range of a panel, the finer. */
const distances = [
  { age: DAY + HOUR, every: MINUTE },
  { age: 8 * DAY, every: 5 * MINUTE },
  { age: DAYS * DAY, every: HOUR },
] as const;
/** How long one server of the demo has been down when it starts. */
const DOWN_BEFORE_START = 40 * MINUTE;

/** The figures that the panels of time series show. */
const figures = ['InUse', 'MaxQueued', 'MaxAvailable', 'InactiveUse', 'BorrowedUse', 'UnusedReserve'] as const;

interface Past {
  /** Of the demo. */
  readonly timeZone: string;
  /** The labels that Prometheus adds. */
  readonly target: Readonly<Record<string, string>>;
  /** The vendor license whose features are drawn. Of the others, there are the licenses of a week ago. */
  readonly vendorLicense: string;
  /** Epoch seconds. */
  readonly until: number;
}

function* times(until: number): Generator<number> {
  const end = until - (until % HOUR);
  for (let at = end - DAYS * DAY; at < until; at += distances.find(({ age }) => until - at <= age)?.every ?? HOUR)
    yield at;
}

const labelsOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',');

function* linesOf(observation: SimulatedObservation, at: number, past: Past): Generator<string> {
  const vendor = `${observation.server};${observation.daemon}`;
  const labels = { ...past.target, vendor_license: vendor };
  yield `license_server_up{${labelsOf(labels)}} ${Number(observation.reachable)} ${at}`;
  if (!observation.reachable) return;
  yield `license_vendor_license_data_known{${labelsOf({ ...labels, data: 'features' })}} 1 ${at}`;
  const isDrawn = vendor === past.vendorLicense;
  if (!isDrawn && Math.abs(past.until - 7 * DAY - at) > HOUR) return;
  const collected = { source: '', name: vendor, collectedAt: at, observation };
  for (const pool of observation.pools) {
    const record = toFeature({ collected, pool }, at);
    const { feature, version, featureType } = pool;
    const own = labelsOf({ ...labels, feature, version, package: pool.package, feature_type: featureType });
    for (const figure of isDrawn ? figures : (['MaxAvailable'] as const)) {
      const value = record[figure];
      if (value !== undefined) yield `${featureFields[figure].metric}{${own}} ${value} ${at}`;
    }
  }
}

/** Writes a month of samples in the format of OpenMetrics. */
export function writePast(path: string, past: Past): void {
  const { embeddedAnalyzer } = loadConfig({
    flags: new Map(),
    env: {},
    defaults: demoDefaults,
    requireAnalyzer: false,
  });
  const { seed, vendorLicenses, features, collectionInterval } = embeddedAnalyzer;
  const { timeZone, until } = past;
  const site = createSimulatedSite({
    seed,
    vendorLicenses,
    featuresPerVendorLicense: features,
    timeZone,
    now: () => until,
    interval: collectionInterval,
    downSince: until - DOWN_BEFORE_START,
    opening: createLocalTime(timeZone).dayOf(until),
  });
  const lines = [...times(until)].flatMap((at) => site.observe(at).flatMap((one) => [...linesOf(one, at, past)]));
  writeFileSync(path, `${lines.join('\n')}\n# EOF\n`);
}
