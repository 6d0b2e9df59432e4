import { parseArgs } from 'node:util';
import { benchAlerts } from './alerts.ts';
import { benchArchive } from './archive.ts';
import { benchCollect } from './collect.ts';
import { benchDatasource } from './datasource.ts';
import { benchDecode } from './decode.ts';
import { findShortfalls } from './floors.ts';
import { benchHistory } from './history.ts';
import { benchImport } from './import.ts';
import { benchLive } from './live.ts';
import { benchPages } from './pages.ts';
import { benchPass } from './pass.ts';
import { benchPoll } from './poll.ts';
import { benchPrometheus } from './prometheus.ts';
import { benchRender } from './render.ts';
import { type Line, print } from './report.ts';
import { benchRest, benchSourceRest } from './rest.ts';
import { benchRules } from './rules.ts';
import { benchScaling } from './scaling.ts';
import { benchScrape } from './scrape.ts';
import { benchStart } from './start.ts';
import { benchCycle, benchRequests } from './transport.ts';

/** `npm run bench -- --quick`; every figure is compared with a peer in the same run. */

const help = `npm run bench -- [options]
  --quick              small sizes, a few minutes
  --only WORD          only the benchmarks with WORD in their name; can be given again
  --check              exits with 1 when a ratio is below its floor
  --busy               checks only ratios of processor time and bytes, which hold on a busy host too
  --features N         features with history (default 50)
  --days N             days of history (default 365)
  --interval N         seconds between samples (default 300)
  --live-features N    features of GetFeatures (default 100000)
  --alerts N           alerts that fire at once (default 10000)
  --rule-features N    features of the site whose conditions rules evaluate (default 20000)
  --site-features N    features of the site that a daemon polls (default 100000)
  --poll-features N    features of the polls that have goals; five times as many are polled too (default 20000)
  --vendor-licenses N  vendor licenses that are polled one by one (default 1000)
  --sources N          license managers that are collected at once (default 50)
  --pass-features N    features whose year is read by the nightly pass (default 20000)
  --runs N             runs of each query, after one to warm up (default 7)
  --json
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    check: { type: 'boolean', default: false },
    busy: { type: 'boolean', default: false },
    features: { type: 'string' },
    days: { type: 'string' },
    interval: { type: 'string' },
    'live-features': { type: 'string' },
    alerts: { type: 'string' },
    'rule-features': { type: 'string' },
    'site-features': { type: 'string' },
    'vendor-licenses': { type: 'string' },
    sources: { type: 'string' },
    'poll-features': { type: 'string' },
    'pass-features': { type: 'string' },
    runs: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

type Size =
  | 'features'
  | 'days'
  | 'interval'
  | 'live-features'
  | 'alerts'
  | 'rule-features'
  | 'site-features'
  | 'poll-features'
  | 'vendor-licenses'
  | 'sources'
  | 'pass-features'
  | 'runs';

/** The number that was given, or the default for `--quick` or without. */
function size(name: Size, quick: number, full: number): number {
  const given = values[name];
  const number = given === undefined ? (values.quick ? quick : full) : Number(given);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} takes a positive integer, not ${given}`);
}

const runs = size('runs', 3, 7);
const siteFeatures = size('site-features', 5000, 100_000);
const pollFeatures = size('poll-features', 5000, 20_000);
const history = {
  features: size('features', 5, 50),
  days: size('days', 30, 365),
  interval: size('interval', 300, 300),
  runs,
};
const liveFeatures = size('live-features', 2000, 100_000);
const vendorLicenses = size('vendor-licenses', 100, 1000);
const sources = size('sources', 5, 50);
const ruleFeatures = size('rule-features', 2000, 20_000);
const fewRuns = Math.min(runs, values.quick ? 2 : 3);
const tenth = (count: number): number => Math.ceil(count / 10);
const scales = [tenth(tenth(siteFeatures)), tenth(siteFeatures), siteFeatures].slice(values.quick ? 1 : 0);

