import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { ownLabelNames } from '../../src/alerts/alert.ts';
import { ownLabelsOf } from '../../src/alerts/notification.ts';
import { parseCommandLine } from '../../src/commands/command-line.ts';
import { labelMap } from '../../src/config/alert-labels.ts';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/config/problems.ts';
import { Secret } from '../../src/config/secret.ts';
import { readPasswordFile } from '../../src/config/upstream-analyzer.ts';
import { duration, listenAddress, size } from '../../src/config/values.ts';
import { cronProblem } from '../../src/poll/schedule.ts';
import { createCleanup } from '../harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

function temporaryFile(content: string, mode = 0o600): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-config-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'config.yml');
  writeFileSync(path, content, { mode });
  return path;
}

const load = (
  configFile: string | undefined,
  argv: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  requireAnalyzer = false,
) => loadConfig({ configFile, flags: parseCommandLine(argv).flags, env, requireAnalyzer, cronProblem });

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  return 'no error';
};

const here = import.meta.dirname;
const makeLine = 'make the line with "license-exporter analyzer hash-password NAME"';

const bad = [
  ['unknown-section.yml', 'unknown-section.yml:1: analyser: unknown setting, did you mean analyzer?'],
  ['unknown-key.yml', 'unknown-key.yml:2: web.listen_adress: unknown setting, did you mean listen_address?'],
  ['unknown-collector.yml', 'unknown-collector.yml:3: metrics.collectors.logs: unknown setting, did you mean log?'],
  ['later-setting.yml', 'later-setting.yml:2: web.enable_lifecycle: unknown setting'],
  [
    'alert-ignore-bad-regex.yml',
    'alert-ignore-bad-regex.yml:2: alerting.ignore: "feature=~\\"(\\"" is not a list of matchers such as vendor_license="lic01;cdslmd", feature=~"x.*"',
  ],
  [
    'alert-ignore-bad.yml',
    'alert-ignore-bad.yml:2: alerting.ignore: "vendor_license=lic01" is not a list of matchers such as vendor_license="lic01;cdslmd", feature=~"x.*"',
  ],
  ['alert-label-bad.yml', 'alert-label-bad.yml:2: alerting.external_labels: "a-b" is not a label name'],
  [
    'alert-label-reserved.yml',
    'alert-label-reserved.yml:2: alerting.external_labels: severity is set by the alerts themselves',
  ],
  [
    'alert-override-aggregate.yml',
    'alert-override-aggregate.yml:2: alerting.rules: LicenseExpiringSoon: overrides[0]: aggregate is for all vendor licenses or none',
  ],
  [
    'alert-override-bad-regex.yml',
    'alert-override-bad-regex.yml:2: alerting.rules: LicenseExpired: overrides[0]: vendor_license: "(" is not a regular expression: Invalid regular expression: /(/u: Unterminated group',
  ],
  [
    'alert-override-feature-of-server.yml',
    'alert-override-feature-of-server.yml:2: alerting.rules: LicenseServerDown: overrides[0]: needs vendor_license',
  ],
  [
    'alert-override-of-analyzer.yml',
    'alert-override-of-analyzer.yml:2: alerting.rules: LicensePollPartial: unknown key overrides; there are enabled, for, keep_firing_for',
  ],
  [
    'alert-override-of-nothing.yml',
    'alert-override-of-nothing.yml:2: alerting.rules: LicenseFeatureSaturated: overrides[0]: needs vendor_license or feature',
  ],
  ['alert-resolve.yml', 'alert-resolve.yml:2: alerting.resolve: "never" is not one of explicit, expire'],
  [
    'alert-rule-bad-value.yml',
    'alert-rule-bad-value.yml:2: alerting.rules: LicenseFeatureSaturated: raise: 95 is not a number from 0 to 1',
  ],
  [
    'alert-rule-clear-above-raise.yml',
    'alert-rule-clear-above-raise.yml:2: alerting.rules: LicenseFeatureSaturated: clear (0.9) is above raise (0.8)',
  ],
  [
    'alert-rule-critical-above-warning.yml',
    'alert-rule-critical-above-warning.yml:2: alerting.rules: LicenseExpiringSoon: overrides[0]: critical is longer than warning',
  ],
  [
    'alert-rule-of-prometheus.yml',
    'alert-rule-of-prometheus.yml:2: alerting.rules: unknown key LicenseCapacityDropped; there are LicenseServerDown, LicenseCollectionStale, LicenseExpired, LicenseExpiringSoon, LicenseFeatureSaturated, LicenseRequestsQueued, LicenseDenials, LicenseAnalyzerUnreachable, LicenseAnalyzerAuthFailing, LicensePollPartial, LicenseRecordsDiscarded',
  ],
  [
    'alert-rule-unknown-key.yml',
    'alert-rule-unknown-key.yml:2: alerting.rules: LicenseFeatureSaturated: unknown key rise, did you mean raise?; there are enabled, for, keep_firing_for, raise, clear, overrides',
  ],
  [
    'alert-rule-unknown.yml',
    'alert-rule-unknown.yml:2: alerting.rules: unknown key LicenseExpiring, did you mean LicenseExpired?; there are LicenseServerDown, LicenseCollectionStale, LicenseExpired, LicenseExpiringSoon, LicenseFeatureSaturated, LicenseRequestsQueued, LicenseDenials, LicenseAnalyzerUnreachable, LicenseAnalyzerAuthFailing, LicensePollPartial, LicenseRecordsDiscarded',
  ],
  ['alertmanager-api-v1.yml', 'alertmanager-api-v1.yml:2: alerting.alertmanagers: api_version: "v1" is not one of v2'],
  [
    'alertmanager-bad-target.yml',
    'alertmanager-bad-target.yml:2: alerting.alertmanagers: static_configs: targets: "http://am:9093" is not a target such as alertmanager:9093',
  ],
  [
    'alertmanager-bad-url.yml',
    'alertmanager-bad-url.yml:2: alerting.alertmanagers: "am:9093" is not an address such as http://alertmanager:9093',
  ],
  [
    'alertmanager-ca-not-there.yml',
    `alertmanager-ca-not-there.yml:2: alerting.alertmanagers: ${here}/bad/nowhere does not exist`,
  ],
  [
    'alertmanager-half-certificate.yml',
    'alertmanager-half-certificate.yml:2: alerting.alertmanagers: tls_config: cert_file and key_file belong together',
  ],
  [
    'alertmanager-inline-password.yml',
    'alertmanager-inline-password.yml:2: alerting.alertmanagers: basic_auth: password: a secret must not stand in the file; use password_file',
  ],
  [
    'alertmanager-inline-token.yml',
    'alertmanager-inline-token.yml:2: alerting.alertmanagers: authorization: credentials: a secret must not stand in the file; use credentials_file',
  ],
  [
    'alertmanager-no-certificate.yml',
    'alertmanager-no-certificate.yml:2: alerting.alertmanagers: is no PEM certificate, or the key is none or not its own (ERR_OSSL_PEM_NO_START_LINE)',
  ],
  ['alertmanager-no-targets.yml', 'alertmanager-no-targets.yml:2: alerting.alertmanagers: static_configs is needed'],
  [
    'alertmanager-secret-empty.yml',
    `alertmanager-secret-empty.yml:2: alerting.alertmanagers: ${here}/users/blank is empty`,
  ],
  [
    'alertmanager-secret-not-there.yml',
    `alertmanager-secret-not-there.yml:2: alerting.alertmanagers: ${here}/bad/nowhere does not exist`,
  ],
  ['alertmanager-twice.yml', 'alertmanager-twice.yml:2: alerting.alertmanagers: names http://am:9093 twice'],
  [
    'alertmanager-two-logons.yml',
    'alertmanager-two-logons.yml:2: alerting.alertmanagers: basic_auth and authorization exclude each other',
  ],
  [
    'alertmanager-unknown-key.yml',
    'alertmanager-unknown-key.yml:2: alerting.alertmanagers: unknown key shceme, did you mean scheme?; there are scheme, path_prefix, timeout, api_version, basic_auth, authorization, tls_config, static_configs',
  ],
  [
    'alertmanager-url-with-credentials.yml',
    'alertmanager-url-with-credentials.yml:2: alerting.alertmanagers: holds credentials; write an entry with basic_auth in the file',
  ],
  [
    'section-as-value.yml',
    'section-as-value.yml:1: analyzer: is a section and takes settings below it: url, username, domain, workstation, password, password_file, auth_retry, max_failed_logons, logon_file, timeout, max_response_size, max_chart_size, concurrency, tls',
  ],
  [
    'inline-password.yml',
    'inline-password.yml:2: analyzer.password: a secret must not stand in the file; use analyzer.password_file, the environment or $CREDENTIALS_DIRECTORY',
  ],
  ['bad-duration.yml', 'bad-duration.yml:2: analyzer.timeout: 30 is not a duration such as 30s, 5m or 1h30m'],
  [
    'duration-out-of-range.yml',
    'duration-out-of-range.yml:2: analyzer.timeout: "2h" is not a duration from 0.1s to 1h',
  ],
  ['bad-size.yml', 'bad-size.yml:2: analyzer.max_response_size: "big" is not a size such as 256MiB or 10MB'],
  [
    'bad-url.yml',
    'bad-url.yml:2: analyzer.url: "ftp://host/analyzer" is not an address such as https://lic.example.com:8443/analyzer',
  ],
  [
    'url-with-credentials.yml',
    'url-with-credentials.yml:2: analyzer.url: holds credentials; set username and password_file',
  ],
  ['bad-integer.yml', 'bad-integer.yml:2: analyzer.concurrency: 0 is not an integer from 1 to 256'],
  ['bad-boolean.yml', 'bad-boolean.yml:2: metrics.collectors.log: "yes please" is not true or false'],
  ['bad-choice.yml', 'bad-choice.yml:1: features.request: "some" is not one of auto, all, per_vendor_license'],
  [
    'bad-cron.yml',
    'bad-cron.yml:2: poll.products: "61 * * * *" is not a cron expression: 61 is a invalid expression for minute',
  ],
  [
    'neither-cron-nor-off.yml',
    'neither-cron-nor-off.yml:2: poll.features: "never" is neither off nor a cron expression: expected 5 or 6 fields but got 1',
  ],
  [
    'products-off.yml',
    'products-off.yml:2: poll.products: GetProducts cannot be off: it names the vendor licenses that everything else is asked about',
  ],
  ['bad-age.yml', 'bad-age.yml:1: poll.max_data_age: "old" is not a duration such as 30s, 5m or 1h30m, nor auto'],
  [
    'bad-regex.yml',
    'bad-regex.yml:2: select.include: "(" is not a regular expression: Invalid regular expression: /(/u: Unterminated group',
  ],
  [
    'bad-listen.yml',
    'bad-listen.yml:2: web.listen_address: "10319" is not an address such as :10319, 127.0.0.1:10319 or [::1]:10319',
  ],
  ['listen-twice.yml', 'listen-twice.yml:2: web.listen_address: names :1 twice'],
  [
    'reserved-path.yml',
    'reserved-path.yml:1: web.telemetry_path: "/-/ready" is not free: /, /-/healthy, /-/ready, /alerts, /api/v1/alerts, /api/v1/rules are used by other pages',
  ],
  [
    'history-without-feature.yml',
    'history-without-feature.yml:2: history.features: {"vendor_license":"a;b"} is not an entry with vendor_license and feature',
  ],
  [
    'history-unknown-key.yml',
    'history-unknown-key.yml:1: history.features: has the unknown key version; known are vendor_license, feature, package, feature_type',
  ],
  ['shard-too-high.yml', 'shard-too-high.yml:1: shard.index: must be below shard.total (3)'],
  [
    'bad-time-zone.yml',
    'bad-time-zone.yml:1: embedded_analyzer.time_zone: "Mars/Olympus" is not a time zone such as Europe/Berlin',
  ],
  [
    'datasource-overlaps.yml',
    'datasource-overlaps.yml:2: datasource.path: /metrics/grafana and web.telemetry_path /metrics overlap',
  ],
  ['web-config-not-there.yml', `web-config-not-there.yml:2: web.config_file: ${here}/bad/nowhere.yml: does not exist`],
  [
    'pseudonym-key-short.yml',
    `pseudonym-key-short.yml:3: datasource.pseudonym_key_file: ${here}/users/empty has fewer than 16 characters`,
  ],
  ['users-not-there.yml', `users-not-there.yml:2: embedded_analyzer.users_file: ${here}/bad/nowhere does not exist`],
  [
    'users-nonsense.yml',
    `users-nonsense.yml:2: embedded_analyzer.users_file: ${here}/users/nonsense:2 is not of the form name:nt-hash; ${makeLine}`,
  ],
  [
    'users-twice.yml',
    `users-twice.yml:2: embedded_analyzer.users_file: ${here}/users/twice:4 names a user for the second time; ${makeLine}`,
  ],
  [
    'users-empty.yml',
    `users-empty.yml:2: embedded_analyzer.users_file: ${here}/users/empty names no user; make one with "license-exporter analyzer hash-password NAME"`,
  ],
  [
    'analyzer-tls-half.yml',
    'analyzer-tls-half.yml:2: embedded_analyzer.tls.key_file: and embedded_analyzer.tls.cert_file belong together',
  ],
  [
    'analyzer-tls-not-there.yml',
    `analyzer-tls-not-there.yml:2: embedded_analyzer.tls.cert_file: ${here}/bad/nowhere: the file does not exist`,
  ],
  [
    'analyzer-tls-nonsense.yml',
    'analyzer-tls-nonsense.yml:2: embedded_analyzer.tls.cert_file: is no PEM certificate, or the key is none or not its own (ERR_OSSL_PEM_NO_START_LINE)',
  ],
  [
    'channel-binding-without-tls.yml',
    'channel-binding-without-tls.yml:2: embedded_analyzer.channel_binding: require needs TLS; set embedded_analyzer.tls.cert_file and key_file, or allow',
  ],
  [
    'retention-too-short.yml',
    'retention-too-short.yml:2: embedded_analyzer.retention.samples: "1h" is not a duration from 1d to 100y',
  ],
  [
    'store-too-small.yml',
    'store-too-small.yml:2: embedded_analyzer.store_max_size: "4KiB" is not a size from 64KiB to 65536GiB',
  ],
  ['not-settings.yml', 'not-settings.yml:1: the file must hold settings, for instance "analyzer:"'],
  ['tab.yml', 'tab.yml:2: not valid YAML: Tabs are not allowed as indentation'],
  ['duplicate-key.yml', 'duplicate-key.yml:2: not valid YAML: Map keys must be unique'],
  [
    'no-username.yml',
    'no-username.yml:2: analyzer.username: is needed with analyzer.url\nno-username.yml:2: analyzer.password_file: is needed with analyzer.url, or LICENSE_EXPORTER_ANALYZER_PASSWORD',
  ],
  [
    'two-domains.yml',
    'two-domains.yml:1: analyzer.username: names another domain than analyzer.domain\ntwo-domains.yml:1: analyzer.password_file: is needed with analyzer.url, or LICENSE_EXPORTER_ANALYZER_PASSWORD',
  ],
] as const;

