import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Sample, trendOf } from '../bench/trend.ts';
import { type DayResult, runSimulatedDay } from './sources/simulated-day.ts';

/**
 * `npm run sources-day`: a simulated day of many license managers that fail in turn. It runs with MALLOC_ARENA_MAX=1: otherwise,
 * each thread of the C library keeps memory of its own, and the process grows by some MB for days without a leak. The space
 * for young objects has a limit, because it grows once by 40 MB, at any hour.
 */

const help = `npm run sources-day -- [options]
  --quick       collections every 15 minutes instead of 5
  --sources N   license managers (default 60)
  --hours N     simulated hours, more than 10 (default 24)
  --seed N      seed of the faults (default 1)
  --check       exits with 1 when anything was wrong, or memory, files or handles have grown
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    sources: { type: 'string', default: '60' },
    hours: { type: 'string', default: '24' },
    seed: { type: 'string', default: '1' },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** The first hours are not compared: the first midnight, when the history of the day is compacted, is one of them. */
const SETTLING_HOURS = 8;
const MAX_GROWTH = 0.05;
const MB = 2 ** 20;

interface Kept {
  readonly files: number;
  readonly resources: number;
}

const kept = (): Kept => ({
  files: readdirSync('/proc/self/fd').length,
  // it waits for the next turn of the event loop itself
  resources: process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').length,
});

/** What stays open: a reading that has not ended yet has some more. */
const leastOf = (hours: readonly Kept[]): Kept => ({
  files: Math.min(...hours.map(({ files }) => files)),
  resources: Math.min(...hours.map(({ resources }) => resources)),
});

function print({ readings, skipped, samples, byFault }: DayResult): void {
  const faults = [...byFault].sort(([, a], [, b]) => b - a).map(([kind, count]) => `${count} ${kind}`);
  process.stdout.write(
    `${readings} readings: ${faults.join(', ')}; ${skipped} left out; ${samples} samples compared\n`,
  );
}

async function run(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-sources-day-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const memory: Sample[] = [];
  const open: Kept[] = [];
  const onHour = async (hour: number): Promise<void> => {
    globalThis.gc?.();
    const value = process.memoryUsage().rss;
    if (hour > SETTLING_HOURS) memory.push({ at: hour, value });
    open.push(kept());
    process.stdout.write(`hour ${hour}: ${Math.round(value / MB)} MB\n`);
  };
  const size = { sources: Number(values.sources), hours: Number(values.hours), seed: Number(values.seed) };
  const result = await runSimulatedDay({ ...size, interval: values.quick ? 900 : 300, folder, onHour });
  print(result);
  const { growth, mean } = trendOf(memory);
  // before the first line, standard output is not open
  const settled = leastOf(open.slice(1, SETTLING_HOURS));
  const last = leastOf(open.slice(SETTLING_HOURS));
  const percent = (100 * growth).toFixed(1);
  process.stdout.write(
    `after hour ${SETTLING_HOURS}: ${(mean / MB).toFixed(0)} MB on average, grown by ${percent} %; ${last.files} files and ${last.resources} resources open\n`,
  );
  const isMore = last.files > settled.files || last.resources > settled.resources;
  return [
    ...result.problems,
    ...(growth > MAX_GROWTH ? [`memory has grown by ${percent} %`] : []),
    ...(isMore ? [`${JSON.stringify(settled)} became ${JSON.stringify(last)}`] : []),
  ];
}

if (values.help) {
  process.stdout.write(help);
} else {
  const problems = await run();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = values.check && problems.length > 0 ? 1 : 0;
}
