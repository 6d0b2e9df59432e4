import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { AnalyzerConfig, Config } from './config.ts';
import { type Located, readConfigFile } from './file.ts';
import { ConfigError, type Problem, suggest } from './problems.ts';
import { Secret } from './secret.ts';
import { environmentName, type SettingKey, type SettingValues, settingKeys, settings } from './settings.ts';
import { parseUsersFile } from './users-file.ts';
import { ValueError } from './values.ts';

export interface LoadOptions {
  readonly configFile?: string | undefined;
  /** Raw values of flags by setting. */
  readonly flags: ReadonlyMap<SettingKey, unknown>;
  readonly env: NodeJS.ProcessEnv;
  /** Whether an analyzer must be configured; the demo brings its own. */
  readonly requireAnalyzer: boolean;
  /** Defaults of the command, which stand before those of the settings. */
  readonly defaults?: ReadonlyMap<SettingKey, unknown>;
  /** Says what is wrong with a cron expression. */
  readonly cronProblem: (expression: string) => string | undefined;
}

const ENVIRONMENT_PREFIX = 'LICENSE_EXPORTER_';
/** What Kubernetes adds to every pod of a namespace that has a service of this name. */
const KUBERNETES_SERVICE = /^LICENSE_EXPORTER_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;
const CREDENTIAL_NAME = 'analyzer-password';

const HOW_TO_CONFIGURE =
  'no analyzer is configured. Write a file with "analyzer:" and below it "url: https://host:8443/analyzer", ' +
  '"username: DOMAIN\\name" and "password_file: /path", and pass it with --config.file; or set ' +
  'LICENSE_EXPORTER_ANALYZER_URL, _USERNAME and _PASSWORD_FILE. To look around first, run: license-exporter demo';

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

