import type { RecordedDemand } from '../../../src/analyzer/history/recorded-demand.ts';
import { openStore } from '../../../src/analyzer/history/store.ts';
import { type Analyzer, createAnalyzer } from '../../../src/analyzer/server/server.ts';
import { createSimulatedSite } from '../../../src/analyzer/simulated/simulated-site.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { ntHash } from '../../../src/base/ntlm/primitives.ts';
import type { AdviceContext } from '../../../src/insight/advice/method/advice.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { openKeptAdvice } from '../../../src/insight/advice/pass/kept-advice.ts';
import { type App, createApp } from '../../../src/program/app/app.ts';
import { loadConfig } from '../../../src/program/config/load.ts';
import type { SettingKey } from '../../../src/program/config/settings.ts';
import { demandOfDays } from '../../support/drawn-demand.ts';
import { answerParent } from '../child.ts';
import { type LongestTurn, watchTurns } from '../turns.ts';

/** Analyzer and exporter in one process, whose nightly pass begins when the parent says so. */

export interface NightlySite {
  readonly folder: string;
  readonly origin: string;
  readonly timeZone: string;
  readonly vendorLicenses: number;
  readonly features: number;
}

const PASSWORD = 'benchmark';

let app: App | undefined;
let analyzer: Analyzer | undefined;
const past = Promise.withResolvers<void>();
const computed = Promise.withResolvers<number>();

const fail = (fields: object, message: string): void => {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
};
const log = {
  debug: () => undefined,
  info: (fields: object, message: string) => {
    if (message.startsWith('advice')) computed.resolve((fields as { seconds: number }).seconds);
  },
  warn: fail,
  error: fail,
};

const now = (): number => Date.now() / 1000;
const seconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;

async function startSite({ folder, origin, timeZone, vendorLicenses, features }: NightlySite): Promise<string> {
  const site = createSimulatedSite({
    seed: 1,
    vendorLicenses,
    featuresPerVendorLicense: features,
    timeZone,
    now,
    interval: 3600,
  });
  analyzer = createAnalyzer({
    origin,
    sources: [site],
    history: { path: `${folder}/history.db`, timeZone, sampleDays: 30, days: 1825, maxSize: 2 ** 44 },
    listener: {
      host: '127.0.0.1',
      port: 0,
      limits: { connections: 100, requestsPerSecond: 100_000, requestTimeout: 60 },
      gate: { domain: 'BENCH', users: () => [{ name: 'bench', ntHash: ntHash(PASSWORD) }] },
    },
    version: '0.0.0',
    now,
    onProblem: (error) => fail({ error: String(error) }, 'analyzer'),
  });
  await analyzer.start();
  const hourly = '59 * * * *';
  const settings: Partial<Record<SettingKey, unknown>> = {
    'analyzer.url': analyzer.url,
    'analyzer.username': 'BENCH\\bench',
    'analyzer.password': PASSWORD,
    'web.listen_address': '127.0.0.1:0',
    'storage.path': folder,
    // nothing else runs meanwhile
    'alerting.evaluation_interval': '10m',
    'poll.products': hourly,
    'poll.server_down': hourly,
    'poll.concurrent_users': hourly,
    'poll.features': hourly,
    'poll.expirations': hourly,
  };
  const flags = new Map(Object.entries(settings)) as Map<SettingKey, unknown>;
  const config = loadConfig({ flags, env: {}, requireAnalyzer: true });
  if (config.analyzer === undefined) throw new Error('no analyzer is configured');
  const recorded: RecordedDemand = { ...analyzer.demand, pastAdded: () => past.promise };
  const deps = { log, version: '0.0.0', revision: 'bench', demo: false, recorded };
  app = createApp({ ...config, analyzer: config.analyzer }, deps);
  await app.start();
  const [url = ''] = app.addresses();
  while (!(await fetch(`${url}/-/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 50));
  return url;
}

/** Processor time of the method with an object for each hour, seconds for each series. */
function timeObjects({ folder, origin, timeZone }: NightlySite, count: number): number {
  const localTime = createLocalTime(timeZone);
  const store = openStore({ path: `${folder}/history.db`, localTime, origin, maxSize: 2 ** 44 });
  const today = localTime.dayOf(now());
  const context: AdviceContext = {
    today,
    tolerance: 4,
    workingTime: { weekdays: new Set([1, 2, 3, 4, 5]), from: 8, to: 18 },
    bought: undefined,
    exclusion: undefined,
    interval: 3600,
  };
  const all = store.series().slice(0, count);
  const before = process.threadCpuUsage();
  for (const series of all) {
    const days = store.sealedHours(series, today - 365, today).map(({ day, hours }) => ({
      day,
      hours: hours.map((hour) => ({ ...hour, hour: hour.index })),
    }));
    const demand = demandOfDays(days);
    evaluateDemand(demand, context);
  }
  const spent = seconds(process.threadCpuUsage(before)) / all.length;
  store.close();
  return spent;
}

const methods = {
  start: startSite,
  timeObjects,
  cpu: (): number => seconds(process.threadCpuUsage()),
  /** Begins the pass. Returns its seconds, and the longest block of the event loop by its work, in milliseconds. */
  pass: async (): Promise<LongestTurn & { readonly seconds: number }> => {
    const stopWatching = watchTurns();
    past.resolve();
    const took = await computed.promise;
    return { seconds: took, ...(await stopWatching()) };
  },
  /** Seconds until what was kept can be read. */
  restart: async ({ folder, origin }: NightlySite): Promise<number> => {
    await app?.stop();
    await analyzer?.stop();
    const started = performance.now();
    const kept = openKeptAdvice(`${folder}/rightsizing.db`);
    const pass = await kept.load(origin);
    const took = (performance.now() - started) / 1000;
    kept.close();
    if (pass === undefined || pass.rows.length === 0) throw new Error('nothing was kept');
    return took;
  },
};

export type NightlyMethods = typeof methods;

answerParent(methods);
