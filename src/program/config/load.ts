import { realpathSync } from 'node:fs';
import type { ArchiveConfig } from '../../analyzer/archive/settings.ts';
import type { EmbeddedConfig } from '../../analyzer/settings.ts';
import { runAtOnce } from '../../base/scheduling/slices.ts';
import type { FeaturesSection } from '../../exporter/poll/settings.ts';
import type { Config } from './config.ts';
import { ConfigSettings, type LoadOptions } from './config-settings.ts';
import { lookAt } from './effects/effect.ts';
import { allParts, knownBy, type LoadedConfig, namedPartsOf } from './effects/named-settings.ts';
import { embeddedOf } from './embedded-analyzer.ts';
import { entriesNamedBy } from './entry-file.ts';
import { ownersOf } from './owners-file.ts';
import { readPriceFile } from './price-file.ts';
import { ConfigError, inOrder } from './problems.ts';
import { alertmanagersOf, emailOf, webhookOf } from './receiver-files.ts';
import { checkRelations } from './relations.ts';
import { settingKeys, settingTable } from './settings.ts';
import { analyzerOf, checkAnalyzer, hasAnalyzer, hasSources } from './upstream-analyzer.ts';
import { datasourceOf, webOf } from './web-files.ts';

/** What the standard calls a zone. Undefined for a name that it does not have. */
function zoneNameOf(zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions();
    // an offset is no zone: its clock would never change
    return /^[+-]|^Etc\/Unknown$/.test(timeZone) ? undefined : timeZone;
  } catch {
    return undefined;
  }
}

/** The zone of a file of the time zone database, by its path. */
function nameOfFile(path: string): string | undefined {
  try {
    return zoneNameOf(/\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(realpathSync(path))?.[1]);
  } catch {
    return undefined;
  }
}

/** The time zone of this host, or what says it without a name. */
type HostZone = { readonly name: string } | { readonly unnamed: string };

/**
 * An empty `TZ` is UTC (POSIX). A rule such as `CET-1CEST,M3.5.0,M10.5.0/3` has no name, and the runtime takes it for UTC.
 *
 * @param written the variable `TZ`
 */
export function readHostZone(written: string | undefined, localtime = '/etc/localtime'): HostZone {
  if (written === undefined) {
    const name = zoneNameOf(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? nameOfFile(localtime);
    return name === undefined ? { unnamed: localtime } : { name };
  }
  const zone = written.replace(/^:/, '').trim();
  if (zone === '') return { name: 'UTC' };
  const name = zone.startsWith('/') ? nameOfFile(zone) : zoneNameOf(zone.replace(/^(?:posix|right)\//, ''));
  return name === undefined ? { unnamed: `TZ=${written}` } : { name };
}

/** The zone of a setting, else that of the host, which must then have a name. */
function zoneOf(settings: ConfigSettings, key: 'datasource.time_zone' | 'embedded_analyzer.time_zone'): string {
  const configured = settings.value(key);
  if (configured !== undefined || settings.isInvalid(key)) return configured ?? 'UTC';
  const host = readHostZone(settings.options.env.TZ);
  if ('name' in host) return host.name;
  settings.refuse(
    key,
    `is required, because the time zone of this host (${host.unnamed}) has no name; set it, for example to Europe/Berlin`,
  );
  return 'UTC';
}

/** The time zones of the days of our own analyzer, and of those of the analyzer that is read. */
function timeZonesOf(settings: ConfigSettings): { readonly own: string; readonly read: string } {
  const isOwn = hasSources(settings) || !hasAnalyzer(settings);
  if (!isOwn) {
    const read = zoneOf(settings, 'datasource.time_zone');
    return { own: settings.value('embedded_analyzer.time_zone') ?? read, read };
  }
  const own = zoneOf(settings, 'embedded_analyzer.time_zone');
  const read = settings.value('datasource.time_zone') ?? own;
  if (read !== own && hasSources(settings)) {
    settings.warnings.add(
      `datasource.time_zone is ${read}, but the days of the embedded analyzer are those of ${own}: expiries can be a day off; set embedded_analyzer.time_zone too, or neither`,
    );
  }
  return { own, read };
}

const ARCHIVE_URL = 'storage.archive.url';

/** The archive of the history; `undefined` if none is configured. Reports problems of its settings and files. */
function archiveOf(settings: ConfigSettings): ArchiveConfig | undefined {
  const first = settings.firstSettingOf('storage.archive');
  const address = settings.value(ARCHIVE_URL);
  const passwordFile = settings.secretFile('storage.archive.password_file');
  const tls = settings.clientTls('storage.archive.tls');
  if (first === undefined) return undefined;
  if (address === undefined) {
    if (!settings.isInvalid(ARCHIVE_URL)) settings.need(ARCHIVE_URL, first);
    return undefined;
  }
  if (hasAnalyzer(settings)) {
    const why = 'keeps the history of the embedded analyzer, and analyzer.url polls another one';
    settings.refuse(ARCHIVE_URL, `${why}; remove it, or make that analyzer a source: "manager: query-api"`);
  }
  // the name of this host is another one on a new machine
  const { name } = settings.section('analyzer');
  if (name === undefined) settings.need('analyzer.name', ARCHIVE_URL);
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
  const config: LoadedConfig = {
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
    access: settings.section('access'),
    alerting: { ...settings.section('alerting'), alertmanagers, email, webhook },
    datasource,
    rightsizing,
    owners,
    people: settings.value('people') ?? true,
    prices,
    shard,
    log: settings.section('log'),
    embeddedAnalyzer,
    restartValues: new Map(restartKeys.map((key) => [key, settings.value(key)])),
  };
  const named = namedPartsOf(settings, config);
  const { problems, hints } = runAtOnce(lookAt(allParts({ ...config, named }), knownBy(config)));
  return Object.freeze<Config>({
    ...config,
    named,
    withoutEffect: inOrder(problems),
    hints: inOrder(hints),
    warnings: [...settings.warnings],
  });
}
