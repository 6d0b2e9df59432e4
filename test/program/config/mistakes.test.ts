import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { parseCommandLine } from '../../../src/program/commands/command-line.ts';
import { loadConfig } from '../../../src/program/config/load.ts';
import { ConfigError } from '../../../src/program/config/problems.ts';
import { settingTable } from '../../../src/program/config/settings.ts';
import { readWebConfig } from '../../../src/program/config/web-config.ts';
import { type Certificate, createCertificate } from '../../support/certificate.ts';
import { isLong } from '../../support/extent.ts';
import { createCleanup } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';

/**
 * Mistakes, and exactly what is said of each. Those of the configuration file are files in `bad`; what is said of them stands
 * in `bad.golden.txt`, as it is printed (`UPDATE_MISTAKES=1` writes it).
 */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
afterEach(() => void vi.useRealTimers());

const here = import.meta.dirname;

const forAll = createCleanup();
afterAll(() => forAll.run());
let made: readonly [Certificate, Certificate] | undefined;

/** Two certificates with their keys, made once. */
function certificates(): readonly [Certificate, Certificate] {
  made ??= [createCertificate(forAll), createCertificate(forAll)];
  return made;
}

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-mistakes-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return folder;
}

interface Load {
  readonly configFile?: string;
  readonly argv?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly requireAnalyzer?: boolean | 'unless-embedded';
}

const load = ({ configFile, argv = [], env = {}, requireAnalyzer = false }: Load) =>
  loadConfig({ configFile, flags: parseCommandLine(argv).flags, env, requireAnalyzer });

/** What is printed. */
function messagesOf(work: () => unknown, folder: string): string[] {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // a message begins with the path of its file, which is shown by its name here
    const texts = error.message.replaceAll(folder, 'HERE').split('\n');
    return texts.map((text) => text.replace(/^HERE\/(?:bad\/)?(?=[^/]+\.yml: |[^/]+\.yml:\d)/, ''));
  }
  return [];
}

const messagesOfYaml = (yaml: string, more: Load = {}): string[] => {
  const folder = folderWith({ 'c.yml': yaml });
  return messagesOf(() => load({ configFile: join(folder, 'c.yml'), ...more }), folder);
};

const goldenFile = join(here, 'bad.golden.txt');
const badFiles = readdirSync(join(here, 'bad')).sort();
const messagesOfBad = (name: string): string[] => messagesOf(() => load({ configFile: join(here, 'bad', name) }), here);

// read every line of the difference before it is committed
if (process.env.UPDATE_MISTAKES === '1') {
  const blocks = badFiles.map((name) => [`# ${name}`, ...messagesOfBad(name)].join('\n'));
  writeFileSync(goldenFile, `${blocks.join('\n\n')}\n`);
}

const golden = readFileSync(goldenFile, 'utf8')
  .trim()
  .split('\n\n')
  .map((block) => block.split('\n'))
  .map(([head = '', ...messages]) => [head.slice('# '.length), messages] as const);

describe('a bad file', () => {
  it.each(golden)('%s', (name, messages) => {
    expect(messages).not.toEqual([]);
    expect(messagesOfBad(name)).toEqual(messages);
  });

  it('has its messages there', () => {
    expect(badFiles.length).toBeGreaterThan(90);
    expect(golden.map(([name]) => name)).toEqual(badFiles);
  });

  it('with ten mistakes shows these ten', () => {
    const messages = new Map(golden).get('many.yml');
    expect(messages).toHaveLength(10);
    expect(messages?.map((message) => message.split(':')[1])).toEqual([
      '3',
      '5',
      '7',
      '9',
      '11',
      '14',
      '18',
      '19',
      '25',
      '26',
    ]);
  });

  it('is not there, or is a folder', () => {
    const at = (configFile: string) => messagesOf(() => load({ configFile, requireAnalyzer: true }), here);
    expect(at('/nowhere/config.yml')).toEqual(['/nowhere/config.yml: the file does not exist']);
    expect(at(here)).toEqual(['HERE: the file is a directory']);
  });
});

