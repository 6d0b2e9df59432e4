import { join } from 'node:path';
import { type Analyzer, type AnalyzerOptions, createAnalyzer } from '../analyzer/server.ts';
import { createSimulatedSite } from '../analyzer/simulated-site.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../model/log.ts';

const DAY = 86_400;
const HISTORY_FILE = 'history.db';

/** The embedded analyzer on a simulated site, as it is configured, with these users. */
export function createEmbeddedAnalyzer(
  { embeddedAnalyzer: settings, storagePath }: Config,
  { log, version, ...own }: Pick<AnalyzerOptions, 'gate' | 'onRequest' | 'version'> & { readonly log: Log },
): Analyzer {
  const { listen, collectionInterval, timeZone, seed, vendorLicenses, features, historyDays, tls } = settings;
  const now = (): number => Date.now() / 1000;
  const site = createSimulatedSite({
    seed,
    vendorLicenses,
    featuresPerVendorLicense: features,
    timeZone,
    now,
    interval: collectionInterval,
    historyDays,
  });
  return createAnalyzer({
    ...own,
    version,
    source: site,
    past: site.past,
    collectionInterval,
    history: {
      path: storagePath === undefined ? undefined : join(storagePath, HISTORY_FILE),
      timeZone,
      origin: `simulated site ${seed} of ${vendorLicenses} × ${features}`,
      sampleDays: Math.ceil(settings.retention.samples / DAY),
      days: Math.ceil(settings.retention.history / DAY),
      maxSize: settings.storeMaxSize,
    },
    host: listen.host ?? '::',
    port: listen.port,
    ...(tls !== undefined && { tls: { cert: tls.cert, key: tls.key.reveal() } }),
    limits: settings.limits,
    now,
    onProblem: (error) => log.error({ err: error }, 'the embedded analyzer has a problem'),
    onRecovery: () => log.info({}, 'the embedded analyzer records history again'),
  });
}
