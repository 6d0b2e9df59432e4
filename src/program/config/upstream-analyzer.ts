import { dirname, join } from 'node:path';
import { directoryProblem, isDirectory, readPasswordFile } from '../../base/files/named-files.ts';
import type { AnalyzerConfig } from '../../base/settings/analyzer.ts';
import { Secret } from '../../base/settings/secret.ts';
import type { ConfigSettings } from './config-settings.ts';
import type { SettingKey } from './settings.ts';

/** The analyzer to poll, with the content of its files. */

const CREDENTIAL_NAME = 'analyzer-password';

const NO_ANALYZER =
  'no analyzer is configured. Write "analyzer:" and below it "url: https://host:8443/analyzer", "username: DOMAIN\\name" ' +
  'and "password_file: /path"; or "embedded_analyzer:" with the license managers as "sources:".';

const NO_FILE =
  'Pass the file with --config.file, or set LICENSE_EXPORTER_ANALYZER_URL, _USERNAME and _PASSWORD_FILE. ' +
  'To try license-exporter first, run: license-exporter demo';

interface Password {
  readonly password: Secret;
  readonly file: string | undefined;
}

function findPassword(settings: ConfigSettings): Password | undefined {
  const direct = settings.value('analyzer.password');
  if (direct !== undefined) return { password: new Secret(direct), file: undefined };
  const configured = settings.pathOf('analyzer.password_file');
  const directory = settings.options.env.CREDENTIALS_DIRECTORY;
  const credential = directory === undefined ? undefined : join(directory, CREDENTIAL_NAME);
  const file = configured ?? credential;
  if (file === undefined) return undefined;
  try {
    const password = readPasswordFile(file);
    settings.warnOfReaders(file);
    return { password, file };
  } catch (error) {
    if (configured !== undefined) settings.refuse('analyzer.password_file', (error as Error).message);
    return undefined;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The account `name` or `DOMAIN\name`. @param refuse reports what is wrong with one of them */
export function accountOf(
  username: string,
  domain: string,
  refuse: (key: 'username', message: string) => void,
): { readonly username: string; readonly domain: string } {
  // in double quotes, YAML reads DOMAIN\nagios as two lines
  if (CONTROL.test(username)) {
    refuse('username', 'holds a control character; write DOMAIN\\name without quotes or in single quotes');
  }
  const [, prefix, name] = /^([^\\]*)\\(.*)$/s.exec(username) ?? [];
  if (prefix === undefined || name === undefined) return { username, domain };
  if (name === '') refuse('username', 'has a domain but no account');
  if (domain !== '' && domain.toLowerCase() !== prefix.toLowerCase()) {
    refuse('username', 'has another domain than analyzer.domain');
  }
  return { username: name, domain: prefix };
}

/** The setting by which license managers are configured, validly or not. */
const sourcesKey = (settings: ConfigSettings) =>
  (['embedded_analyzer.sources', 'embedded_analyzer.source_files'] as const).find(
    (key) => settings.isInvalid(key) || settings.value(key)?.length !== 0,
  );

/** Whether any license manager is configured, valid or not. */
export const hasSources = (settings: ConfigSettings): boolean => sourcesKey(settings) !== undefined;

/** Whether an analyzer to poll is configured. A key without a value sets nothing. */
export const hasAnalyzer = (settings: ConfigSettings): boolean =>
  (settings.rawSetting('analyzer.url')?.raw ?? null) !== null;

/**
 * Reports an analyzer beside sources, of which only one would be used, and a missing analyzer if it is required. The last check,
 * because other problems can explain a missing one.
 */
export function checkAnalyzer(settings: ConfigSettings): void {
  const sources = sourcesKey(settings);
  if (hasAnalyzer(settings) && sources !== undefined) {
    const both = `is set beside ${sources}: one of them would be ignored`;
    const how = `remove analyzer.url to collect from the sources, or ${sources} to poll the analyzer; to see both, make the analyzer a source: "manager: query-api" with "via: {analyzer: {url: …}}"`;
    settings.refuse('analyzer.url', `${both}; ${how}`);
  }
  // with sources, the embedded analyzer is the analyzer
  if (hasAnalyzer(settings) || sources !== undefined) return;
  const { requireAnalyzer, configFile } = settings.options;
  const begun = settings.placeOf('analyzer');
  const isEmbedded = begun === undefined && settings.placeOf('embedded_analyzer') !== undefined;
  const isRequired = requireAnalyzer === 'unless-embedded' ? !isEmbedded : requireAnalyzer;
  if (!isRequired || settings.isInvalid('analyzer.url')) return;
  if (begun !== undefined) {
    const where = settings.rawSetting('analyzer.url')?.where([]) ?? begun;
    settings.reportMissing('analyzer.url', where, 'is required to poll an analyzer');
  } else if (configFile !== undefined) {
    settings.problems.push({ key: '', where: configFile, message: NO_ANALYZER });
  } else if (settings.problems.length === 0) {
    // who wrote a flag wrongly need not be taught the first steps
    settings.problems.push({ key: '', where: 'configuration', message: `${NO_ANALYZER} ${NO_FILE}` });
  }
}

/** The file of the logon count must be writable: without the count no logon is sent for a time. */
function checkLogonFile(settings: ConfigSettings, file: string | undefined): void {
  if (file === undefined) return;
  const problem = isDirectory(file) ? `${file} is a directory` : directoryProblem(dirname(file));
  if (problem !== undefined) settings.refuse('analyzer.logon_file', problem);
}

/** The configuration of the analyzer to poll; `undefined` without one. Reports its problems. */
export function analyzerOf(settings: ConfigSettings): AnalyzerConfig | undefined {
  if (!hasAnalyzer(settings)) return undefined;
  const { username, domain } = accountOf(
    settings.value('analyzer.username') ?? '',
    settings.value('analyzer.domain') ?? '',
    (key, message) => settings.refuse(`analyzer.${key}`, message),
  );
  const need = (key: SettingKey, message: string): void =>
    settings.reportMissing(key, (settings.rawSetting(key) ?? settings.rawSetting('analyzer.url'))?.where([]), message);
  if (username === '') need('analyzer.username', 'is required with analyzer.url');
  const found = findPassword(settings);
  if (found === undefined && !settings.isInvalid('analyzer.password')) {
    need(
      'analyzer.password_file',
      `is required with analyzer.url, or LICENSE_EXPORTER_ANALYZER_PASSWORD, or $CREDENTIALS_DIRECTORY/${CREDENTIAL_NAME}`,
    );
  }
  const logonFile = settings.pathOf('analyzer.logon_file');
  checkLogonFile(settings, logonFile);
  const section = settings.section('analyzer');
  return {
    ...section,
    username,
    domain,
    url: section.url ?? '',
    password: found?.password ?? new Secret(''),
    passwordFile: found?.file,
    logonFile,
    isOfDemo: false,
    tls: settings.clientTls('analyzer.tls'),
  };
}
