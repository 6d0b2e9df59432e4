import { labelMap, matchers } from './alert-labels.ts';
import { rulesOf } from './alert-rules.ts';
import { alertmanagerList } from './alertmanagers.ts';
import {
  anyText,
  autoOr,
  baseUrl,
  boolean,
  duration,
  historyFeature,
  integer,
  listenAddress,
  listOf,
  oneOf,
  type Parse,
  regularExpression,
  size,
  text,
  timeZone,
  urlPath,
} from './values.ts';

/** One setting. Its flag and environment variable follow from its key. */
export interface Setting<T = unknown> {
  readonly parse: Parse<T>;
  /** As it would be written in the file; `undefined` leaves the setting unset. */
  readonly default: unknown;
  readonly doc: string;
  /** Only the file can hold it. */
  readonly fileOnly?: true;
  /** Never in the file and never a flag, where others can read it. */
  readonly secret?: true;
  /** Written to the default column of the documentation where the default is not a constant. */
  readonly shownDefault?: string;
}

/** Written in place of a schedule: the endpoint is not polled. */
export const OFF = 'off';

const setting = <T>(parse: Parse<T>, fallback: unknown, doc: string, more: Partial<Setting<T>> = {}): Setting<T> => ({
  parse,
  default: fallback,
  doc,
  ...more,
});

/** A cron expression, or `off`. What reads YAML by its version 1.1 takes `off` for `false`. */
const cron: Parse<string> = (raw) => (raw === false || /^(off|false)$/i.test(String(raw).trim()) ? OFF : text(raw));
/** Paths of other pages. */
const reserved = ['/-/healthy', '/-/ready', '/alerts', '/api/v1/alerts', '/api/v1/rules'];
const DAY = 86_400;
const YEAR = 365 * DAY;
const switchOf = (on: boolean, doc: string): Setting<boolean> => setting(boolean, on, doc);

