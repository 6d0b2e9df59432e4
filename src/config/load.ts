import { basename } from 'node:path';
import { alertmanagersOf } from './alertmanager-files.ts';
import type { Config } from './config.ts';
import { type Context, type LoadOptions, pathOf, readText, whereOf } from './context.ts';
import { embeddedOf } from './embedded-analyzer.ts';
import { type Located, readConfigFile } from './file.ts';
import { ConfigError, type Problem, suggest } from './problems.ts';
import { environmentName, OFF, type SettingKey, type SettingValues, settingKeys, settings } from './settings.ts';
import { analyzerOf } from './upstream-analyzer.ts';
import { ValueError } from './values.ts';
import { webOf } from './web.ts';

const ENVIRONMENT_PREFIX = 'LICENSE_EXPORTER_';
/** What Kubernetes adds to every pod of a namespace that has a service of this name. */
const KUBERNETES_SERVICE = /^LICENSE_EXPORTER_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;

/** Everything that is set, from flags over environment over file, where it was set, and what is wrong with it. */
function gather(options: LoadOptions, problems: Problem[]): Map<SettingKey, Located> {
  const given = new Map<SettingKey, Located>();
  if (options.configFile !== undefined) {
    const read = readText(options.configFile);
    if ('why' in read) problems.push({ key: '', where: options.configFile, message: `the file ${read.why}` });
    const file = readConfigFile('why' in read ? '' : read.text, basename(options.configFile));
    problems.push(...file.problems);
    for (const [key, located] of file.values) given.set(key, located);
  }
  const byEnvironment = new Map(
    settingKeys.filter((key) => !('fileOnly' in settings[key])).map((key) => [environmentName(key), key]),
  );
  for (const [name, value] of Object.entries(options.env)) {
    if (!name.startsWith(ENVIRONMENT_PREFIX) || KUBERNETES_SERVICE.test(name)) continue;
    const key = byEnvironment.get(name);
    if (key !== undefined) given.set(key, { value, where: name });
    else
      problems.push({ key: '', where: name, message: `unknown variable${suggest(name, [...byEnvironment.keys()])}` });
  }
  for (const [key, value] of options.flags) given.set(key, { value, where: `--${key.replaceAll('_', '-')}` });
  return given;
}

/** Values of all settings; a mistake is reported and the default taken, so that the rest can be checked too. */
function parseAll(
  given: ReadonlyMap<SettingKey, Located>,
  defaults: LoadOptions['defaults'],
  problems: Problem[],
): SettingValues {
  const parse = (key: SettingKey): unknown => {
    const located = given.get(key);
    const raw = located?.value ?? defaults?.get(key) ?? settings[key].default;
    if (raw === undefined) return undefined;
    try {
      return settings[key].parse(raw);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      const message = 'secret' in settings[key] ? 'is not a text' : error.message;
      problems.push({ key, where: located?.where ?? 'default', message });
      const { default: fallback } = settings[key];
      return fallback === undefined ? undefined : settings[key].parse(fallback);
    }
  };
  return Object.fromEntries(settingKeys.map((key) => [key, parse(key)])) as SettingValues;
}

function scheduleProblem(key: SettingKey, value: string, cronProblem: LoadOptions['cronProblem']): string | undefined {
  if (value === OFF) {
    return key === 'poll.products'
      ? 'GetProducts cannot be off: it names the vendor licenses that everything else is asked about'
      : undefined;
  }
  const problem = cronProblem(value);
  const wanted = key === 'poll.products' ? 'not a cron expression' : 'neither off nor a cron expression';
  return problem === undefined ? undefined : `${JSON.stringify(value)} is ${wanted}: ${problem}`;
}

/** What single values cannot tell: cron expressions, and settings that must fit together. */
function checkRelations(context: Context): void {
  const { values, problems, warnings, options } = context;
  for (const key of settingKeys) {
    if (!key.startsWith('poll.') || key === 'poll.max_data_age' || key === 'poll.start_offset') continue;
    const message = scheduleProblem(key, String(values[key]), options.cronProblem);
    if (message !== undefined) problems.push({ key, where: whereOf(context, key), message });
  }
  if (values['poll.server_down'] === OFF) {
    warnings.push(
      'poll.server_down is off: license servers that are down are not seen, and LicenseServerDown never fires',
    );
  }
  const [index = 0, total = 1] = [values['shard.index'], values['shard.total']];
  if (index >= total) {
    problems.push({
      key: 'shard.index',
      where: whereOf(context, 'shard.index'),
      message: `must be below shard.total (${total})`,
    });
  }
  const listen = (values['web.listen_address'] ?? []).map(({ host, port }) => `${host ?? ''}:${port}`);
  const where = whereOf(context, 'web.listen_address');
  if (listen.length === 0) problems.push({ key: 'web.listen_address', where, message: 'names no address' });
  const twice = listen.find((address, i) => !address.endsWith(':0') && listen.indexOf(address) !== i);
  if (twice !== undefined) problems.push({ key: 'web.listen_address', where, message: `names ${twice} twice` });
  if (values['metrics.collectors.history'] && values['history.features']?.length === 0) {
    warnings.push('the collector history is on, but history.features names nothing to ask for');
  }
}