/** Every benchmark by its name, whose words `--only` selects. */
const benches: Readonly<Record<string, () => Promise<Line[]>>> = {
  'G8 history': () => benchHistory(history),
  served: () => benchLive(liveFeatures, runs),
  'G5 decode': () => benchDecode(liveFeatures, runs),
  panels: () => benchDatasource(runs),
  'alerts delivery': () => benchAlerts(size('alerts', 1000, 10_000), runs),
  'alerts rules small': () =>
    benchRules({ name: 'small site', features: 200, limit: 20, runs: values.quick ? 10 : 20 }),
  'alerts rules large': () =>
    benchRules({ name: 'large site', features: ruleFeatures, limit: ruleFeatures / 10, runs: values.quick ? 6 : 10 }),
  'G1 render': async () => [
    ...(await benchRender(200_000, 3)),
    ...(values.quick ? [] : await benchRender(2_000_000, 3)),
  ],
  'G2 scrape': async () => [
    ...(await benchScrape(1000, values.quick ? 1000 : 5000)),
    ...(values.quick ? [] : await benchScrape(10_000, 15_000)),
  ],
  'G3 G4 G10 G11 poll': async () => [
    ...(await benchPoll(pollFeatures, fewRuns)),
    ...(values.quick ? [] : await benchPoll(5 * pollFeatures, fewRuns)),
  ],
  'G6 cycle': () => benchCycle(vendorLicenses),
  'G7 requests': () => benchRequests(values.quick ? 1000 : 5000, runs),
  'G9 prometheus': async () => [
    ...(await benchPrometheus({ features: tenth(siteFeatures), interval: values.quick ? 2 : 10, scrapes: 3 })),
    ...(values.quick ? [] : await benchPrometheus({ features: siteFeatures, interval: 60, scrapes: 2 })),
  ],
  'A8 collect': () => benchCollect({ sources, runs: fewRuns, collections: values.quick ? 100 : 500 }),
  import: () =>
    benchImport(
      values.quick ? { megabytes: 20, days: 8, features: 200 } : { megabytes: 1000, days: 365, features: 300 },
    ),
  archive: () => (values.quick ? benchArchive(50, 60) : benchArchive(2000, 365)),
  pages: () => benchPages(siteFeatures, fewRuns),
  pass: () => benchPass(size('pass-features', 400, 20_000)),
  'G12 start': async () => [...(await benchStart(fewRuns))],
  // what is collected, advised and compiled after the start is not rest
  'G13 rest': () => (values.quick ? benchRest(120, 60) : benchRest(300, 600)),
  'G14 source': () => (values.quick ? benchSourceRest(150, 60) : benchSourceRest(300, 600)),
  scaling: () => benchScaling(scales, values.quick ? 1 : fewRuns),
};

/** They mostly wait, and measure processes of their own: small ones can run beside each other. */
const waiting: readonly string[] = values.quick ? ['alerts rules small', 'alerts rules large'] : [];
/** It only waits, and needs no more than a thousandth of a processor: a short one can run beside all others. */
const idle: readonly string[] = values.quick ? ['G13 rest', 'G14 source'] : [];

async function measure(name: string): Promise<readonly Line[]> {
  const begin = performance.now();
  const lines = (await benches[name]?.()) ?? [];
  process.stderr.write(`${name}: ${Math.round((performance.now() - begin) / 1000)} s\n`);
  return lines;
}

const isChosen = (name: string): boolean =>
  values.only.length === 0 || name.split(' ').some((word) => values.only.includes(word));

if (values.help) {
  process.stdout.write(help);
} else {
  const chosen = Object.keys(benches).filter(isChosen);
  if (chosen.length === 0) throw new Error(`--only takes a word of: ${Object.keys(benches).join(', ')}`);
  const together = async (names: readonly string[]): Promise<readonly Line[]> =>
    (await Promise.all(chosen.filter((name) => names.includes(name)).map(measure))).flat();
  const resting = together(idle);
  const lines = [...(await together(waiting))];
  for (const name of chosen) if (![...waiting, ...idle].includes(name)) lines.push(...(await measure(name)));
  lines.push(...(await resting));
  print(lines, values.json);
  const extent = { isWhole: values.only.length === 0, isBusy: values.busy };
  const shortfalls = values.check ? findShortfalls(lines, extent) : [];
  for (const shortfall of shortfalls) process.stderr.write(`${shortfall}\n`);
  if (shortfalls.length > 0) process.exitCode = 1;
}
