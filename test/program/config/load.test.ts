import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { ownLabelsOf } from '../../../src/alerting/alerts/notification.ts';
import { readPasswordFile } from '../../../src/base/files/named-files.ts';
import { identityLabels, scopeLabels } from '../../../src/base/model/alert-labels.ts';
import { databaseUrl, listenAddress } from '../../../src/base/settings/addresses.ts';
import { labelMap } from '../../../src/base/settings/labels.ts';
import { Secret } from '../../../src/base/settings/secret.ts';
import { duration, size } from '../../../src/base/settings/values.ts';
import { parseCommandLine } from '../../../src/program/commands/command-line.ts';
import { loadConfig } from '../../../src/program/config/load.ts';
import { ConfigError, problemText } from '../../../src/program/config/problems.ts';
import { createCleanup } from '../../support/harness.ts';

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
) => loadConfig({ configFile, flags: parseCommandLine(argv).flags, env, requireAnalyzer });

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  return 'no error';
};

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

  it('warns when servers that are down are not detected', () => {
    const { poll, warnings } = load(undefined, ['--poll.server-down=off']);
    expect(poll.serverDown).toBe('off');
    expect(warnings).toEqual([
      'poll.server_down is off: license servers that are down are not detected, and LicenseServerDown never fires',
    ]);
  });

  it('takes the defaults of a command before those of the settings, and all else before both', () => {
    const defaults = new Map([['web.listen_address', '127.0.0.1:1']] as const);
    const portOf = (env: NodeJS.ProcessEnv) =>
      loadConfig({ flags: new Map(), env, defaults, requireAnalyzer: false }).web.listen[0]?.port;
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
    const { analyzer, history, poll, storage, warnings } = load(path, [], {}, true);
    expect(analyzer).toMatchObject({
      url: 'https://h:1/analyzer',
      username: 'svc',
      domain: 'corp',
      authRetry: 3600,
      maxResponseSize: 2 ** 20,
      maxChartSize: 2 ** 25,
    });
    expect(analyzer?.password.reveal()).toBe('päss word ');
    expect(history.features).toEqual([{ vendorLicense: 'a;b', feature: 'f', package: '', featureType: '' }]);
    expect([poll.startOffset, warnings]).toEqual([2.5, []]);
    expect(storage.path).toBe(join(path, '../state'));
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
    const one = load(temporaryFile('alerting: {ignore: \'vendor_license="a;b", feature="x"\'}\n'));
    expect(one.alerting.ignore.map((matchers) => matchers.map(({ label }) => label))).toEqual([
      ['vendor_license', 'feature'],
    ]);
    expect(warnings).toEqual([`${password} can be read by every user; forbid it (chmod o= ${password})`]);
    const env = load(undefined, [], { LICENSE_EXPORTER_ALERTING_ALERTMANAGERS: 'http://a:1, https://b:2/x' });
    expect(env.alerting.alertmanagers.map(({ url }) => url)).toEqual(['http://a:1', 'https://b:2/x']);
  });

  it('refuses external labels that identify alerts', () => {
    for (const name of [...identityLabels, ...scopeLabels, ...Object.keys(ownLabelsOf('x'))]) {
      expect(labelMap.safeParse({ [name]: 'x' }).error?.message).toContain('is reserved: each alert sets it');
    }
  });

  it('reads what is set about the rules, and keeps the rest as it is', () => {
    const path = temporaryFile(
      'alerting:\n  rules:\n    LicenseFeatureSaturated:\n      for: 1h\n      overrides:\n        - {vendor_license: ^lic01, feature: base$, raise: 1, clear: 1, enabled: false}\n',
    );
    const { LicenseFeatureSaturated: rule, LicenseServerDown: other } = load(path).alerting.rules;
    const kept = { keepFiringFor: 600, raise: 0.95, clear: 0.9, window: 600, minLicenses: 2 };
    expect(rule.base).toEqual({ enabled: true, for: 3600, ...kept });
    expect(rule.overrides).toEqual([
      { vendorLicense: /^lic01/u, feature: /base$/u, values: { raise: 1, clear: 1, enabled: false } },
    ]);
    expect(other).toEqual({
      base: { enabled: true, for: 0, keepFiringFor: 1200, iconPattern: undefined },
      overrides: [],
    });
  });

  it('stores in the directory of systemd, unless another one is configured', () => {
    const pathWith = (yaml: string, env: NodeJS.ProcessEnv) => load(temporaryFile(yaml), [], env).storage.path;
    expect(pathWith('', {})).toBeUndefined();
    expect(pathWith('', { STATE_DIRECTORY: '/var/lib/a:/var/lib/b' })).toBe('/var/lib/a');
    expect(pathWith('storage: {path: /srv/c}', { STATE_DIRECTORY: '/var/lib/a' })).toBe('/srv/c');
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

  it('warns about a password file that every user can read, and a history collector without features', () => {
    const path = temporaryFile(
      'analyzer: {url: http://h/a, username: u, password_file: pw}\nmetrics: {collectors: {history: true}}\n',
    );
    const password = join(path, '../pw');
    writeFileSync(password, 'x');
    chmodSync(password, 0o644);
    const { warnings, withoutEffect } = load(path);
    expect([...warnings, ...withoutEffect.map(problemText)]).toEqual([
      `${password} can be read by every user; forbid it (chmod o= ${password})`,
      `${path}:2: metrics.collectors.history: is on, but history.features is empty: no history is polled; add features, or set it to false`,
    ]);
  });

  it('warns if the exporter has another calendar than its own analyzer', () => {
    const sources = '[{name: a, manager: rlm, servers: [5053@h], via: {command: /bin/true}}]';
    const warningsOf = (own: string): readonly string[] =>
      load(
        temporaryFile(
          `embedded_analyzer: {time_zone: ${own}, sources: ${sources}}\ndatasource: {time_zone: Asia/Tokyo}\n`,
        ),
      ).warnings;
    expect(warningsOf('Asia/Tokyo')).toEqual([]);
    expect(warningsOf('UTC')).toEqual([
      'datasource.time_zone is Asia/Tokyo, but the days of the embedded analyzer are those of UTC: expiries can be a day off; set embedded_analyzer.time_zone too, or neither',
    ]);
  });

  it('asks for the features of license managers one vendor license at a time, unless that is set', () => {
    const sources = '[{name: a, manager: rlm, servers: [5053@h], via: {command: /bin/true}}]';
    const own = `embedded_analyzer: {time_zone: UTC, sources: ${sources}}\n`;
    const requestOf = (text: string) => load(temporaryFile(text)).features.request;
    expect([requestOf(own), requestOf(`${own}features: {request: all}\n`)]).toEqual(['per_vendor_license', 'all']);
    expect(requestOf('')).toBe('auto');
  });

  it('warns of users of its own analyzer for whom serve does not listen', () => {
    const sources = '[{name: a, manager: rlm, servers: [5053@h], via: {command: /bin/true}}]';
    const warningsOf = (more: string): readonly string[] => {
      const path = temporaryFile(
        `embedded_analyzer: {time_zone: UTC, users_file: users${more}}\nstorage: {path: state}\n`,
      );
      writeFileSync(join(path, '../users'), 'svc-lic:8846f7eaee8fb117ad06bdd830b7586c\n', { mode: 0o600 });
      return load(path).warnings;
    };
    expect(warningsOf(`, sources: ${sources}`)).toEqual([
      'embedded_analyzer.users_file has users, but serve does not listen for them: set embedded_analyzer.listen_address, for example to 127.0.0.1:10320',
    ]);
    expect(warningsOf(`, sources: ${sources}, listen_address: 127.0.0.1:10321`)).toEqual([]);
    expect(
      load(
        temporaryFile(
          `embedded_analyzer: {time_zone: UTC, sources: ${sources}, listen_address: ':1'}\nstorage: {path: state}\n`,
        ),
      ).warnings,
    ).toEqual([
      'embedded_analyzer.listen_address is set, but nobody can log on there: set embedded_analyzer.users_file too, or remove the address',
    ]);
    // only the command analyzer uses them, which always listens
    expect(warningsOf('')).toEqual([]);
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
    writeFileSync(join(folder, 'latin1'), Buffer.from('geh\u00e4im', 'latin1'));
    mkdirSync(join(folder, 'folder'));
    const reason = (name: string) => {
      try {
        return readPasswordFile(join(folder, name)).toString();
      } catch (error) {
        return (error as Error).message.slice(folder.length + 1);
      }
    };
    expect(['missing', 'empty', 'folder', 'latin1'].map(reason)).toEqual([
      'missing does not exist',
      'empty is empty',
      'folder is a directory',
      // no logon is spent on a password that cannot be right
      'latin1 is not UTF-8 from line 1 on; save it in UTF-8',
    ]);
  });

  it('refuses a configuration that is not UTF-8', () => {
    const path = temporaryFile('');
    writeFileSync(path, Buffer.from("log: {}\nanalyzer: {url: http://h/a, username: 'CORP\\J\u00fcrgen'}\n", 'latin1'));
    expect(messageOf(() => load(path))).toMatch(/is not UTF-8 from line 2 on; save it in UTF-8$/);
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
        expect(duration(0).parse(`${h}h${m}m${s}s`)).toBe(h * 3600 + m * 60 + s);
      }),
    );
    for (const text of ['', '1', '-1s', '1 s', '1q', 's', null, {}])
      expect(() => duration(0).parse(text)).toThrow('is not a duration');
  });

  it('sizes', () => {
    expect(['1', '2KB', '3KiB', '4 MB', '5GiB'].map((text) => size(0, 1e12).parse(text))).toEqual([
      1,
      2000,
      3072,
      4e6,
      5 * 1024 ** 3,
    ]);
    for (const text of ['', '1XB', '-1', '1.5MB', []]) expect(() => size(0, 1e12).parse(text)).toThrow('is not a size');
  });

  it('listen addresses', () => {
    expect([':1', 'h:2', '[::1]:3', '1.2.3.4:0'].map((text) => listenAddress.parse(text))).toEqual([
      { host: undefined, port: 1 },
      { host: 'h', port: 2 },
      { host: '::1', port: 3 },
      { host: '1.2.3.4', port: 0 },
    ]);
    for (const text of ['1', ':', ':70000', '::1:3', 'a b:1', null])
      expect(() => listenAddress.parse(text)).toThrow('is not an address');
  });

  it('addresses of databases, with TLS unless they are on this host', () => {
    const address = (text: string) => databaseUrl.parse(text);
    const base = { port: 5432, database: 'm', user: 'u', isEncrypted: true };
    expect(address('postgresql://u@db.example.com/m')).toEqual({ ...base, host: 'db.example.com' });
    expect(address('postgres://u%40x@[2001:db8::1]:6432/m%20n')).toEqual({
      host: '2001:db8::1',
      port: 6432,
      database: 'm n',
      user: 'u@x',
      isEncrypted: true,
    });
    expect(address('postgresql://u@db/m?sslmode=disable')).toEqual({ ...base, host: 'db', isEncrypted: false });
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(address(`postgresql://u@${host}/m`).isEncrypted).toBe(false);
    expect(address('postgresql://u@127.0.0.1/m?sslmode=verify-full').isEncrypted).toBe(true);
    expect(address('postgresql://u@localhost/m?host=/run/postgresql')).toEqual({
      ...base,
      host: '/run/postgresql',
      isEncrypted: false,
    });
    for (const text of ['', 'postgresql://', 'postgresql://u@db', 'postgresql://db/m', 'http://u@db/m', null])
      expect(() => address(text as string)).toThrow('is not an address');
  });
});
