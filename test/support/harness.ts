import type { AnalyzerLimits, ListenerOptions } from '../../src/analyzer/server/http-front.ts';
import {
  type Analyzer,
  type AnalyzerOptions,
  createAnalyzer,
  type HistoryOptions,
} from '../../src/analyzer/server/server.ts';
import {
  createSimulatedSite,
  type SimulatedSite,
  type SimulatedSiteOptions,
} from '../../src/analyzer/simulated/simulated-site.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import type { Log } from '../../src/base/model/log.ts';
import type { Credentials } from '../../src/base/ntlm/client-codec.ts';
import { ntHash } from '../../src/base/ntlm/primitives.ts';
import type { AnalyzerConfig } from '../../src/base/settings/analyzer.ts';
import {
  CredentialGate,
  type CredentialGateOptions,
  createMemoryStore,
} from '../../src/exporter/client/credential-gate.ts';
import { NtlmDispatcher } from '../../src/exporter/client/dispatcher.ts';
import { createQueryClient, type QueryClient } from '../../src/exporter/client/query-client.ts';
import { createTransport, type TransportOptions } from '../../src/exporter/client/transport.ts';
import { createLocalDecoder, type LocalDecoderOptions } from '../../src/exporter/inventory/decoding/local-decoder.ts';
import { type App, type AppDeps, createApp } from '../../src/program/app/app.ts';
import type { Config } from '../../src/program/config/config.ts';
import { loadConfig } from '../../src/program/config/load.ts';
import type { SettingKey } from '../../src/program/config/settings.ts';
import { patience } from './extent.ts';
import { hostileNames } from './hostile-names.ts';

/** The account of every test. */
export const account: Credentials = { username: 'svc-lic', domain: 'CORP', workstation: '', password: 'S3cret-pass!' };

/** A Wednesday morning in Berlin, when the simulated site is busy. */
export const WORKDAY = Date.UTC(2026, 10, 18, 9, 30) / 1000;

/** A feature of the test site that nobody uses. It expired 20 days ago, until a test forces another state. */
export const ENDED = 'sim-lic01;sim_cadd/sim-synth-9';

/** History in memory. */
export const testHistory: HistoryOptions = {
  path: undefined,
  timeZone: 'Europe/Berlin',
  sampleDays: 30,
  days: 400,
  maxSize: 2 ** 30,
};

export const testLimits: AnalyzerLimits = { connections: 100, requestsPerSecond: 100_000, requestTimeout: 30 };

const unexpected = (error: unknown): never => {
  throw error;
};

interface TestAnalyzer extends Analyzer {
  readonly url: string;
  readonly site: SimulatedSite;
}

/** The options of an analyzer that listens. */
export type TestAnalyzerOptions = Partial<AnalyzerOptions & ListenerOptions>;

/** An analyzer on a free port, on a small site at a fixed time. */
export async function startAnalyzer(
  site: Partial<SimulatedSiteOptions> = {},
  { host = '127.0.0.1', port = 0, gate, tls, limits = testLimits, onRequest, ...options }: TestAnalyzerOptions = {},
): Promise<TestAnalyzer> {
  const { now = () => WORKDAY, timeZone = 'Europe/Berlin' } = site;
  const source = createSimulatedSite({
    seed: 1,
    vendorLicenses: 4,
    featuresPerVendorLicense: 12,
    timeZone,
    interval: 60,
    names: hostileNames,
    opening: createLocalTime(timeZone).dayOf(now()),
    ...site,
    now,
  });
  source.force({ expirations: { [ENDED]: now() - 20 * 86_400 } });
  const analyzer = createAnalyzer({
    origin: 'test',
    // it is collected only once, if the test does not collect
    sources: [{ ...source, interval: 3600 }],
    listener: {
      host,
      port,
      gate: gate ?? { domain: 'CORP', users: () => [{ name: account.username, ntHash: ntHash(account.password) }] },
      ...(tls !== undefined && { tls }),
      limits,
      ...(onRequest !== undefined && { onRequest }),
    },
    history: testHistory,
    version: '0.0.0',
    now,
    onProblem: unexpected,
    ...options,
  });
  await analyzer.start();
  return Object.defineProperty(analyzer, 'site', { value: source }) as TestAnalyzer;
}

/** A client with a transport and a decoder of its own. */
export type OwnedClient = QueryClient & { close(): Promise<void> };

interface TestClient {
  readonly client: OwnedClient;
  readonly dispatcher: NtlmDispatcher;
  readonly gate: CredentialGate;
}

export interface TestClientOptions extends Partial<TransportOptions>, Partial<LocalDecoderOptions> {
  readonly credentials?: Credentials;
  readonly gate?: Partial<CredentialGateOptions>;
}