/** The text of a file, or why there is none. */
function readText(path: string): { readonly text: string } | { readonly why: string } {
  try {
    return { text: readFileSync(path, 'utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { why: 'does not exist' };
    return { why: code === 'EISDIR' ? 'is a directory' : `cannot be read (${code})` };
  }
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

/** A password from a file: one line, its end taken off. @throws Error that says what is wrong with the file */
export function readPasswordFile(path: string): Secret {
  const read = readText(path);
  if ('why' in read) throw new Error(`${path} ${read.why}`);
  const password = read.text.replace(/\r?\n$/, '');
  if (password === '') throw new Error(`${path} is empty`);
  return new Secret(password);
}

const isReadableByAll = (file: string): boolean => (statSync(file).mode & 0o004) !== 0;

interface Context {
  readonly values: SettingValues;
  readonly given: ReadonlyMap<SettingKey, Located>;
  readonly options: LoadOptions;
  readonly problems: Problem[];
  readonly warnings: string[];
}

const whereOf = ({ given }: Context, key: SettingKey): string => given.get(key)?.where ?? 'configuration';

/** Files named in the configuration file are meant relative to it. */
function pathOf(context: Context, key: SettingKey & `${string}_file`): string | undefined {
  const path = context.values[key];
  if (typeof path !== 'string') return undefined;
  const { configFile } = context.options;
  const isFromFile = configFile !== undefined && context.given.get(key)?.where.startsWith(basename(configFile));
  return isFromFile ? resolve(dirname(configFile), path) : resolve(path);
}

function findPassword(context: Context): { password: Secret; file: string | undefined } | undefined {
  const { values, options, problems, warnings } = context;
  const direct = values['analyzer.password'];
  if (direct !== undefined) return { password: new Secret(direct), file: undefined };
  const configured = pathOf(context, 'analyzer.password_file');
  const directory = options.env.CREDENTIALS_DIRECTORY;
  const credential = directory === undefined ? undefined : join(directory, CREDENTIAL_NAME);
  const file = configured ?? credential;
  if (file === undefined) return undefined;
  try {
    const password = readPasswordFile(file);
    if (isReadableByAll(file)) warnings.push(`${file} can be read by every user; give it mode 0600`);
    return { password, file };
  } catch (error) {
    if (configured === undefined) return undefined;
    const where = whereOf(context, 'analyzer.password_file');
    problems.push({ key: 'analyzer.password_file', where, message: (error as Error).message });
    return undefined;
  }
}

function account(context: Context): { username: string; domain: string } {
  const { values, problems } = context;
  const username = values['analyzer.username'] ?? '';
  const domain = values['analyzer.domain'] ?? '';
  const [, prefix, name] = /^([^\\]*)\\(.*)$/s.exec(username) ?? [];
  if (prefix === undefined || name === undefined) return { username, domain };
  const where = whereOf(context, 'analyzer.username');
  if (name === '') problems.push({ key: 'analyzer.username', where, message: 'names a domain but no account' });
  if (domain !== '' && domain.toLowerCase() !== prefix.toLowerCase()) {
    problems.push({ key: 'analyzer.username', where, message: 'names another domain than analyzer.domain' });
  }
  return { username: name, domain: prefix };
}

function readTlsFile(context: Context, key: SettingKey & `${string}.tls.${string}_file`): string | undefined {
  const path = pathOf(context, key);
  if (path === undefined) return undefined;
  const read = readText(path);
  if ('text' in read) return read.text;
  context.problems.push({ key, where: whereOf(context, key), message: `${path}: the file ${read.why}` });
  return undefined;
}

function analyzerOf(context: Context): AnalyzerConfig | undefined {
  const { values, problems, options } = context;
  const url = values['analyzer.url'];
  if (url === undefined) {
    if (options.requireAnalyzer) problems.push({ key: '', where: 'configuration', message: HOW_TO_CONFIGURE });
    return undefined;
  }
  const { username, domain } = account(context);
  const need = (key: SettingKey, message: string): void => {
    problems.push({ key, where: whereOf(context, 'analyzer.url'), message });
  };
  if (username === '') need('analyzer.username', 'is needed with analyzer.url');
  const before = problems.length;
  const found = findPassword(context);
  if (found === undefined && problems.length === before) {
    need('analyzer.password_file', 'is needed with analyzer.url, or LICENSE_EXPORTER_ANALYZER_PASSWORD');
  }
  const cert = readTlsFile(context, 'analyzer.tls.cert_file');
  const key = readTlsFile(context, 'analyzer.tls.key_file');
  if ((values['analyzer.tls.cert_file'] === undefined) !== (values['analyzer.tls.key_file'] === undefined)) {
    need('analyzer.tls.key_file', 'and analyzer.tls.cert_file belong together');
  }
  if (cert !== undefined && key !== undefined) checkCertificate(context, 'analyzer.tls.cert_file', cert, key);
  return {
    url,
    username,
    domain,
    workstation: values['analyzer.workstation'] ?? '',
    password: found?.password ?? new Secret(''),
    passwordFile: found?.file,
    authRetry: values['analyzer.auth_retry'] ?? 0,
    timeout: values['analyzer.timeout'] ?? 0,
    maxResponseSize: values['analyzer.max_response_size'] ?? 0,
    concurrency: values['analyzer.concurrency'] ?? 1,
    tls: {
      ca: readTlsFile(context, 'analyzer.tls.ca_file'),
      cert,
      key: key === undefined ? undefined : new Secret(key),
      serverName: values['analyzer.tls.server_name'],
      insecureSkipVerify: values['analyzer.tls.insecure_skip_verify'] ?? false,
    },
  };
}

/** Whether a certificate and its key can be used, said where the certificate was. */
function checkCertificate(context: Context, name: SettingKey, cert: string, key: string): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `is no PEM certificate, or the key is none or not its own (${code})`;
    context.problems.push({ key: name, where: whereOf(context, name), message });
  }
}

/** What the files of the embedded analyzer say. */
function embeddedOf(context: Context): Pick<Config['embeddedAnalyzer'], 'users' | 'tls'> {
  const { problems, warnings, values } = context;
  const cert = readTlsFile(context, 'embedded_analyzer.tls.cert_file');
  const key = readTlsFile(context, 'embedded_analyzer.tls.key_file');
  const pair = ['embedded_analyzer.tls.cert_file', 'embedded_analyzer.tls.key_file'] as const;
  const [set, ...both] = pair.filter((name) => values[name] !== undefined);
  if (set !== undefined && both.length === 0) {
    const message = 'and embedded_analyzer.tls.cert_file belong together';
    problems.push({ key: 'embedded_analyzer.tls.key_file', where: whereOf(context, set), message });
  }
  const tls = cert === undefined || key === undefined ? undefined : { cert, key: new Secret(key) };
  if (tls !== undefined) checkCertificate(context, 'embedded_analyzer.tls.cert_file', tls.cert, tls.key.reveal());
  const file = pathOf(context, 'embedded_analyzer.users_file');
  if (file === undefined) return { users: undefined, tls };
  const where = whereOf(context, 'embedded_analyzer.users_file');
  const read = readText(file);
  try {
    if ('why' in read) throw new ValueError(`${file} ${read.why}`);
    const users = parseUsersFile(read.text, file);
    if (isReadableByAll(file)) warnings.push(`${file} can be read by every user; give it mode 0600`);
    return { users, tls };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    problems.push({ key: 'embedded_analyzer.users_file', where, message: error.message });
    return { users: undefined, tls };
  }
}

/** What single values cannot tell: cron expressions, and settings that must fit together. */
function checkRelations(context: Context): void {
  const { values, problems, warnings, options } = context;
  for (const key of settingKeys) {
    if (!key.startsWith('poll.') || key === 'poll.max_data_age' || key === 'poll.start_offset') continue;
    const problem = options.cronProblem(String(values[key]));
    if (problem === undefined) continue;
    const message = `${JSON.stringify(values[key])} is not a cron expression: ${problem}`;
    problems.push({ key, where: whereOf(context, key), message });
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
    permanentAfter: all['expiration.permanent_after'],
    storagePath: values['storage.path'] === undefined ? undefined : resolve(values['storage.path']),
    web: { listen: all['web.listen_address'], telemetryPath: all['web.telemetry_path'] },
    shard,
    log: { level: all['log.level'], format: values['log.format'] },
    embeddedAnalyzer: {
      listen: all['embedded_analyzer.listen_address'],
      domain: all['embedded_analyzer.domain'],
      users: embedded.users,
      tls: embedded.tls,
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
    },
    warnings,
  });
}
