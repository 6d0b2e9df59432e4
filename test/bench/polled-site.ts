import { setTimeout as sleep } from 'node:timers/promises';
import { type Cleanup, eventually } from '../support/harness.ts';
import { type BuiltDaemon, type DaemonFlags, startBuiltDaemon } from './built-daemon.ts';
import { type Child, startChild } from './child.ts';
import type { AnalyzerMethods, AnalyzerSetup } from './children/analyzer.ts';
import type { CpuTime, DaemonMethods } from './children/daemon.ts';
import { readMemory, untilQuiet } from './processes.ts';
import type { SiteSize } from './site.ts';

/** A daemon that polls a large site, each in its own process. */
export interface PolledSite {
  readonly analyzer: Child<AnalyzerMethods>;
  readonly daemon: BuiltDaemon;
  /** URL of the answer with all features, which is not held back. */
  readonly body: string;
  /** Base URL of the Query API. */
  readonly base: string;
  /** URL of the page of metrics. */
  readonly page: string;
  /** Memory of the daemon before its first poll, bytes. */
  readonly idleMemory: number;
  /** Polls all features once, with changed records. Resolves when the daemon has nothing more to do. */
  poll(): Promise<void>;
}

/** Vendor licenses of at most 2,000 features each. */
export function sizeOf(features: number): SiteSize {
  const vendorLicenses = Math.ceil(features / 2000);
  return { vendorLicenses, features: Math.ceil(features / vendorLicenses) };
}

/** Half a day from now, so that no poll is due during a benchmark. */
const rarely = (): string => `0 ${(new Date().getHours() + 12) % 24} * * *`;

/** The settings of a daemon for the benchmark, which is never refused a series. */
export const settingsFor = (base: string): DaemonFlags => ({
  'analyzer.url': base,
  'analyzer.username': 'CORP\\svc-lic',
  'analyzer.timeout': '600s',
  'analyzer.max_response_size': '512MiB',
  'web.listen_address': '127.0.0.1:0',
  'metrics.max_series': 100_000_000,
  'poll.products': rarely(),
  'poll.server_down': rarely(),
  'poll.concurrent_users': rarely(),
  'poll.expirations': rarely(),
});

/**
 * Starts analyzer and daemon, and polls once. GetFeatures is requested every second, and the analyzer holds the answer back
 * until `poll` is called.
 *
 * @param settings other settings of the daemon
 */
export async function startPolledSite(
  cleanup: Cleanup,
  features: number,
  settings: DaemonFlags = {},
): Promise<PolledSite> {
  const size = sizeOf(features);
  const analyzer = startChild<AnalyzerMethods>(cleanup, 'analyzer.ts');
  const setup: AnalyzerSetup = { ...size, held: ['GetProducts', 'GetFeatures'] };
  const base = await analyzer.call('start', setup);
  const daemon = await startBuiltDaemon(cleanup, {
    ...settingsFor(base),
    'poll.features': '* * * * * *',
    // a held answer can be late
    'poll.max_data_age': '1d',
    'features.request': 'all',
    ...settings,
  });
  await analyzer.call('untilHeld', 'GetProducts');
  await untilQuiet(daemon.pid);
  const idleMemory = readMemory(daemon.pid).now;
  await analyzer.call('release', 'GetProducts', false);
  const release = async (): Promise<void> => {
    await analyzer.call('untilHeld', 'GetFeatures');
    await analyzer.call('release', 'GetFeatures');
    // it asks again when the poll is over; then it renders
    await analyzer.call('untilHeld', 'GetFeatures');
    await untilQuiet(daemon.pid);
  };
  await release();
  const poll = async (): Promise<void> => {
    await analyzer.call('change');
    await release();
  };
  await untilGood(`${daemon.url}/metrics`, daemon);
  return {
    analyzer,
    daemon,
    body: `${base}/api/GetFeatures?product=%25&now=`,
    base,
    page: `${daemon.url}/metrics`,
    idleMemory,
    poll,
  };
}

/** @throws Error if the page does not become good, so that no benchmark measures a daemon that fails */
async function untilGood(page: string, daemon: BuiltDaemon): Promise<void> {
  const isGood = async (): Promise<boolean> => {
    const text = await (await fetch(`${page}?collect[]=site`)).text();
    return /^license_up 1$/m.test(text) && !/^license_poll_success\{.*\} 0$/m.test(text);
  };
  try {
    await eventually('every endpoint is polled', isGood, { every: 200 });
  } catch {
    throw new Error(`the site is not polled: ${daemon.problems.join('\n')}`);
  }
  await untilQuiet(daemon.pid);
}

type Spent = CpuTime & { readonly ms: number };

async function measure(daemon: Child<DaemonMethods>, run: () => Promise<unknown>): Promise<Spent> {
  const before = await daemon.call('cpu');
  const started = performance.now();
  await run();
  const ms = performance.now() - started;
  const after = await daemon.call('cpu');
  return { all: after.all - before.all, main: after.main - before.main, ms };
}

/** How long an idle daemon is measured, milliseconds. */
const IDLE_MS = 1000;

/** Processor time of each of several runs, without what the daemon spends in the same time when idle; microseconds. */
export async function spentOn(
  daemon: Child<DaemonMethods>,
  runs: number,
  work: () => Promise<unknown>,
): Promise<readonly CpuTime[]> {
  const idle = await measure(daemon, () => sleep(IDLE_MS));
  const times: CpuTime[] = [];
  for (let i = 0; i < runs; i += 1) {
    const { all, main, ms } = await measure(daemon, work);
    times.push({ all: all - (idle.all * ms) / idle.ms, main: main - (idle.main * ms) / idle.ms });
  }
  return times;
}
