import { join } from 'node:path';
import type { AnalyzerConfig } from './config.ts';
import { type Context, checkCertificate, isReadableByAll, pathOf, readText, readTlsFile, whereOf } from './draft.ts';
import { Secret } from './secret.ts';
import type { SettingKey } from './settings.ts';

/** The settings of the analyzer to poll. */

const CREDENTIAL_NAME = 'analyzer-password';

const HOW_TO_CONFIGURE =
  'no analyzer is configured. Write a file with "analyzer:" and below it "url: https://host:8443/analyzer", ' +
  '"username: DOMAIN\\name" and "password_file: /path", and pass it with --config.file; or set ' +
  'LICENSE_EXPORTER_ANALYZER_URL, _USERNAME and _PASSWORD_FILE. To look around first, run: license-exporter demo';

/** A password from a file: one line, its end taken off. @throws Error that says what is wrong with the file */
export function readPasswordFile(path: string): Secret {
  const read = readText(path);
  if ('why' in read) throw new Error(`${path} ${read.why}`);
  const password = read.text.replace(/\r?\n$/, '');
  if (password === '') throw new Error(`${path} is empty`);
  return new Secret(password);
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

/** Reports what is wrong, and what is missing when an analyzer must be configured. */
export function analyzerOf(context: Context): AnalyzerConfig | undefined {
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
    maxFailedLogons: values['analyzer.max_failed_logons'] ?? 1,
    logonFile: pathOf(context, 'analyzer.logon_file'),
    timeout: values['analyzer.timeout'] ?? 0,
    maxResponseSize: values['analyzer.max_response_size'] ?? 0,
    maxChartSize: values['analyzer.max_chart_size'] ?? 0,
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
