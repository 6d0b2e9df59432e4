import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/program/commands/command-line.ts';
import { loadConfig } from '../../../src/program/config/load.ts';
import { ConfigError } from '../../../src/program/config/problems.ts';
import { flagName, type SettingKey, settingKeys, variableName } from '../../../src/program/config/settings.ts';
import { createCleanup } from '../../support/harness.ts';

/** What a path is relative to: the folder of the file in which it is written, else the working directory. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** A folder that is not the working directory. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-paths-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'sources.d'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return folder;
}

/** All problems and warnings of a configuration. */
function messagesOf(configFile: string | undefined, argv: readonly string[] = [], env: NodeJS.ProcessEnv = {}): string {
  const { flags } = parseCommandLine(argv);
  try {
    const withPassword = { CREDENTIALS_DIRECTORY: folderWith({ 'analyzer-password': 'geheim' }), ...env };
    return loadConfig({ configFile, flags, env: withPassword, requireAnalyzer: false }).warnings.join('\n');
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}

/** Settings whose value is a path of the host, not of a URL. */
const isPath = (key: SettingKey): boolean => key === 'storage.path' || key.endsWith('_file');
const pathKeys = settingKeys.filter(isPath);

/** Settings without which another one is not read. */
const needed = 'analyzer: {url: http://h/a, username: u}\ndatasource: {pseudonymise: true}\n';
const NEEDED_FLAGS = ['--analyzer.url=http://h/a', '--analyzer.username=u', '--datasource.pseudonymise'];
/** Neither it nor the two folders above it exist. */
const MISSING = 'gone/far/away';

/** The YAML of one setting. */
const inYaml = (key: SettingKey, value: string): string =>
  `{${key.split('.').join(': {')}: ${value}${'}'.repeat(key.split('.').length)}`;

describe('a setting that is a path', () => {
  it('is known to this test', () => {
    const others = settingKeys.filter((key) => /(path|file|files|directory|folder)$/.test(key) && !isPath(key));
    // paths of URLs, and a list with patterns
    expect(others).toEqual(['web.telemetry_path', 'datasource.path', 'embedded_analyzer.source_files']);
    expect(pathKeys.length).toBeGreaterThan(15);
  });

  it.each(pathKeys)('%s is relative to the file in the file, and to the working directory elsewhere', (key) => {
    const folder = folderWith({});
    const file = join(folder, 'c.yml');
    // the settings that are needed come from flags: a key cannot be twice in a file
    writeFileSync(file, inYaml(key, MISSING));
    expect(messagesOf(file, NEEDED_FLAGS)).toContain(join(folder, 'gone'));
    // the path of the file itself is relative to the working directory
    expect(messagesOf(relative('.', file), NEEDED_FLAGS)).toContain(join(folder, 'gone'));

    const needs = join(folder, 'needs.yml');
    writeFileSync(needs, needed);
    const elsewhere = resolve('gone');
    expect(messagesOf(needs, [`--${flagName(key)}=${MISSING}`])).toContain(elsewhere);
    expect(messagesOf(needs, [], { [variableName(key)]: MISSING })).toContain(elsewhere);
  });
});

describe('paths in lists are relative to the file', () => {
  it.each([
    [
      'an Alertmanager',
      'alerting: {alertmanagers: [{static_configs: [{targets: [am:9093]}], basic_auth: {username: u, password_file: gone}}]}',
    ],
    [
      'an Alertmanager',
      'alerting: {alertmanagers: [{static_configs: [{targets: [am:9093]}], authorization: {credentials_file: gone}}]}',
    ],
    [
      'an Alertmanager',
      'alerting: {alertmanagers: [{static_configs: [{targets: [am:9093]}], tls_config: {ca_file: gone}}]}',
    ],
    ['files of sources', 'embedded_analyzer: {source_files: [gone]}'],
    [
      'a source',
      'embedded_analyzer: {sources: [{name: a, manager: json, via: {http: "http://h/", token_file: gone}}]}',
    ],
    [
      'a source',
      'embedded_analyzer: {sources: [{name: a, manager: json, via: {http: "https://h/", tls: {ca_file: gone}}}]}',
    ],
  ])('%s: %s', (_, yaml) => {
    const folder = folderWith({ 'c.yml': yaml });
    expect(messagesOf(join(folder, 'c.yml'))).toContain(`${join(folder, 'gone')} does not exist`);
  });

  it('those of a web config to the web config', () => {
    const folder = folderWith({
      'c.yml': 'web: {config_file: sources.d/web.yml}',
      'sources.d/web.yml': 'tls_server_config: {cert_file: gone.crt, key_file: gone.key}',
    });
    const messages = messagesOf(join(folder, 'c.yml'));
    expect(messages).toContain(join(folder, 'sources.d/gone.crt'));
    expect(messages).toContain(join(folder, 'sources.d/gone.key'));
  });
});

describe('the files of a source', () => {
  it('are relative to the file in which they are written, also those of source_defaults', () => {
    const folder = folderWith({
      'c.yml': `embedded_analyzer:
  source_files: [sources.d/*.yml]
  source_defaults:
    manager: flexnet
    via: {file: usage.txt}
    license_files: [license.dat]
    options_files: {vendor: vendor.opt}
    debug_log: {path: debug.log}
  sources:
    - {name: one, servers: [1@one]}
`,
      'sources.d/more.yml': `- {name: two, servers: [1@two]}
- name: three
  servers: [1@three]
  via: {file: usage.txt}
  license_files: [license.dat]
  options_files: {vendor: vendor.opt}
  debug_log: {path: debug.log}
`,
    });
    const { sources } = loadConfig({
      configFile: join(folder, 'c.yml'),
      flags: new Map(),
      env: {},
      requireAnalyzer: false,
    }).embeddedAnalyzer;
    const pathsOf = (below: string) => ({
      via: { file: join(folder, below, 'usage.txt') },
      licenseFiles: [join(folder, below, 'license.dat')],
      optionsFiles: { vendor: join(folder, below, 'vendor.opt') },
      debugLogs: [{ path: join(folder, below, 'debug.log') }],
    });
    expect(sources).toMatchObject([
      { name: 'one', ...pathsOf('') },
      { name: 'two', ...pathsOf('') },
      { name: 'three', ...pathsOf('sources.d') },
    ]);
  });
});