describe('a bad file', () => {
  it.each(bad)('%s', (name, message) => {
    expect(messageOf(() => load(join(import.meta.dirname, 'bad', name)))).toBe(message);
  });

  it('has a row here', () => {
    expect(readdirSync(join(import.meta.dirname, 'bad')).sort()).toEqual(bad.map(([name]) => name).sort());
  });

  it('is not there, or is a folder', () => {
    expect(messageOf(() => load('/nowhere/config.yml'))).toBe('/nowhere/config.yml: the file does not exist');
    expect(messageOf(() => load('/tmp'))).toBe('/tmp: the file is a directory');
  });

  it('tells all its mistakes at once', () => {
    const path = temporaryFile('poll: {products: x}\nshard: {total: 0}\nwat: 1\n');
    expect(messageOf(() => load(path)).split('\n')).toHaveLength(3);
  });
});

describe('loadConfig', () => {
  it('takes flags over environment over file over defaults', () => {
    const path = temporaryFile('analyzer: {concurrency: 2}\nlog: {level: warn}\nweb: {telemetry_path: /m}\n');
    const env = { LICENSE_EXPORTER_LOG_LEVEL: 'error', LICENSE_EXPORTER_WEB_TELEMETRY_PATH: '/e' };
    const config = load(path, ['--web.telemetry-path=/f', '--collector.log', '--no-collector.borrow'], env);
    expect([config.web.telemetryPath, config.log.level]).toEqual(['/f', 'error']);
    expect(config.metrics.collectors).toMatchObject({ log: true, borrow: false, reserve: true, icons: false });
    expect(config.web.listen).toEqual([{ host: undefined, port: 10_319 }]);
    expect(config.poll).toMatchObject({
      products: '* * * * *',
      features: '*/5 * * * *',
      maxDataAge: 'auto',
      startOffset: 0,
    });
  });

  it.each(['off', '"off"', 'OFF', 'false'])('takes %s for an endpoint that is not polled', (written) => {
    const { poll, warnings } = load(temporaryFile(`poll: {concurrent_users: ${written}, expirations: 1 * * * *}\n`));
    expect([poll.concurrentUsers, poll.expirations, warnings]).toEqual(['off', '1 * * * *', []]);
  });

  it('warns when servers that are down will not be seen', () => {
    const { poll, warnings } = load(undefined, ['--poll.server-down=off']);
    expect(poll.serverDown).toBe('off');
    expect(warnings).toEqual([
      'poll.server_down is off: license servers that are down are not seen, and LicenseServerDown never fires',
    ]);
  });

  it('takes the defaults of a command before those of the settings, and all else before both', () => {
    const defaults = new Map([['web.listen_address', '127.0.0.1:1']] as const);
    const portOf = (env: NodeJS.ProcessEnv) =>
      loadConfig({ flags: new Map(), env, defaults, requireAnalyzer: false, cronProblem }).web.listen[0]?.port;
    expect(portOf({})).toBe(1);
    expect(portOf({ LICENSE_EXPORTER_WEB_LISTEN_ADDRESS: ':2' })).toBe(2);
  });

  it('takes lists from repeated flags, from a text with commas and from the file', () => {
    const flags = load(undefined, ['--web.listen-address=:1', '--web.listen-address=[::1]:2']);
    expect(flags.web.listen).toEqual([
      { host: undefined, port: 1 },
      { host: '::1', port: 2 },
    ]);
    const env = load(undefined, [], { LICENSE_EXPORTER_WEB_LISTEN_ADDRESS: '127.0.0.1:3, :4' });
    expect(env.web.listen.map(({ port }) => port)).toEqual([3, 4]);
    const file = load(temporaryFile('select: {exclude: [^test, old$]}\n'));
    expect(file.select.exclude.map(({ source }) => source)).toEqual(['^test', 'old$']);
  });

  it('reads a whole configuration, with paths relative to the file', () => {
    const path = temporaryFile(
      'analyzer: {url: https://h:1/analyzer/, username: corp\\svc, password_file: pw, auth_retry: 1h, max_response_size: 1MiB}\n' +
        'history: {features: [{vendor_license: a;b, feature: f}]}\nshard: {index: 1, total: 4}\nmetrics: {collectors: {history: true}}\n' +
        'storage: {path: state}\n',
    );
    writeFileSync(join(path, '../pw'), 'päss word \r\n', { mode: 0o600 });
    const { analyzer, historyFeatures, poll, storagePath, warnings } = load(path, [], {}, true);
    expect(analyzer).toMatchObject({
      url: 'https://h:1/analyzer',
      username: 'svc',
      domain: 'corp',
      authRetry: 3600,
      maxResponseSize: 2 ** 20,
      maxChartSize: 2 ** 25,
    });
    expect(analyzer?.password.reveal()).toBe('päss word ');
    expect(historyFeatures).toEqual([{ vendorLicense: 'a;b', feature: 'f', package: '', featureType: '' }]);
    expect([poll.startOffset, warnings]).toEqual([2.5, []]);
    expect(storagePath).toBe(join(path, '../state'));
  });

  it('reads Alertmanagers as Prometheus does, or as URLs', () => {
    const path = temporaryFile(
      'alerting:\n  alertmanagers:\n' +
        "    - {scheme: https, path_prefix: /am/, timeout: 5s, api_version: v2, basic_auth: {username: prom, password_file: pw}, static_configs: [{targets: ['a:1', '[::1]:2']}, {targets: ['b:3']}]}\n" +
        '    - http://c:4/\n' +
        '  external_labels: {site: muc, cluster: 7}\n' +
        '  ignore: [\'{vendor_license="a;b", feature=~"x\\\\..*"}\', \'severity!="critical"\']\n',
    );
    const password = join(path, '../pw');
    writeFileSync(password, 'geheim\n', { mode: 0o644 });
    const { alerting, warnings } = load(path);
    expect(alerting.alertmanagers.map(({ url, timeout }) => [url, timeout])).toEqual([
      ['https://a:1/am', 5],
      ['https://[::1]:2/am', 5],
      ['https://b:3/am', 5],
      ['http://c:4', 10],
    ]);
    expect(alerting.alertmanagers[0]?.basicAuth).toEqual({ username: 'prom', passwordFile: password });
    expect(alerting.alertmanagers[3]?.basicAuth).toBeUndefined();
    expect(alerting.externalLabels).toEqual({ site: 'muc', cluster: '7' });
    expect(alerting.ignore).toEqual([
      [
        { label: 'vendor_license', operator: '=', value: 'a;b' },
        { label: 'feature', operator: '=~', value: 'x\\..*' },
      ],
      [{ label: 'severity', operator: '!=', value: 'critical' }],
    ]);
    expect(warnings).toEqual([`${password} can be read by every user; give it mode 0600`]);
    const env = load(undefined, [], { LICENSE_EXPORTER_ALERTING_ALERTMANAGERS: 'http://a:1, https://b:2/x' });
    expect(env.alerting.alertmanagers.map(({ url }) => url)).toEqual(['http://a:1', 'https://b:2/x']);
  });

  it('leaves the labels that alerts are told apart by to the alerts', () => {
    for (const name of [...ownLabelNames, ...Object.keys(ownLabelsOf('x'))]) {
      expect(() => labelMap({ [name]: 'x' })).toThrow(`${name} is set by the alerts themselves`);
    }
  });

  it('reads what is set about the rules, and keeps the rest as it is', () => {
    const path = temporaryFile(
      'alerting:\n  rules:\n    LicenseFeatureSaturated:\n      for: 1h\n      overrides:\n        - {vendor_license: ^lic01, feature: base$, raise: 1, clear: 1, enabled: false}\n',
    );
    const { LicenseFeatureSaturated: rule, LicenseServerDown: other } = load(path).alerting.rules;
    expect(rule.base).toEqual({ enabled: true, for: 3600, keepFiringFor: 600, raise: 0.95, clear: 0.9 });
    expect(rule.overrides).toEqual([
      { vendorLicense: /^lic01/u, feature: /base$/u, values: { raise: 1, clear: 1, enabled: false } },
    ]);
    expect(other).toEqual({
      base: { enabled: true, for: 0, keepFiringFor: 300, iconPattern: undefined },
      overrides: [],
    });
  });

  it('takes the password from the environment or from the credentials directory', () => {
    const base = { LICENSE_EXPORTER_ANALYZER_URL: 'http://h/a', LICENSE_EXPORTER_ANALYZER_USERNAME: 'u' };
    const direct = load(undefined, [], { ...base, LICENSE_EXPORTER_ANALYZER_PASSWORD: 'one' }, true);
    expect(direct.analyzer?.password.reveal()).toBe('one');
    const folder = join(temporaryFile(''), '..');
    writeFileSync(join(folder, 'analyzer-password'), 'two\n', { mode: 0o600 });
    const directory = load(undefined, [], { ...base, CREDENTIALS_DIRECTORY: folder }, true);
    expect(directory.analyzer?.password.reveal()).toBe('two');
  });

  it('warns about a password file that everybody can read, and a history collector with nothing to do', () => {
    const path = temporaryFile(
      'analyzer: {url: http://h/a, username: u, password_file: pw}\nmetrics: {collectors: {history: true}}\n',
    );
    const password = join(path, '../pw');
    writeFileSync(password, 'x');
    chmodSync(password, 0o644);
    expect(load(path).warnings).toEqual([
      `${password} can be read by every user; give it mode 0600`,
      'the collector history is on, but history.features names nothing to ask for',
    ]);
  });

  it('names an unknown variable, but not what Kubernetes sets', () => {
    expect(messageOf(() => load(undefined, [], { LICENSE_EXPORTER_LOG_LEVL: 'info' }))).toBe(
      'LICENSE_EXPORTER_LOG_LEVL: unknown variable, did you mean LICENSE_EXPORTER_LOG_LEVEL?',
    );
    const kubernetes = {
      LICENSE_EXPORTER_SERVICE_HOST: '10.0.0.1',
      LICENSE_EXPORTER_PORT_10319_TCP_ADDR: '10.0.0.1',
      LICENSE_EXPORTER_PORT: 'tcp://10.0.0.1:10319',
    };
    expect(load(undefined, [], kubernetes).shard.total).toBe(1);
  });

  it('says what is wrong with a password file', () => {
    const folder = join(temporaryFile(''), '..');
    writeFileSync(join(folder, 'empty'), '\n');
    mkdirSync(join(folder, 'folder'));
    const reason = (name: string) => {
      try {
        return readPasswordFile(join(folder, name)).toString();
      } catch (error) {
        return (error as Error).message.slice(folder.length + 1);
      }
    };
    expect(['missing', 'empty', 'folder'].map(reason)).toEqual([
      'missing does not exist',
      'empty is empty',
      'folder is a directory',
    ]);
  });

  it('never shows a secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), (text) => {
        const secret = new Secret(`x${text}y`);
        for (const shown of [String(secret), JSON.stringify({ secret }), inspect({ secret }), `${secret}`]) {
          expect(shown).not.toContain(`x${text}y`);
        }
        expect(secret.reveal()).toBe(`x${text}y`);
      }),
    );
    const inline = messageOf(() => load(join(import.meta.dirname, 'bad/inline-password.yml')));
    const inUrl = messageOf(() => load(join(import.meta.dirname, 'bad/url-with-credentials.yml')));
    expect(inline + inUrl).not.toContain('hunter2');
  });
});

describe('values', () => {
  it('durations', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.nat(59), fc.nat(59), (h, m, s) => {
        expect(duration(0)(`${h}h${m}m${s}s`)).toBe(h * 3600 + m * 60 + s);
      }),
    );
    for (const text of ['', '1', '-1s', '1 s', '1q', 's', null, {}])
      expect(() => duration(0)(text)).toThrow('is not a duration');
  });

  it('sizes', () => {
    expect(['1', '2KB', '3KiB', '4 MB', '5GiB'].map(size(0, 1e12))).toEqual([1, 2000, 3072, 4e6, 5 * 1024 ** 3]);
    for (const text of ['', '1XB', '-1', '1.5MB', []]) expect(() => size(0, 1e12)(text)).toThrow('is not a size');
  });

  it('listen addresses', () => {
    expect([':1', 'h:2', '[::1]:3', '1.2.3.4:0'].map(listenAddress)).toEqual([
      { host: undefined, port: 1 },
      { host: 'h', port: 2 },
      { host: '::1', port: 3 },
      { host: '1.2.3.4', port: 0 },
    ]);
    for (const text of ['1', ':', ':70000', '::1:3', 'a b:1', null])
      expect(() => listenAddress(text)).toThrow('is not an address');
  });
});