describe('flags and environment', () => {
  const url = { LICENSE_EXPORTER_ANALYZER_URL: 'http://h/a' };
  const listen = 'is not an address such as :10319, 127.0.0.1:10319 or [::1]:10319';

  it.each<[readonly string[], NodeJS.ProcessEnv, ...string[]]>([
    [
      ['--analyzer.timeout=30'],
      {},
      '--analyzer.timeout: analyzer.timeout: "30" is not a duration such as 30s, 5m or 1h30m',
    ],
    [['--collector.log=maybe'], {}, "command line: Option '--collector.log' does not take an argument"],
    [
      ['--web.listen-adress=:1'],
      {},
      'command line: unknown flag --web.listen-adress, did you mean --web.listen-address?',
    ],
    [
      ['--web.listen-address=:1', '--web.listen-address=2'],
      {},
      `--web.listen-address: web.listen_address[1]: "2" ${listen}`,
    ],
    // every flag that is not known, as it was written
    [
      ['--foo', '--log.levl=x', '-x', '--no-log.level', '--no-collector.log'],
      {},
      'command line: unknown flag --foo; --help shows all',
      'command line: unknown flag --log.levl, did you mean --log.level?',
      'command line: unknown flag -x; --help shows all',
      'command line: unknown flag --no-log.level, did you mean --log.level?',
    ],
    // of the file alone, and of the environment alone
    [
      ['--history.features=x'],
      {},
      'command line: unknown flag --history.features; history.features can only be set in the file',
    ],
    [
      ['--analyzer.password=x'],
      {},
      'command line: unknown flag --analyzer.password, did you mean --analyzer.password-file?',
    ],
    [['--shard.index=2', '--shard.total=2'], {}, '--shard.index: shard.index: must be below shard.total (2)'],
    // nothing follows from a value that is wrong
    [['--shard.index=2', '--shard.total=0'], {}, '--shard.total: shard.total: 0 is not an integer from 1 to 1000'],
    [
      [],
      { LICENSE_EXPORTER_WEB_LISTEN_ADDRESS: ':1, :2, 3' },
      `LICENSE_EXPORTER_WEB_LISTEN_ADDRESS: web.listen_address[2]: "3" ${listen}`,
    ],
    [
      [],
      { LICENSE_EXPORTER_METRICS_COLLECTORS_LOG: 'yes', LICENSE_EXPORTER_LOG_LEVL: 'info', LICENSE_EXPORTER_WAT: '' },
      'LICENSE_EXPORTER_LOG_LEVL: unknown variable, did you mean LICENSE_EXPORTER_LOG_LEVEL?',
      'LICENSE_EXPORTER_WAT: unknown variable',
      'LICENSE_EXPORTER_METRICS_COLLECTORS_LOG: metrics.collectors.log: "yes" is not true or false',
    ],
    [
      [],
      { LICENSE_EXPORTER_ALERTING_RULES: '{}' },
      'LICENSE_EXPORTER_ALERTING_RULES: unknown variable; alerting.rules can only be set in the file',
    ],
    [
      [],
      { LICENSE_EXPORTER_ALERTING_ALERTMANAGERS: 'http://am:1, am:2' },
      'LICENSE_EXPORTER_ALERTING_ALERTMANAGERS: alerting.alertmanagers[1]: "am:2" is not an address such as http://alertmanager:9093',
    ],
    [
      [],
      { ...url, LICENSE_EXPORTER_ANALYZER_PASSWORD: 'geheim' },
      'LICENSE_EXPORTER_ANALYZER_URL: analyzer.username: is required with analyzer.url',
    ],
    [
      [],
      { ...url, LICENSE_EXPORTER_ANALYZER_USERNAME: 'u', LICENSE_EXPORTER_ANALYZER_PASSWORD_FILE: '/nowhere' },
      'LICENSE_EXPORTER_ANALYZER_PASSWORD_FILE: analyzer.password_file: /nowhere does not exist',
    ],
    [
      [],
      { LICENSE_EXPORTER_ANALYZER_USERNAME: 'u' },
      'LICENSE_EXPORTER_ANALYZER_USERNAME: analyzer.url: is required to poll an analyzer',
    ],
    [
      [],
      { LICENSE_EXPORTER_ANALYZER_ULR: 'http://h/a', LICENSE_EXPORTER_ANALYZER_USERNAME: 'u' },
      'LICENSE_EXPORTER_ANALYZER_ULR: unknown variable, did you mean LICENSE_EXPORTER_ANALYZER_URL?',
    ],
  ])('%j %j', (argv, env, ...messages) => {
    expect(
      messagesOf(
        () => load({ argv, env, requireAnalyzer: Object.keys(env).some((name) => name.includes('ANALYZER_U')) }),
        here,
      ),
    ).toEqual(messages);
  });
});

