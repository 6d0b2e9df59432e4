import { createCleanup } from '../support/harness.ts';
import { startBuiltDaemon } from './built-daemon.ts';
import { startChild } from './child.ts';
import type { AnalyzerMethods, AnalyzerSetup } from './children/analyzer.ts';
import type { CallersMethods, CallTime } from './children/callers.ts';
import { settingsFor } from './polled-site.ts';
import { untilQuiet } from './processes.ts';
import { type Line, median } from './report.ts';

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
    await analyzer.call('release', 'GetProducts', false);
    await analyzer.call('count');
    return { calls, time: await analyzer.call('untilAnswered', calls) };
  } finally {
    await cleanup.run();
  }
}

export async function benchCycle(vendorLicenses: number): Promise<Line[]> {
  const { calls, time } = await measureCycle(vendorLicenses);
  const ideal = Math.ceil(calls / CONCURRENCY) * LATENCY_MS;
  const what = `G6 poll of ${vendorLicenses.toLocaleString('en-US')} vendor licenses (peer: latency alone)`;
  return [{ what, ours: time, peer: ideal, unit: 'ms', ratio: ideal / time }];
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
    const callsTo = (base: string) => ({
      urls: Array.from({ length: requests }, () => `${base}/api/GetServerDown`),
      concurrency: 4,
    });
    const times: Record<'ours' | 'undici', CallTime[]> = { ours: [], undici: [] };
    for (let i = 0; i <= runs; i += 1) {
      const ours = await callers.call('ours', callsTo(ntlm));
      const undici = await callers.call('undici', callsTo(open));
      // the first round is a warm-up
      if (i === 0) continue;
      times.ours.push(ours);
      times.undici.push(undici);
    }
    const perSecond = (name: 'ours' | 'undici'): number => (1000 * requests) / median(times[name].map(({ ms }) => ms));
    const cpu = (name: 'ours' | 'undici'): number => median(times[name].map((time) => time.cpu.all)) / requests;
    const [ours, peer] = [perSecond('ours'), perSecond('undici')];
    return [
      {
        what: 'G7 requests with NTLM (peer: undici without a logon)',
        ours,
        peer,
        unit: 'requests/s',
        ratio: ours / peer,
      },
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