/**
 * Makes the configuration from flags, environment and file, in this order of precedence.
 *
 * @throws ConfigError with everything that is wrong
 */
export function loadConfig(options: LoadOptions): Config {
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const given = gather(options, problems);
  const values = parseAll(given, options.defaults, problems);
  const context: Context = { values, given, options, problems, warnings };
  const analyzer = analyzerOf(context);
  const embedded = embeddedOf(context);
  const web = webOf(context);
  const alertmanagers = alertmanagersOf(context);
  checkRelations(context);
  if (problems.length > 0) throw new ConfigError(problems);

  // every setting with a default has a value now
  const all = values as { readonly [K in SettingKey]-?: NonNullable<SettingValues[K]> };
  const shard = { index: all['shard.index'], total: all['shard.total'] };
  const offset = all['poll.start_offset'];
  return Object.freeze<Config>({
    analyzer,
    poll: {
      products: all['poll.products'],
      serverDown: all['poll.server_down'],
      concurrentUsers: all['poll.concurrent_users'],
      features: all['poll.features'],
      expirations: all['poll.expirations'],
      history: all['poll.history'],
      maxDataAge: all['poll.max_data_age'],
      startOffset: offset === 'auto' ? (shard.index / shard.total) * 10 : offset,
    },
    featuresRequest: all['features.request'],
    select: { include: all['select.include'], exclude: all['select.exclude'] },
    historyFeatures: all['history.features'],
    metrics: {
      collectors: {
        borrow: all['metrics.collectors.borrow'],
        reserve: all['metrics.collectors.reserve'],
        icons: all['metrics.collectors.icons'],
        log: all['metrics.collectors.log'],
        activity: all['metrics.collectors.activity'],
        token: all['metrics.collectors.token'],
        users: all['metrics.collectors.users'],
        history: all['metrics.collectors.history'],
      },
      usageWhenNotCurrent: all['metrics.usage_when_not_current'],
      maxSeries: all['metrics.max_series'],
    },
    expirationSearch: all['expiration.search'],
    permanentAfter: all['expiration.permanent_after'],
    storagePath: pathOf(context, 'storage.path'),
    web: {
      listen: all['web.listen_address'],
      telemetryPath: all['web.telemetry_path'],
      externalUrl: values['web.external_url'],
      ...web.access,
    },
    alerting: {
      alertmanagers,
      externalLabels: all['alerting.external_labels'],
      evaluationInterval: all['alerting.evaluation_interval'],
      resendDelay: all['alerting.resend_delay'],
      resolve: all['alerting.resolve'],
      unknownHold: all['alerting.unknown_hold'],
      ignore: all['alerting.ignore'],
      rules: all['alerting.rules'],
      runbookBaseUrl: values['alerting.runbook_base_url'],
    },
    datasource: {
      path: all['datasource.path'],
      cacheTtl: all['datasource.cache_ttl'],
      deadline: all['datasource.deadline'],
      users: all['datasource.users'],
      pseudonymKey: web.pseudonymKey,
      timeZone: values['datasource.time_zone'],
    },
    shard,
    log: { level: all['log.level'], format: values['log.format'] },
    embeddedAnalyzer: {
      listen: all['embedded_analyzer.listen_address'],
      domain: all['embedded_analyzer.domain'],
      users: embedded.users,
      tls: embedded.tls,
      channelBinding: all['embedded_analyzer.channel_binding'],
      limits: {
        connections: all['embedded_analyzer.limits.connections'],
        requestsPerSecond: all['embedded_analyzer.limits.requests_per_second'],
        requestTimeout: all['embedded_analyzer.limits.request_timeout'],
      },
      collectionInterval: all['embedded_analyzer.collection_interval'],
      timeZone: values['embedded_analyzer.time_zone'] ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      retention: {
        samples: all['embedded_analyzer.retention.samples'],
        history: all['embedded_analyzer.retention.history'],
      },
      storeMaxSize: all['embedded_analyzer.store_max_size'],
      seed: all['embedded_analyzer.site.seed'],
      vendorLicenses: all['embedded_analyzer.site.vendor_licenses'],
      features: all['embedded_analyzer.site.features'],
      historyDays: all['embedded_analyzer.site.history_days'],
      knowledge: all['embedded_analyzer.site.knowledge'],
    },
    warnings,
  });
}
