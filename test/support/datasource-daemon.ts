import { vi } from 'vitest';
import { createSimulatedSite } from '../../src/analyzer/simulated/simulated-site.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import type { QueryClient } from '../../src/exporter/client/query-client.ts';
import type { SettingKey } from '../../src/program/config/settings.ts';
import {
  type Cleanup,
  createClient,
  createConfig,
  ENDED,
  eventually,
  startAnalyzer,
  startApp,
  WORKDAY,
} from './harness.ts';
import { hostileNames } from './hostile-names.ts';

/** The daemon on a small site with a few days of history, at a fixed time. */

export const PRODUCT = 'sim-lic01;sim_cadd';
/** A feature that is in use and has history and users. */
export const FEATURE = 'sim-mesh-2';
/** A vendor license whose server is down: its last counts are withheld. */
export const DOWN = 'sim-lic03;sim_solverd';

const small = { vendorLicenses: 3, featuresPerVendorLicense: 4, historyDays: 3 };

export interface Daemon {
  readonly url: string;
  readonly client: QueryClient;
  /** Bodies of the last answers to `client`. */
  readonly raw: () => string;
  /** Endpoints requested from the analyzer since the first poll. */
  readonly requests: string[];
}

/**
 * Starts analyzer and daemon. Resolves when the history is complete and the first poll has ended.
 *
 * @param headers of a user, if the settings ask for one
 */
export async function startDaemon(
  cleanup: Cleanup,
  settings: Partial<Record<SettingKey, unknown>> = {},
  size = small,
  headers: Readonly<Record<string, string>> = {},
): Promise<Daemon> {
  vi.useFakeTimers({ toFake: ['Date'], now: WORKDAY * 1000 });
  cleanup.add(() => vi.useRealTimers());
  const site = createSimulatedSite({
    seed: 1,
    timeZone: 'Europe/Berlin',
    interval: 60,
    now: () => WORKDAY,
    names: hostileNames,
    opening: createLocalTime('Europe/Berlin').dayOf(WORKDAY),
    ...size,
  });
  const requests: string[] = [];
  // a server is down half an hour after its last collection
  let at = WORKDAY - 3600;
  const analyzer = await startAnalyzer(
    { ...size, now: () => at },
    { past: site.past, onRequest: ({ path }) => requests.push(path.replace('/analyzer/api/', '')) },
  );
  cleanup.add(() => analyzer.stop());
  analyzer.site.force({ down: [DOWN], expirations: { [ENDED]: WORKDAY - 20 * 86_400 } });
  at = WORKDAY;
  await analyzer.collector.collect();
  let raw = '';
  const { client } = createClient(analyzer.url, {
    onBody: (_, body) => {
      raw = body.toString('utf8');
    },
  });
  cleanup.add(() => client.close());
  await eventually('the past', async () => {
    const [trend] = await client.getHistory({ product: PRODUCT, feature: FEATURE }, new AbortController().signal);
    return trend?.at.length === size.historyDays + 1;
  });
  const defaults = { 'datasource.time_zone': 'Europe/Berlin', 'access.names': '*' };
  const app = await startApp(createConfig(analyzer.url, { ...defaults, ...settings }));
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`, { headers })).ok);
  requests.length = 0;
  return {
    url: `${app.url}/grafana`,
    client,
    raw: () => raw,
    requests,
  };
}

export interface Reply {
  readonly status: number;
  readonly reason: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked without types
  readonly body: any;
}

async function read(response: Response): Promise<Reply> {
  const text = await response.text();
  const body = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, reason: response.statusText, headers: response.headers, body };
}

export const post = async (url: string, body: unknown): Promise<Reply> =>
  read(
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );

export const get = async (url: string, headers: Record<string, string> = {}): Promise<Reply> =>
  read(await fetch(url, { headers }));

/** The time range of a panel that ends now. */
export const range = (days: number) => ({
  from: new Date((WORKDAY - days * 86_400) * 1000).toISOString(),
  to: new Date(WORKDAY * 1000).toISOString(),
});

export const query = (target: string, payload: unknown, more: object = {}) => ({
  range: range(2),
  targets: [{ refId: 'A', target, payload }],
  ...more,
});