const namesBelow = (section: string): string => settingTable.namesBelow(section).join(', ');

describe('what only follows from another mistake', () => {
  const inline =
    'analyzer.password: a secret must not be in the file; use analyzer.password_file, the environment or $CREDENTIALS_DIRECTORY';

  it.each([
    [
      'wat: [}',
      'c.yml:1: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['anlyzer: {url: x}', 'c.yml:1: anlyzer: unknown setting, did you mean analyzer?'],
    ['analyzer: 7', `c.yml:1: analyzer: is a section; write settings below it: ${namesBelow('analyzer')}`],
    [
      'analyzer:\n  url: http://h/a\n  user: x\n  password: y\n',
      'c.yml:3: analyzer.user: unknown setting, did you mean username?',
      `c.yml:4: ${inline}`,
    ],
    // that there is no url does not follow
    [
      'analyzer:\n  usernam: x\n  password: y\n',
      'c.yml:1: analyzer.url: is required to poll an analyzer',
      'c.yml:2: analyzer.usernam: unknown setting, did you mean username?',
      `c.yml:3: ${inline}`,
    ],
  ])('is not said of %j', (yaml, ...messages) => {
    expect(messagesOfYaml(yaml, { requireAnalyzer: true })).toEqual(messages);
  });

  it.each([
    [
      'datasource: {path: grafana}\nweb: {telemetry_path: /grafana}\nshard: {index: 3, total: none}',
      'c.yml:1: datasource.path: "grafana" is not a path such as /metrics',
      'c.yml:3: shard.total: "none" is not an integer from 1 to 1000',
    ],
    [
      'embedded_analyzer:\n  channel_binding: require\n  tls: {cert: x}\n',
      'c.yml:3: embedded_analyzer.tls.cert: unknown setting, did you mean cert_file?',
    ],
    [
      'log: {level: x}\nshard: {total: 0}\nlog: {level: info}\n',
      'c.yml:2: shard.total: 0 is not an integer from 1 to 1000',
      'c.yml:3: log: is set twice; remove one of them',
    ],
    [
      'web: {listen_address: 10320}',
      'c.yml:1: web.listen_address[0]: 10320 is not an address such as :10319, 127.0.0.1:10319 or [::1]:10319',
    ],
  ])('nor of %j', (yaml, ...messages) => {
    expect(messagesOfYaml(yaml)).toEqual(messages);
  });
});

describe('what the analyzer needs', () => {
  const howTo =
    /^c\.yml: no analyzer is configured\. Write "analyzer:" .* or "embedded_analyzer:" with .*"sources:"\.$/;

  it.each([
    ['embedded_analyzer: {site: {seed: 2}}', 'unless-embedded', undefined],
    ['embedded_analyzer: {site: {seed: 2}}', true, howTo],
    ['log: {level: info}', 'unless-embedded', howTo],
    ['log: {level: info}', false, undefined],
    [
      'analyzer: {concurrency: 2}\nembedded_analyzer: {site: {seed: 2}}',
      'unless-embedded',
      /^c\.yml:1: analyzer\.url: is required/,
    ],
    // a key without a value sets nothing
    ['analyzer:\n  url:\n  username: u\n  password_file: c.yml\n', true, /^c\.yml:2: analyzer\.url: is required/],
    [
      'analyzer:\n  url: https://h/a\n  username:\n  password_file: c.yml\n',
      true,
      /^c\.yml:3: analyzer\.username: is required/,
    ],
  ] as const)('of %j, required: %j', (yaml, requireAnalyzer, expected) => {
    const [message, ...more] = messagesOfYaml(yaml, { requireAnalyzer });
    expect(more).toEqual([]);
    if (expected === undefined) expect(message).toBeUndefined();
    else expect(message).toMatch(expected);
  });
});

describe.runIf(peer('openssl'))('certificates', () => {
  const tls = (more: string): string =>
    `analyzer:\n  url: https://h/a\n  username: u\n  password_file: pw\n  tls:\n${more}`;

  /** A folder with two certificates and their keys, and a key with a passphrase. */
  function folderWithCertificates(yaml: string): string {
    const [own, other] = certificates();
    return folderWith({
      'c.yml': yaml,
      pw: 'geheim',
      'own.pem': own.cert,
      'own.key': own.key,
      'other.key': other.key,
      'locked.key': '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n',
      'cut.pem': own.cert.replace(/^(.{64}\n){3}/m, ''),
      'pem.txt': 'a certificate',
    });
  }

  it.each([
    ['    cert_file: own.pem\n    key_file: own.key\n    ca_file: own.pem\n'],
    [
      '    ca_file: pem.txt\n',
      'c.yml:6: analyzer.tls.ca_file: HERE/pem.txt is not a PEM certificate: it has no line -----BEGIN CERTIFICATE-----',
    ],
    ['    ca_file: own.key\n', 'c.yml:6: analyzer.tls.ca_file: HERE/own.key is a key, not a certificate'],
    ['    ca_file: cut.pem\n', 'c.yml:6: analyzer.tls.ca_file: HERE/cut.pem is a damaged certificate; copy it again'],
    ['    cert_file: own.pem\n', 'c.yml:6: analyzer.tls.cert_file: needs key_file too'],
    ['    key_file: own.key\n', 'c.yml:6: analyzer.tls.key_file: needs cert_file too'],
    [
      '    cert_file: own.pem\n    key_file: other.key\n',
      'c.yml:7: analyzer.tls.key_file: HERE/other.key does not belong to the certificate',
    ],
    [
      '    cert_file: own.pem\n    key_file: own.pem\n',
      'c.yml:7: analyzer.tls.key_file: HERE/own.pem is a certificate, not a key',
    ],
    [
      '    cert_file: own.pem\n    key_file: locked.key\n',
      'c.yml:7: analyzer.tls.key_file: HERE/locked.key is encrypted with a passphrase; remove the passphrase ("openssl pkey -in OLD -out NEW")',
    ],
    [
      '    cert_file: own.pem\n    key_file: pem.txt\n',
      'c.yml:7: analyzer.tls.key_file: HERE/pem.txt is not a PEM private key: it has no line -----BEGIN PRIVATE KEY-----',
    ],
    [
      '    cert_file: nowhere.pem\n    key_file: pem.txt\n',
      'c.yml:6: analyzer.tls.cert_file: HERE/nowhere.pem does not exist',
      'c.yml:7: analyzer.tls.key_file: HERE/pem.txt is not a PEM private key: it has no line -----BEGIN PRIVATE KEY-----',
    ],
  ])('%j', (more, ...messages) => {
    const folder = folderWithCertificates(tls(more));
    expect(messagesOf(() => load({ configFile: join(folder, 'c.yml') }), folder)).toEqual(messages);
  });

  it('that are expired, or not valid yet, are warned of', () => {
    const folder = folderWithCertificates(tls('    cert_file: own.pem\n    key_file: own.key\n'));
    const warnings = () =>
      load({ configFile: join(folder, 'c.yml') }).warnings.map((text) => text.replace(folder, 'HERE'));
    expect(warnings()).toEqual([]);
    vi.setSystemTime(Date.UTC(2100, 0));
    expect(warnings()[0]).toMatch(/^analyzer\.tls\.cert_file: HERE\/own\.pem expired on \d{4}-\d\d-\d\d; renew it$/);
    const web = join(folder, 'web.yml');
    writeFileSync(web, 'tls_server_config: {cert_file: own.pem, key_file: own.key}');
    expect(readWebConfig(web).warnings).toEqual([
      expect.stringMatching(/^tls_server_config\.cert_file: .*own\.pem expired on/),
    ]);
    vi.setSystemTime(Date.UTC(2000, 0));
    expect(warnings()[0]).toMatch(/own\.pem is not valid before \d{4}-\d\d-\d\d; check the clock of this host$/);
  });
});

const namedFiles = join(here, '../../../src/base/files/named-files.ts');
const LOOK =
  'const [file, ...paths] = process.argv.slice(1);' +
  'const { directoryProblem, readText } = await import(file);' +
  // root may write everywhere, so nobody looks
  'if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }' +
  'for (const path of paths) console.log(path.endsWith(".yml") ? readText(path).why : directoryProblem(path));';

describe('storage.path', () => {
  const warningsOf = (folder: string, path: string): string[] => {
    writeFileSync(join(folder, 'c.yml'), `storage: {path: ${path}}`);
    return load({ configFile: join(folder, 'c.yml') }).warnings.map((text) => text.replaceAll(folder, 'HERE'));
  };

  it('that can be used, or made, is not warned of', () => {
    const folder = folderWith({});
    mkdirSync(join(folder, 'there'));
    expect([...warningsOf(folder, 'there'), ...warningsOf(folder, 'new')]).toEqual([]);
  });

  it.each([
    [0o777, true],
    [0o1777, true],
    [0o702, true],
    [0o755, false],
    [0o775, false],
    [0o700, false],
  ])('of mode %o is warned of if every user can write there: %s', (mode, isWarned) => {
    const folder = folderWith({});
    mkdirSync(join(folder, 'there'));
    chmodSync(join(folder, 'there'), mode);
    expect(warningsOf(folder, 'there')).toEqual(
      isWarned
        ? [
            'storage.path: every user of this host can replace the files in HERE/there; forbid it (chmod 700 HERE/there)',
          ]
        : [],
    );
  });

  it('that cannot be used is warned of', () => {
    const folder = folderWith({ file: '' });
    expect(warningsOf(folder, 'file')).toEqual(['storage.path: HERE/file is not a directory']);
    expect(warningsOf(folder, 'new/below')).toEqual([
      'storage.path: HERE/new/below does not exist, nor does HERE/new; create the directory, writable for the user that runs license-exporter',
    ]);
  });

  it('that cannot be written to is warned of, and a file that cannot be read says why', () => {
    const folder = folderWith({});
    chmodSync(folder, 0o755);
    for (const [name, mode] of [
      ['locked', 0o555],
      ['hidden', 0o600],
    ] as const)
      mkdirSync(join(folder, name), { mode });
    for (const file of ['secret.yml', 'hidden/c.yml']) writeFileSync(join(folder, file), '', { mode: 0o600 });
    const names = ['locked', 'locked/new', 'hidden/new', 'secret.yml', 'hidden/c.yml'];
    const paths = names.map((name) => join(folder, name));
    const args = ['--input-type=module', '-e', LOOK, namedFiles, ...paths];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.replaceAll(folder, 'HERE').trim().split('\n')).toEqual([
      'HERE/locked is not writable for the user that runs license-exporter; change its owner or mode',
      'HERE/locked/new does not exist and cannot be created in HERE/locked; create it, writable for the user that runs license-exporter',
      'HERE/hidden/new is not writable for the user that runs license-exporter; change its owner or mode',
      'cannot be read by the user that runs license-exporter; change its owner or mode',
      'cannot be read by the user that runs license-exporter; change the owner or mode of the directory HERE/hidden',
    ]);
  });
});

