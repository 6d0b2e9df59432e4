import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { figuresOf, type Series } from '../../src/analyzer/history/sample.ts';
import { createSimulatedSite } from '../../src/analyzer/simulated/simulated-site.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { vendorLicenseName } from '../../src/base/model/observation/observation.ts';
import { createCleanup } from '../support/harness.ts';
import { startChild } from './child.ts';
import type { NightlyMethods, NightlySite } from './children/nightly.ts';
import { startScrapes } from './paced-scrapes.ts';
import { readMemory, resetPeak, untilQuiet } from './processes.ts';
import type { Line } from './report.ts';
import { writeYear } from './year-store.ts';

/** The nightly pass over a year of a site, beside scrapes at fixed times. */

const DAYS = 365;
const PER_VENDOR_LICENSE = 50;
const IDLE_MS = 10_000;
/** Series that the peer reads. Its time is scaled. */
const PEER_SERIES = 100;
const MB = 2 ** 20;
/** What the pass is allowed: milliseconds, bytes. */
const bounds = { block: 50, collection: 20, memory: 100 * MB } as const;

const timeZone = 'Europe/Berlin';
const origin = 'benchmark';

/** The series that the site of the child will report. */
async function seriesOf(vendorLicenses: number, features: number): Promise<readonly Series[]> {
  const now = (): number => Date.now() / 1000;
  const options = { seed: 1, vendorLicenses, featuresPerVendorLicense: features, timeZone, interval: 3600, now };
  const observations = await createSimulatedSite(options).read(new AbortController().signal);
  return observations.flatMap((observation) =>
    [...figuresOf(observation, vendorLicenseName(observation), now())].map(([series]) => series),
  );
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN;

export async function benchPass(features: number): Promise<Line[]> {
  const cleanup = createCleanup();
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-bench-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  try {
    const perVendorLicense = Math.min(PER_VENDOR_LICENSE, features);
    const vendorLicenses = Math.ceil(features / perVendorLicense);
    const site: NightlySite = { folder, origin, timeZone, vendorLicenses, features: perVendorLicense };
    const localTime = createLocalTime(timeZone);
    const series = await seriesOf(vendorLicenses, perVendorLicense);
    const today = localTime.dayOf(Date.now() / 1000);
    writeYear({ path: join(folder, 'history.db'), origin, localTime, series, days: DAYS, today });
    const peer = startChild<NightlyMethods>(cleanup, 'nightly.ts');
    const objects = (await peer.call('timeObjects', site, PEER_SERIES)) * series.length;
    await peer.stop();

    const child = startChild<NightlyMethods>(cleanup, 'nightly.ts', ['--expose-gc']);
    const url = await child.call('start', site);
    await untilQuiet(child.pid);
    const idle = startScrapes(`${url}/metrics?collect[]=exporter`);
    const idleFrom = await child.call('cpu');
    await sleep(IDLE_MS);
    const idleCpu = ((await child.call('cpu')) - idleFrom) / (IDLE_MS / 1000);
    const idleTimes = await idle.stop();
    resetPeak(child.pid);
    const before = readMemory(child.pid).now;
    const busy = startScrapes(`${url}/metrics?collect[]=exporter`);
    const from = await child.call('cpu');
    const { seconds, block, collection } = await child.call('pass');
    const cpu = (await child.call('cpu')) - from - idleCpu * seconds;
    const busyTimes = await busy.stop();
    const memory = readMemory(child.pid).peak - before;
    const restart = await child.call('restart', site);
    const what = `${series.length} features, ${DAYS} days`;
    const [quiet, during] = [percentile(idleTimes, 0.99), percentile(busyTimes, 0.99)];
    return [
      {
        what: `nightly pass, ${what}: processor (peer: an object for each hour)`,
        ours: cpu,
        peer: objects,
        unit: 's',
        ratio: objects / cpu,
      },
      {
        what: 'nightly pass: longest block of the event loop by its work, processor time (peer: the limit)',
        ours: block,
        peer: bounds.block,
        unit: 'ms',
        ratio: bounds.block / block,
      },
      {
        what: 'nightly pass: longest garbage collection meanwhile (peer: the limit)',
        ours: collection,
        peer: bounds.collection,
        unit: 'ms',
        ratio: bounds.collection / collection,
      },
      {
        what: 'nightly pass: slowest of 100 scrapes meanwhile (peer: without the pass)',
        ours: during,
        peer: quiet,
        unit: 'ms',
        ratio: quiet / during,
      },
      {
        what: 'nightly pass: memory (peer: the limit)',
        ours: memory / MB,
        peer: bounds.memory / MB,
        unit: 'MB',
        ratio: bounds.memory / memory,
      },
      {
        what: `kept advice, ${what}: read after a restart (peer: computed again)`,
        ours: restart,
        peer: seconds,
        unit: 's',
        ratio: seconds / restart,
      },
    ];
  } finally {
    await cleanup.run();
  }
}
