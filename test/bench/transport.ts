import { createCleanup } from '../support/harness.ts';
import { startBuiltDaemon } from './built-daemon.ts';
import { startChild } from './child.ts';
import type { AnalyzerMethods, AnalyzerSetup } from './children/analyzer.ts';
import type { CallersMethods, CallTime } from './children/callers.ts';
import { settingsFor, spentOn } from './polled-site.ts';
import { untilQuiet } from './processes.ts';
import { type Line, median } from './report.ts';
import { createSite } from './site.ts';

/** Requests with NTLM: a poll of many vendor licenses from a server with latency, and small requests one after another. */

const LATENCY_MS = 20;
const CONCURRENCY = 8;
const FEATURES_OF_EACH = 10;

/** The first poll of each vendor license, from the moment when the daemon knows them. Some connections need a logon. */
async function measureCycle(vendorLicenses: number) {
  const cleanup = createCleanup();
  try {
    const site = { vendorLicenses, features: FEATURES_OF_EACH };
    const setup: AnalyzerSetup = { ...site, ntlm: true, latency: LATENCY_MS, held: ['GetProducts'] };
    const analyzer = startChild<AnalyzerMethods>(cleanup, 'analyzer.ts');
    const base = await analyzer.call('start', setup);
    const settings = settingsFor(base);
    const daemon = await startBuiltDaemon(cleanup, {
      ...settings,
      'poll.features': settings['poll.expirations'],
      'analyzer.concurrency': CONCURRENCY,
      'features.request': 'per_vendor_license',
    });
    await analyzer.call('untilHeld', 'GetProducts');
    await untilQuiet(daemon.pid);
    // its features, its expiries, and these without a search level, which an analyzer may answer better
    const calls = 3 * vendorLicenses;
    let time = 0;
    const [cpu] = await spentOn(daemon, 1, async () => {
      await analyzer.call('release', 'GetProducts', false);
      await analyzer.call('count');
      time = await analyzer.call('untilAnswered', calls);
      await untilQuiet(daemon.pid);
    });
    await daemon.stop();
    const products = createSite({ vendorLicenses, features: 0 }).vendorLicenses;
    const names = ['GetFeatures', 'GetExpirationFeatures', 'GetExpirationFeatures'];
    const urls = names.flatMap((name) =>
      products.map((product) => `${base}/api/${name}?product=${encodeURIComponent(product)}`),
    );
    const callers = startChild<CallersMethods>(cleanup, 'callers.ts');
    const peer = await callers.call('httpntlm', { urls, concurrency: CONCURRENCY });
    return { calls, time, cpu: cpu?.all ?? Number.NaN, peer };
  } finally {
    await cleanup.run();
  }
}

export async function benchCycle(vendorLicenses: number): Promise<Line[]> {
  const { calls, time, cpu, peer } = await measureCycle(vendorLicenses);
  const ideal = Math.ceil(calls / CONCURRENCY) * LATENCY_MS;
  const what = `poll of ${vendorLicenses.toLocaleString('en-US')} vendor licenses`;
  const ours = cpu / 1000;
  const httpntlm = peer.cpu.all / 1000;
  return [
    { what: `G6 ${what} (peer: latency alone)`, ours: time, peer: ideal, unit: 'ms', ratio: ideal / time },
    { what: `G6 ${what} (peer: requests of httpntlm)`, ours: time, peer: peer.ms, unit: 'ms', ratio: peer.ms / time },
    {
      what: `G6 processor, ${what} (peer: requests of httpntlm)`,
      ours,
      peer: httpntlm,
      unit: 'ms',
      ratio: httpntlm / ours,
    },
  ];
}

/** @param requests of each run */
export async function benchRequests(requests: number, runs: number): Promise<Line[]> {
  const cleanup = createCleanup();
  try {
    const setup = { vendorLicenses: 0, features: 0 };
    const withLogon = startChild<AnalyzerMethods>(cleanup, 'analyzer.ts');
    const ntlm = await withLogon.call('start', { ...setup, ntlm: true });
    const open = await startChild<AnalyzerMethods>(cleanup, 'analyzer.ts').call('start', setup);
    const callers = startChild<CallersMethods>(cleanup, 'callers.ts');
    const callsTo = (base: string, count: number) => ({
      urls: Array.from({ length: count }, () => `${base}/api/GetServerDown`),
      concurrency: 4,
    });
    const times: Record<'ours' | 'undici' | 'httpntlm', CallTime[]> = { ours: [], undici: [], httpntlm: [] };
    for (let i = 0; i <= runs; i += 1) {
      const round = {
        ours: await callers.call('ours', callsTo(ntlm, requests)),
        undici: await callers.call('undici', callsTo(open, requests)),
        httpntlm: await callers.call('httpntlm', callsTo(ntlm, requests / 10)),
      };
      // the first round is a warm-up
      if (i > 0) for (const name of ['ours', 'undici', 'httpntlm'] as const) times[name].push(round[name]);
    }
    const perSecond = (name: keyof typeof times): number => {
      const count = name === 'httpntlm' ? requests / 10 : requests;
      return (1000 * count) / median(times[name].map(({ ms }) => ms));
    };
    const ours = perSecond('ours');
    const line = (what: string, peer: number): Line => ({ what, ours, peer, unit: 'requests/s', ratio: ours / peer });
    const cpu = (name: 'ours' | 'undici'): number => median(times[name].map((time) => time.cpu.all)) / requests;
    return [
      line('G7 requests with NTLM (peer: undici without a logon)', perSecond('undici')),
      line('G7 requests with NTLM (peer: httpntlm)', perSecond('httpntlm')),
      {
        what: 'G7 processor of a request with NTLM (peer: undici without a logon)',
        ours: cpu('ours'),
        peer: cpu('undici'),
        unit: 'µs',
        ratio: cpu('undici') / cpu('ours'),
      },
    ];
  } finally {
    await cleanup.run();
  }
}