/** Of "geheim". */
const HASH = '$2b$10$yUb0WO/JF3zqxCMMt5nSaOlD3EQ6nP4vKxNObTm77d6CNXbCoCeES';
const versions = 'TLS10, TLS11, TLS12, TLS13';
const SHORT = 6;
const piecesOfHash = Array.from({ length: HASH.length - SHORT + 1 }, (_, i) => HASH.slice(i, i + SHORT));

describe('a web config with any mistake', () => {
  /** Characters that mean something in YAML, and texts with which a value becomes something else. */
  const parts = [
    '!',
    '&',
    '*',
    '{',
    '}',
    '[',
    ']',
    ':',
    ': ',
    '? ',
    '- ',
    '#',
    '\n',
    '"',
    "'",
    '|',
    '%',
    '---\n',
    '\\',
    '<<: ',
  ];
  const mistake = fc.record({ at: fc.nat(), remove: fc.nat(4), part: fc.constantFrom('', ...parts) });

  it('has messages that repeat no part of a hash', () => {
    const good = `basic_auth_users:\n  grafana: ${HASH}\n  other: "${HASH}"\ntls_server_config:\n  client_auth_type: NoClientCert\n`;
    const file = join(folderWith({}), 'web.yml');
    const messages = (text: string): string => {
      writeFileSync(file, text);
      try {
        return readWebConfig(file).warnings.join('\n');
      } catch (error) {
        return (error as ConfigError).message;
      }
    };
    fc.assert(
      fc.property(fc.array(mistake, { minLength: 1, maxLength: 3 }), (mistakes) => {
        const text = mistakes.reduce((before, { at, remove, part }) => {
          const place = at % (before.length + 1);
          return before.slice(0, place) + part + before.slice(place + remove);
        }, good);
        const said = messages(text);
        expect(piecesOfHash.filter((piece) => said.includes(piece))).toEqual([]);
      }),
      { numRuns: isLong ? 1000 : 200 },
    );
  });
});

