import { dirname } from 'node:path';
import type { SourceEntry } from '../../analyzer/sources/settings.ts';
import { directoryProblem, isDirectory, readPasswordFile } from '../../base/files/named-files.ts';
import type { AnalyzerConfig } from '../../base/settings/analyzer.ts';
import { Secret } from '../../base/settings/secret.ts';
import type { ConfigSettings } from './config-settings.ts';
import { defaultsOf } from './settings.ts';
import type { WrittenSource } from './source-entries.ts';
import { readSourceTls } from './source-tls.ts';
import { accountOf } from './upstream-analyzer.ts';

/** `via.analyzer` of a source: another analyzer, with its own account. */

type Entry = NonNullable<NonNullable<SourceEntry['via']>['analyzer']>;

/** Requests to another analyzer at once: its own users come first. */
const CONCURRENCY = 4;

function passwordOf(settings: ConfigSettings, file: string | undefined, refuse: (message: string) => void): Secret {
  if (file === undefined) {
    refuse('is required with via.analyzer: a file with the password of the account');
    return new Secret('');
  }
  try {
    const password = readPasswordFile(file);
    settings.warnOfReaders(file);
    return password;
  } catch (error) {
    refuse((error as Error).message);
    return new Secret('');
  }
}

/** The analyzer of a source, complete. Reports its problems. @param timeout of a request, seconds */
export function analyzerOfSource(
  settings: ConfigSettings,
  { refuse }: WrittenSource,
  entry: Entry,
  timeout: number,
): AnalyzerConfig {
  const at = (key: string, message: string): void => refuse(message, ['via', 'analyzer', key]);
  const { url, username = '', domain = '', passwordFile, logonFile, tls: files, ...limits } = entry;
  if (username === '') at('username', 'is required with via.analyzer');
  const account = accountOf(username, domain, (key, message) => at(key, message));
  if (logonFile !== undefined) {
    const problem = isDirectory(logonFile) ? `${logonFile} is a directory` : directoryProblem(dirname(logonFile));
    if (problem !== undefined) at('logon_file', problem);
  }
  const { caFile, certFile, keyFile, serverName, insecureSkipVerify = false } = files ?? {};
  const tls = readSourceTls(settings, { ca: caFile, cert: certFile, key: keyFile }, (role, message) =>
    refuse(message, ['via', 'analyzer', 'tls', `${role}_file`]),
  );
  return {
    ...defaultsOf('analyzer'),
    ...limits,
    ...account,
    url,
    timeout,
    concurrency: CONCURRENCY,
    password: passwordOf(settings, passwordFile, (message) => at('password_file', message)),
    passwordFile,
    logonFile,
    isOfDemo: false,
    tls: { ...tls, serverName, insecureSkipVerify },
  };
}
