import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { StoreError } from '../analyzer/history-file.ts';
import { type Analyzer, type AnalyzerOptions, createAnalyzer } from '../analyzer/server.ts';
import { createSimulatedSite } from '../analyzer/simulated-site.ts';
import type { AnalyzerConfig, Config } from '../config/config.ts';
import { Secret } from '../config/secret.ts';
import { defaultsOf, type SettingKey } from '../config/settings.ts';
import type { Log } from '../model/log.ts';
import { ntHash } from '../ntlm/primitives.ts';

const DAY = 86_400;
const HISTORY_FILE = 'history.db';
/** Maximum size of history in memory, bytes. */
const MAX_MEMORY = 2 ** 30;
/** By then, an exporter in the same process has polled. */
const PAST_DELAY = 2;
const HISTORY_PROBLEM = 'the embedded analyzer cannot use its history, only the live endpoints work';

/** The configured embedded analyzer on a simulated site, with these users. */
export function createEmbeddedAnalyzer(
  { embeddedAnalyzer: settings, storagePath }: Config,
  { log, version, ...own }: Pick<AnalyzerOptions, 'gate' | 'onRequest' | 'version'> & { readonly log: Log },
): Analyzer {
  const { listen, collectionInterval, timeZone, seed, vendorLicenses, features, historyDays, knowledge, tls } =
    settings;
  const now = (): number => Date.now() / 1000;
  const site = createSimulatedSite({
    seed,
    vendorLicenses,
    featuresPerVendorLicense: features,
    timeZone,
    now,
    interval: collectionInterval,
    historyDays,
    knowledge,
  });
  return createAnalyzer({
    ...own,
    version,
    origin: site.origin,
    sources: [site],
    past: site.past,
    pastDelay: PAST_DELAY,
    history: {
      path: storagePath === undefined ? undefined : join(storagePath, HISTORY_FILE),
      timeZone,
      sampleDays: Math.ceil(settings.retention.samples / DAY),
      days: Math.ceil(settings.retention.history / DAY),
      maxSize: storagePath === undefined ? Math.min(settings.storeMaxSize, MAX_MEMORY) : settings.storeMaxSize,
    },
    host: listen.host,
    port: listen.port,
    ...(tls !== undefined && { tls: { cert: tls.cert, key: tls.key.reveal() } }),
    limits: settings.limits,
    now,
    onProblem: (error) => {
      if (error instanceof StoreError) log.error({ reason: error.message }, HISTORY_PROBLEM);
      else log.error({ err: error }, 'the embedded analyzer has a problem');
    },
    onRecovery: () => log.info({}, 'the embedded analyzer records history again'),
  });
}

/** The demo listens on loopback only, and collects often so that data appears soon. */
export const demoDefaults: ReadonlyMap<SettingKey, unknown> = new Map([
  ['web.listen_address', '127.0.0.1:10319'],
  ['embedded_analyzer.collection_interval', '60s'],
]);

const DEMO_USER = 'exporter';

/** An embedded analyzer with its own user, and how to reach it. */
export interface DemoAnalyzer {
  readonly analyzer: Analyzer;
  readonly account: { readonly domain: string; readonly username: string; readonly password: string };
  /** The configuration to poll it. It must have started. */
  config(): AnalyzerConfig;
}

/** The password is generated for each run. */
export function createDemoAnalyzer(config: Config, log: Log, version: string): DemoAnalyzer {
  const { domain, channelBinding } = config.embeddedAnalyzer;
  const password = randomBytes(18).toString('base64url');
  const users = [{ name: DEMO_USER, ntHash: ntHash(password) }];
  const analyzer = createEmbeddedAnalyzer(config, {
    log,
    version,
    gate: { domain, channelBinding, users: () => users },
    onRequest: (request) => log.debug(request, 'analyzer request'),
  });
  return {
    analyzer,
    account: { domain, username: DEMO_USER, password },
    config: () => ({
      ...defaultsOf('analyzer'),
      url: analyzer.url,
      username: DEMO_USER,
      domain,
      password: new Secret(password),
      // the analyzer runs in this process, so any certificate is accepted
      tls: { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: true },
    }),
  };
}