/** A gate for the account of every test. It keeps its counts in memory. */
export function createTestGate(options: Partial<CredentialGateOptions> = {}): CredentialGate {
  return new CredentialGate({
    credentials: account,
    authRetrySeconds: 1800,
    maxFailedLogons: 2,
    store: createMemoryStore(),
    ...options,
  });
}

export function createClient(baseUrl: string, options: TestClientOptions = {}): TestClient {
  const gate = createTestGate({
    ...(options.credentials !== undefined && { credentials: options.credentials }),
    ...options.gate,
  });
  const logonPath = '/analyzer/api/GetHttpUserName';
  const dispatcher = new NtlmDispatcher({ origin: baseUrl, logonPath, gate, connections: 4 });
  const transport = createTransport({
    baseUrl,
    dispatcher,
    timeout: 10,
    maxResponseSize: 2 ** 28,
    maxChartSize: 2 ** 25,
    userAgent: 'test',
    now: () => Date.now() / 1000,
    ...options,
  });
  const decoder = createLocalDecoder({ permanentAfter: 2_147_483_641, ...options });
  const close = async (): Promise<void> => {
    await decoder.close();
    await transport.close();
  };
  return { client: { ...createQueryClient(transport, decoder), close }, dispatcher, gate };
}

export interface LogEntry {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A log that keeps its entries in memory. */
export function createTestLog(): Log & { readonly entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  const at = (level: string) => (fields: object, message: string) => {
    entries.push({ level, fields: fields as LogEntry['fields'], message });
  };
  return { entries, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A configuration that names the analyzer to poll. */
type PolledConfig = Config & { readonly analyzer: AnalyzerConfig };

/** A configuration for an analyzer, with settings by key. */
export function createConfig(url: string, settings: Partial<Record<SettingKey, unknown>> = {}): PolledConfig {
  const all: Partial<Record<SettingKey, unknown>> = {
    'analyzer.url': url,
    'analyzer.username': 'CORP\\svc-lic',
    'analyzer.password': account.password,
    'web.listen_address': '127.0.0.1:0',
    // its nightly pass sends requests that other tests do not count on
    'rightsizing.enabled': false,
    ...settings,
  };
  const flags = new Map(Object.entries(all)) as Map<SettingKey, unknown>;
  const config = loadConfig({ flags, env: {}, requireAnalyzer: true });
  if (config.analyzer === undefined) throw new Error('unreachable: an analyzer is required');
  return { ...config, analyzer: config.analyzer };
}

interface TestApp extends App {
  readonly log: ReturnType<typeof createTestLog>;
  readonly url: string;
  metrics(headers?: Record<string, string>): Promise<string>;
  /** The value of the sample whose line begins with the text. */
  sample(name: string): Promise<number | undefined>;
}

/** The value of the sample of a page whose line begins with the text. */
export function sampleOf(page: string, name: string): number | undefined {
  const line = page.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  const value = line?.slice(name.length + 1);
  return value === undefined ? undefined : value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
}

/** The exporter on a free port. */
export async function startApp(config: Config, deps: Partial<AppDeps> = {}): Promise<TestApp> {
  const log = createTestLog();
  const app = createApp(config, { log, version: '0.0.0', revision: 'test', demo: false, ...deps });
  await app.start();
  const [url = ''] = app.addresses();
  const metrics = async (headers: Record<string, string> = {}) => (await fetch(`${url}/metrics`, { headers })).text();
  return { ...app, log, url, metrics, sample: async (name) => sampleOf(await metrics(), name) };
}

/** Milliseconds. */
interface Wait {
  /** The longest pause between two looks. */
  readonly every?: number;
  readonly within?: number;
}

/**
 * Checks repeatedly until a condition holds. The time limit allows for machines under load and is not an expectation.
 * @throws Error with the description when it does not within the time
 */
export async function eventually(
  what: string,
  condition: () => Promise<boolean> | boolean,
  { every = 100, within = patience }: Wait = {},
): Promise<void> {
  const end = Date.now() + within;
  // each look is work: what has not happened soon is looked for less often
  for (let pause = 5; ; pause = Math.min(2 * pause, every)) {
    if (await condition()) return;
    if (Date.now() > end) throw new Error(`not within ${within} ms: ${what}`);
    // between two checks
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

export interface Cleanup {
  add(stop: () => unknown): void;
  run(): Promise<void>;
}

/** Ends everything that a test started, in reverse order. */
export function createCleanup(): Cleanup {
  const stops: (() => unknown)[] = [];
  return {
    add: (stop) => stops.push(stop),
    run: async () => {
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}
