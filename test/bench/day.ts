import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCleanup, eventually } from '../support/harness.ts';
import { startChild } from './child.ts';
import type { ScraperMethods } from './children/scraper.ts';
import { type PolledSite, startPolledSite } from './polled-site.ts';
import { countOpenFiles, readMemory } from './processes.ts';
import { type Sample, trendOf } from './trend.ts';

/** A simulated day of a large site: every poll of it, one right after the other, with scrapes. Memory must not grow. */

const help = `node test/bench/day.ts [options]
  --features N  features of the site (default 100000)
  --hours N     simulated hours, more than 8 (default 24)
  --check       exits with 1 when memory has grown by more than 5 %, or when there are more open files or resources
`;

const { values } = parseArgs({
  options: {
    features: { type: 'string', default: '100000' },
    hours: { type: 'string', default: '24' },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** As by the default schedule of GetFeatures. */
const POLLS_PER_HOUR = 12;
/** The first hours are not compared: what only the start has needed is given back in minutes of real time. */
const SETTLING_HOURS = 8;
const MAX_GROWTH = 0.05;
const MB = 2 ** 20;

/** The other endpoints are polled too, expirations about once in a simulated hour. */
const schedules = {
  'poll.products': '*/5 * * * * *',
  'poll.server_down': '*/5 * * * * *',
  'poll.concurrent_users': '*/5 * * * * *',
  'poll.expirations': '*/30 * * * * *',
} as const;

/** Averages fill their window in the first hours: 24 simulated hours are about 5 minutes. */
const config = 'alerting: {rules: {LicenseFeatureSaturated: {window: 1m}}}\n';

interface Kept {
  readonly files: number;
  readonly resources: number;
}

const keptBy = async ({ daemon }: PolledSite): Promise<Kept> => ({
  files: countOpenFiles(daemon.pid),
  resources: (await daemon.call('resources')).length,
});

const isMore = (now: Kept, before: Kept): boolean => now.files > before.files || now.resources > before.resources;

async function runDay(features: number, hours: number): Promise<readonly string[]> {
  const cleanup = createCleanup();
  try {
    const folder = mkdtempSync(join(tmpdir(), 'license-exporter-day-'));
    cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'config.yml');
    writeFileSync(file, config);
    // the analyzer of benchmarks has no history to give advice from
    const settings = {
      ...schedules,
      'config.file': file,
      'storage.path': join(folder, 'state'),
      'rightsizing.enabled': false,
    };
    const site = await startPolledSite(cleanup, features, settings);
    const scraper = startChild<ScraperMethods>(cleanup, 'scraper.ts');
    const samples: Sample[] = [];
    let settled: Kept = { files: 0, resources: 0 };
    for (let poll = 1; poll <= hours * POLLS_PER_HOUR; poll += 1) {
      await site.poll();
      await scraper.call('scrape', { url: site.page, encoding: 'gzip', connections: 1, duration: 0 });
      const hour = poll / POLLS_PER_HOUR;
      const { now } = readMemory(site.daemon.pid);
      if (hour > SETTLING_HOURS) samples.push({ at: hour, value: now });
      if (hour === SETTLING_HOURS) settled = await keptBy(site);
      if (Number.isInteger(hour)) process.stdout.write(`hour ${hour}: ${Math.round(now / MB)} MB\n`);
    }
    const { growth, mean } = trendOf(samples);
    process.stdout.write(
      `after hour ${SETTLING_HOURS}: ${(mean / MB).toFixed(0)} MB on average, grown by ${(100 * growth).toFixed(1)} %\n`,
    );
    const problems = growth > MAX_GROWTH ? [`memory has grown by ${(100 * growth).toFixed(1)} %`] : [];
    try {
      // a connection that was closed is still open for a moment
      await eventually('nothing more is kept', async () => !isMore(await keptBy(site), settled), { within: 10_000 });
    } catch {
      const end = await keptBy(site);
      problems.push(`${JSON.stringify(settled)} became ${JSON.stringify(end)}`);
    }
    return [...problems, ...site.daemon.problems];
  } finally {
    await cleanup.run();
  }
}

if (values.help) {
  process.stdout.write(help);
} else {
  const problems = await runDay(Number(values.features), Number(values.hours));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = values.check && problems.length > 0 ? 1 : 0;
}