/** Every setting, by its key in the file: the one table that loader, flags, help and README are held against. */
export const settings = {
  'analyzer.url': setting(
    baseUrl('https://lic.example.com:8443/analyzer', 'set username and password_file'),
    undefined,
    'Base URL of the Query API, for instance `https://lic.example.com:8443/analyzer`.',
  ),
  'analyzer.username': setting(text, undefined, 'Account, as `name` or `DOMAIN\\name`.'),
  'analyzer.domain': setting(anyText, '', 'NetBIOS domain of the account.'),
  'analyzer.workstation': setting(anyText, '', 'Workstation name sent with the logon.'),
  'analyzer.password': setting(
    anyText,
    undefined,
    'Password; `$CREDENTIALS_DIRECTORY/analyzer-password` is read too.',
    { secret: true },
  ),
  'analyzer.password_file': setting(text, undefined, 'File that holds the password. It is read again when it changes.'),
  'analyzer.auth_retry': setting(
    duration(1),
    '30m',
    'How long no logon is sent after a rejected one, and a minute more, unless the credentials change.',
  ),
  'analyzer.max_failed_logons': setting(
    integer(1, 100),
    2,
    'Logons that may be rejected, or get no verdict, within `analyzer.auth_retry` and a minute: below the lockout threshold of the account.',
  ),
  'analyzer.logon_file': setting(
    text,
    undefined,
    'File that counts logons, over restarts and for all processes that use it. Instances with the same account on one host share one.',
    { shownDefault: '`logons.db` in `storage.path`' },
  ),
  'analyzer.timeout': setting(duration(0.1, 3600), '30s', 'How long one request may take.'),
  'analyzer.max_response_size': setting(
    size(1024, 2 ** 31),
    '256MiB',
    'Answers larger than this are given up. More than 512MiB cannot be decoded.',
  ),
  'analyzer.max_chart_size': setting(
    size(1024, 2 ** 31),
    '32MiB',
    'The same for charts: GetHistory, GetHistoryReserved, GetEfficiency and GetHeatMap.',
  ),
  'analyzer.concurrency': setting(integer(1, 256), 8, 'Requests, and so connections, at once.'),
  'analyzer.tls.ca_file': setting(
    text,
    undefined,
    'Certificates of the authorities to trust, instead of the well-known ones.',
  ),
  'analyzer.tls.cert_file': setting(text, undefined, 'Client certificate.'),
  'analyzer.tls.key_file': setting(text, undefined, 'Key of the client certificate.'),
  'analyzer.tls.server_name': setting(
    text,
    undefined,
    'Name expected in the certificate, instead of the host of the URL.',
  ),
  'analyzer.tls.insecure_skip_verify': setting(boolean, false, 'Accepts any certificate. For tests only.'),
  'poll.products': setting(
    cron,
    '* * * * *',
    'When GetProducts is polled: cron with five fields, or six with seconds first.',
  ),
  'poll.server_down': setting(
    cron,
    '* * * * *',
    'When GetServerDown is polled; `off` for never, here and in the four below. Without it servers that are down are not seen.',
  ),
  'poll.concurrent_users': setting(cron, '* * * * *', 'When GetConcurrentUsers is polled, or `off`.'),
  'poll.features': setting(cron, '*/5 * * * *', 'When GetFeatures is polled, or `off`.'),
  'poll.expirations': setting(cron, '7 * * * *', 'When GetExpirationFeatures is polled, or `off`.'),
  'poll.history': setting(
    cron,
    '17 * * * *',
    'When GetHistory is polled, for the features under `history.features`, or `off`.',
  ),
  'poll.max_data_age': setting(
    autoOr(duration(1)),
    'auto',
    'Data older than this is not exported; `auto` is 3 × the interval of the endpoint, at least 5 minutes.',
  ),
  'poll.start_offset': setting(
    autoOr(duration(0, 3600)),
    'auto',
    'How long each scheduled poll is put off; `auto` spreads shards over 10 seconds.',
  ),
  'features.request': setting(
    oneOf('auto', 'all', 'per_vendor_license'),
    'auto',
    'How GetFeatures is asked: `all` vendor licenses in one request, one request `per_vendor_license`, or `auto`: all, until the server proves not to be up to it.',
  ),
  'select.include': setting(
    listOf(regularExpression),
    [],
    'Regular expressions; only vendor licenses that match one are looked after. Empty: all.',
  ),
  'select.exclude': setting(
    listOf(regularExpression),
    [],
    'Regular expressions; vendor licenses and features that match one are left out.',
  ),
  'history.features': setting(
    listOf(historyFeature),
    [],
    'Features whose GetHistory is polled when the collector `history` is on: entries with `vendor_license`, `feature`, and where needed `package` and `feature_type`.',
    { fileOnly: true },
  ),
  'metrics.collectors.borrow': switchOf(true, 'Borrowed licenses.'),
  'metrics.collectors.reserve': switchOf(true, 'Reservations.'),
  'metrics.collectors.icons': switchOf(false, 'Icon names of GetProducts.'),
  'metrics.collectors.log': switchOf(false, 'Logarithms the API reports.'),
  'metrics.collectors.activity': switchOf(false, 'Counts of active and inactive checkouts.'),
  'metrics.collectors.token': switchOf(false, 'Token costs.'),
  'metrics.collectors.users': switchOf(false, 'Whether user records are available.'),
  'metrics.collectors.history': switchOf(false, 'Newest point of GetHistory of the features under `history.features`.'),
  'metrics.usage_when_not_current': setting(
    oneOf('withhold', 'export'),
    'withhold',
    'What becomes of the usage of a vendor license that is not current: the analyzer keeps reporting its last counts.',
  ),
  'metrics.max_series': setting(integer(1), 500_000, 'Series of API data at most.'),
  'expiration.search': setting(
    oneOf('none', '0', '1', '2'),
    2,
    'Search level sent to GetExpirationFeatures: 0 features, 1 packages too, 2 components too; `none` sends no level.',
  ),
  'expiration.permanent_after': setting(
    integer(1),
    2_147_483_641,
    'Unix time from which on an expiry means permanent.',
  ),
  'storage.path': setting(
    text,
    undefined,
    'Directory that keeps the count of logons, the alerts, and the history of the embedded analyzer across restarts. One process may use it.',
  ),
  'web.listen_address': setting(listOf(listenAddress), [':10319'], 'Addresses to listen on.'),
  'web.telemetry_path': setting(urlPath(['/', ...reserved]), '/metrics', 'Path of the metrics.'),
  'web.config_file': setting(
    text,
    undefined,
    'Web config of the Prometheus exporter-toolkit: TLS, users, headers. Read again when it or a file it names changes.',
  ),
  'web.external_url': setting(
    baseUrl('https://licenses.example.com'),
    undefined,
    'URL under which people reach the daemon: links in alerts lead there.',
    { shownDefault: 'host name and port' },
  ),
  'alerting.alertmanagers': setting(
    alertmanagerList,
    [],
    "Alertmanagers that the daemon tells its alerts, as in Prometheus' configuration, or as URLs. Empty: the alert engine is off.",
  ),
  'alerting.external_labels': setting(labelMap, {}, 'Labels added to every alert.', { fileOnly: true }),
  'alerting.evaluation_interval': setting(
    duration(0.1, 600),
    '30s',
    'How often the rules are evaluated at least; they are after each poll too.',
  ),
  'alerting.resend_delay': setting(duration(0.1, 3600), '1m', 'How often a firing alert is told again.'),
  'alerting.resolve': setting(
    oneOf('explicit', 'expire'),
    'explicit',
    'Whether the end of an alert is told, or the alert left to `expire`: for two daemons side by side.',
  ),
  'alerting.unknown_hold': setting(
    duration(0, 30 * DAY),
    '1h',
    'How long an alert goes on when there is no data about it any more.',
  ),
  'alerting.ignore': setting(
    listOf(matchers),
    [],
    'Matchers, such as `vendor_license="lic01;cdslmd"`; alerts that meet one entry are none.',
    { fileOnly: true },
  ),
  'alerting.rules': setting(rulesOf, {}, 'Thresholds and durations by alert, see [Alerts](#alerts).', {
    fileOnly: true,
  }),
  'alerting.runbook_base_url': setting(
    baseUrl('https://wiki.example.com/runbooks.md'),
    undefined,
    'Where you publish `deploy/runbooks.md`: alerts link to their section there.',
  ),
  'datasource.path': setting(urlPath(reserved), '/grafana', 'Path of the routes for Grafana.'),
  'datasource.cache_ttl': setting(duration(0, DAY), '5m', 'How long an answer of the history endpoints is used again.'),
  'datasource.deadline': setting(
    duration(0.1, 600),
    '25s',
    "How long a request of Grafana may take; Grafana's proxy gives up after 30s.",
  ),
  'datasource.users': setting(
    autoOr(boolean),
    'auto',
    'Whether names of users are served; `auto`: where the web config has users, or only loopback is listened on.',
  ),
  'datasource.pseudonymise': setting(
    boolean,
    false,
    'Whether keyed hashes take the place of names and hosts of users.',
  ),
  'datasource.pseudonym_key_file': setting(
    text,
    undefined,
    'Key of these hashes. Without it one is made up at each start, and so are other hashes.',
  ),
  'datasource.time_zone': setting(
    timeZone,
    undefined,
    "Time zone of the analyzer's calendar: of the month that is asked for, and of the days of the history.",
    { shownDefault: "`embedded_analyzer.time_zone` in `demo`, else the system's" },
  ),
  'shard.index': setting(integer(0, 999), 0, 'Zero-based number of this shard.'),
  'shard.total': setting(integer(1, 1000), 1, 'Number of shards: each looks after its own vendor licenses.'),
  'log.level': setting(oneOf('debug', 'info', 'warn', 'error'), 'info', 'Least level that is logged.'),
  'log.format': setting(oneOf('json', 'pretty'), undefined, 'Form of the log.', {
    shownDefault: '`pretty` on a terminal, else `json`',
  }),
  'embedded_analyzer.listen_address': setting(
    listenAddress,
    '127.0.0.1:10320',
    'Where the embedded analyzer of `analyzer` and `demo` listens.',
  ),
  'embedded_analyzer.domain': setting(text, 'ANALYZER', 'NetBIOS domain of its users.'),
  'embedded_analyzer.users_file': setting(
    text,
    undefined,
    'Its users, a line each as `license-exporter analyzer hash-password` prints it. Read again on SIGHUP. `demo` makes a user of its own.',
  ),
  'embedded_analyzer.tls.cert_file': setting(text, undefined, 'Its certificate; with one it speaks HTTPS.'),
  'embedded_analyzer.tls.key_file': setting(text, undefined, 'Key of its certificate.'),
  'embedded_analyzer.channel_binding': setting(
    oneOf('off', 'allow', 'require'),
    'allow',
    'Whether a logon over TLS must be bound to its certificate: `allow` refuses a logon that is bound to another one, `require` also one that is bound to none.',
  ),
  'embedded_analyzer.limits.connections': setting(
    integer(1, 65_535),
    256,
    'Connections it takes at once, up to a quarter of them from one address (IPv6: from one /64).',
  ),
  'embedded_analyzer.limits.requests_per_second': setting(
    integer(1, 1_000_000),
    1000,
    'Requests it answers per second and address (IPv6: /64), on average over 5 seconds; more get status 429.',
  ),
  'embedded_analyzer.collection_interval': setting(
    duration(1, 3600),
    '300s',
    'How often the embedded analyzer collects.',
    { shownDefault: '`60s` in `demo`, else `300s`' },
  ),
  'embedded_analyzer.time_zone': setting(timeZone, undefined, 'Time zone of its calendar, and of the simulated site.', {
    shownDefault: "the system's",
  }),
  'embedded_analyzer.limits.request_timeout': setting(
    duration(1, 3600),
    '30s',
    'How long a client may take to send its request, and may leave its answer untouched; three times as long an answer may take to be made.',
  ),
  'embedded_analyzer.retention.samples': setting(duration(DAY, 100 * YEAR), '30d', 'How long every sample is kept.'),
  'embedded_analyzer.retention.history': setting(duration(DAY, 100 * YEAR), '5y', 'How long hours and days are kept.'),
  'embedded_analyzer.store_max_size': setting(
    size(64 * 1024, 2 ** 46),
    '64GiB',
    'The file of the history does not grow beyond this, nor history in memory beyond 1GiB; when it is full, nothing more is recorded and the log says so.',
  ),
  'embedded_analyzer.site.seed': setting(integer(0, 2 ** 31), 1, 'Seed of the simulated site.'),
  'embedded_analyzer.site.vendor_licenses': setting(integer(1, 1000), 10, 'Vendor licenses of the simulated site.'),
  'embedded_analyzer.site.features': setting(
    integer(1, 5000),
    20,
    'Features of each vendor license of the simulated site.',
  ),
  'embedded_analyzer.site.history_days': setting(
    integer(0, 3650),
    400,
    'Days of history the simulated site begins with; fewer where it has more than 2,000 features.',
  ),
  'embedded_analyzer.site.knowledge': setting(
    oneOf('full', 'flexnet'),
    'full',
    'What is known of the simulated site: `full` is everything; `flexnet` is what `lmstat -a` tells without license and options files, and the rest is left out.',
  ),
} as const satisfies Record<string, Setting>;

export type SettingKey = keyof typeof settings;
export const settingKeys = Object.keys(settings) as readonly SettingKey[];

/** The values of all settings, by key. */
export type SettingValues = {
  readonly [K in SettingKey]: (typeof settings)[K] extends Setting<infer T> ? T | undefined : never;
};

/** `LICENSE_EXPORTER_WEB_LISTEN_ADDRESS` of `web.listen_address`. */
export function environmentName(key: SettingKey): string {
  return `LICENSE_EXPORTER_${key.replaceAll('.', '_').toUpperCase()}`;
}

/** `web.listen-address` of `web.listen_address`, `collector.NAME` of a collector; without the dashes before it. */
export function flagName(key: SettingKey): string | undefined {
  const { secret, fileOnly }: Setting = settings[key];
  if (secret === true || fileOnly === true) return undefined;
  return key.replace(/^metrics\.collectors\./, 'collector.').replaceAll('_', '-');
}
