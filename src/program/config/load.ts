import type { ArchiveConfig } from '../../analyzer/archive/settings.ts';
import type { EmbeddedConfig } from '../../analyzer/settings.ts';
import type { FeaturesSection } from '../../exporter/poll/settings.ts';
import type { Config } from './config.ts';
import { ConfigSettings, type LoadOptions } from './config-settings.ts';
import { embeddedOf } from './embedded-analyzer.ts';
import { entriesNamedBy } from './entry-file.ts';
import { ownersOf } from './owners-file.ts';
import { readPriceFile } from './price-file.ts';
import { ConfigError, inOrder } from './problems.ts';
import { alertmanagersOf, emailOf, webhookOf } from './receiver-files.ts';
import { checkRelations } from './relations.ts';
import { settingKeys, settingTable } from './settings.ts';
import { timeZonesOf } from './time-zones.ts';
import { analyzerOf, checkAnalyzer, hasAnalyzer } from './upstream-analyzer.ts';
import { accessOf, datasourceOf, webOf } from './web-files.ts';

const KEY = 'storage.archive.url';

/** The archive of the history; `undefined` if none is configured. Reports problems of its settings and files. */
function archiveOf(settings: ConfigSettings): ArchiveConfig | undefined {
  const first = settings.firstSettingOf('storage.archive');
  const address = settings.value(KEY);
  const passwordFile = settings.secretFile('storage.archive.password_file');
  const tls = settings.clientTls('storage.archive.tls');
  if (first === undefined) return undefined;
  if (address === undefined) {
    if (!settings.isInvalid(KEY)) settings.need(KEY, first);
    return undefined;
  }
  if (hasAnalyzer(settings)) {
    const why = 'keeps the history of the embedded analyzer, and analyzer.url polls another one';
    settings.refuse(KEY, `${why}; remove it, or make that analyzer a source: "manager: query-api"`);
  }
  // the name of this host is another one on a new machine
  const { name } = settings.section('analyzer');
  if (name === undefined) settings.need('analyzer.name', KEY);
  return { ...address, passwordFile, schema: settings.value('storage.archive.schema') ?? '', name: name ?? '', tls };
}

const restartKeys = settingKeys.filter((key) => settingTable.settings[key].restart !== undefined);

/** The polls of all shards are spread over this time, seconds. */
const SPREAD = 10;

/** How features are requested: of license managers, only what has changed. */
function featuresOf({ request }: FeaturesSection, { sources }: EmbeddedConfig): FeaturesSection {
  return { request: request === 'auto' && sources.length > 0 ? 'per_vendor_license' : request };
}

/**
 * Loads the configuration from flags, environment and file, in this order of precedence.
 *
 * @throws ConfigError with all problems
 */
export function loadConfig(options: LoadOptions): Config {
  const settings = new ConfigSettings(options);
  const analyzer = analyzerOf(settings);
  const zones = timeZonesOf(settings);
  const embeddedAnalyzer = embeddedOf(settings, zones.own);
  const web = webOf(settings);
  const datasource = datasourceOf(settings, zones.read);
  const alertmanagers = alertmanagersOf(settings);
  const email = emailOf(settings);
  const webhook = webhookOf(settings);
  const owners = ownersOf(settings);
  const archive = archiveOf(settings);
  const prices = entriesNamedBy(settings, 'rightsizing.price_file', readPriceFile);
  checkRelations(settings);
  checkAnalyzer(settings);
  if (settings.problems.length > 0) throw new ConfigError(inOrder(settings.problems));

  const poll = settings.section('poll');
  const shard = settings.section('shard');
  const { priceFile: _, ...rightsizing } = settings.section('rightsizing');
  return Object.freeze<Config>({
    analyzer,
    analyzerName: settings.section('analyzer').name,
    poll: {
      ...poll,
      startOffset: poll.startOffset === 'auto' ? (shard.index / shard.total) * SPREAD : poll.startOffset,
    },
    features: featuresOf(settings.section('features'), embeddedAnalyzer),
    select: settings.section('select'),
    history: settings.section('history'),
    metrics: settings.section('metrics'),
    expiration: settings.section('expiration'),
    storage: { path: settings.pathOf('storage.path'), archive },
    web,
    access: accessOf(settings, web),
    alerting: { ...settings.section('alerting'), alertmanagers, email, webhook },
    datasource,
    rightsizing,
    owners,
    prices,
    shard,
    log: settings.section('log'),
    embeddedAnalyzer,
    restartValues: new Map(restartKeys.map((key) => [key, settings.value(key)])),
    warnings: [...settings.warnings],
  });
}