describe('a web config', () => {
  const messagesOfWeb = (folder: string): string[] =>
    messagesOf(() => readWebConfig(join(folder, 'web.yml')), `${folder}/`);
  const notBcrypt = 'the hash of this user is not bcrypt; create the line with "license-exporter hash-password NAME"';
  const noUsers =
    'has no users; add one with "license-exporter hash-password NAME --output FILE", or remove it to require no password';

  it.each([
    ['[', '1: not valid YAML: Flow sequence must end with a ]'],
    ['- a', '1: the file must contain settings, for example "basic_auth_users:"'],
    ['basic_auth_user: {}', '1: basic_auth_user: unknown setting, did you mean basic_auth_users?'],
    ['basic_auth_users: [a]', '1: basic_auth_users: is not a map of users and hashes'],
    // every page would be open
    ['tls_server_config:\nbasic_auth_users:\n', `2: basic_auth_users: ${noUsers}`],
    ['basic_auth_users: {}', `1: basic_auth_users: ${noUsers}`],
    [`basic_auth_users: ${HASH}`, '1: basic_auth_users: is not a map of users and hashes'],
    [
      `${HASH}: grafana`,
      '1: "<hash>": unknown setting; valid are basic_auth_users, tls_server_config, http_server_config',
    ],
    [`%YAML ${HASH}\n---\n`, '1: not valid YAML: a line that begins with % is a directive; put the text in quotes'],
    ['basic_auth_users: {a: secret-password}', `1: basic_auth_users: ${notBcrypt}`],
    ['basic_auth_users: {a: 7}', '1: basic_auth_users: the hash of this user is not a string'],
    [`basic_auth_users: {"a:b": ${HASH}}`, '1: basic_auth_users: a user name is empty or contains a colon'],
    ['toString: 1', '1: toString: unknown setting; valid are basic_auth_users, tls_server_config, http_server_config'],
    // left out without a word, it would open the page
    [`basic_auth_users: {__proto__: ${HASH}}`, '1: basic_auth_users: a user cannot have this name'],
    [`basic_auth_users:\n  bert: ${HASH}\n  bert: ${HASH}\n`, '3: basic_auth_users: is set twice; remove one of them'],
    [
      'http_server_config: {headers: {X-Frame-Options: "\\0"}}',
      '1: http_server_config.headers.X-Frame-Options: has characters that a header cannot have',
    ],
    ['rate_limit: {interval: 1s}', '1: rate_limit: is not supported: use a reverse proxy for it'],
    [
      'tls_server_config: {key: x}',
      '1: tls_server_config.key: is not supported: a secret must not be in the file, use key_file',
    ],
    [
      'tls_server_config:\n  cert_file: none.pem\n  key_file: none.key\n',
      '2: tls_server_config.cert_file: HEREnone.pem does not exist',
      '3: tls_server_config.key_file: HEREnone.key does not exist',
    ],
    ['tls_server_config: {min_version: TLS13}', '1: tls_server_config.cert_file: and key_file are required for TLS'],
    [
      'http_server_config:\n  headers: {X-Powered-By: me}',
      '2: http_server_config.headers.X-Powered-By: unknown setting; valid are Content-Security-Policy, X-Frame-Options, X-Content-Type-Options, X-XSS-Protection, Strict-Transport-Security',
    ],
    [
      'http_server_config: {headers: {X-Frame-Options: 1}}',
      '1: http_server_config.headers.X-Frame-Options: 1 is not a string',
    ],
    [
      `basic_auth_users:\n  anna: ${HASH}\n  bert: hunter2\ntls_server_config:\n  cert_fil: none.pem\n  key_file: none.key\n  min_version: TLS99\nhttp_server_config:\n  http_2: no\n`,
      `3: basic_auth_users: ${notBcrypt}`,
      '5: tls_server_config.cert_fil: unknown setting, did you mean cert_file?',
      '6: tls_server_config.key_file: HEREnone.key does not exist',
      `7: tls_server_config.min_version: "TLS99" is not one of ${versions}`,
      '9: http_server_config.http_2: unknown setting, did you mean http2?',
    ],
  ])('%j', (text, ...messages) => {
    const found = messagesOfWeb(folderWith({ 'web.yml': text }));
    expect(found).toEqual(messages.map((message) => `HEREweb.yml:${message}`));
    expect(found.join()).not.toMatch(/secret-password|hunter2|bert/);
  });

  it.runIf(peer('openssl')).each([
    ['  min_version: TLS99', `tls_server_config.min_version: "TLS99" is not one of ${versions}`],
    ['  max_version: TLS11', 'tls_server_config.max_version: min_version is above max_version'],
    [
      '  client_auth_type: Always',
      'tls_server_config.client_auth_type: "Always" is not one of NoClientCert, RequestClientCert, RequireAnyClientCert, VerifyClientCertIfGiven, RequireAndVerifyClientCert',
    ],
    [
      '  client_auth_type: RequireAndVerifyClientCert',
      'tls_server_config.client_auth_type: RequireAndVerifyClientCert needs client_ca_file',
    ],
    [
      '  client_ca_file: cert.pem',
      'tls_server_config.client_ca_file: has no effect without client_auth_type, for example RequireAndVerifyClientCert',
    ],
    [
      '  client_ca_file: key.pem\n  client_auth_type: RequireAndVerifyClientCert',
      'tls_server_config.client_ca_file: HEREkey.pem is a key, not a certificate',
    ],
  ])('with TLS and %j', (more, message) => {
    const [{ cert, key }] = certificates();
    const text = `tls_server_config:\n  cert_file: cert.pem\n  key_file: key.pem\n${more}`;
    const found = messagesOfWeb(folderWith({ 'web.yml': text, 'cert.pem': cert, 'key.pem': key }));
    expect(found).toEqual([`HEREweb.yml:4: ${message}`]);
  });

  it('is not there, or holds mistakes: the configuration that names it shows them with its own', () => {
    expect(messagesOfWeb(folderWith({}))).toEqual(['HEREweb.yml: the file does not exist']);
    const folder = folderWith({
      'c.yml': 'web: {config_file: web.yml}\nsomething: 1',
      'web.yml': 'basic_auth_users: {a: b}',
    });
    expect(messagesOf(() => load({ configFile: join(folder, 'c.yml') }), folder)).toEqual([
      expect.stringMatching(/^c\.yml:2: something: unknown setting; valid are analyzer, poll,/),
      `web.yml:1: basic_auth_users: ${notBcrypt}`,
    ]);
  });
});
