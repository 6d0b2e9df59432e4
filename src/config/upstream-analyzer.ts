import { dirname, join } from 'node:path';
import type { AnalyzerConfig } from './config.ts';
import type { Draft } from './draft.ts';
import { directoryProblem, readText } from './named-files.ts';
import { Secret } from './secret.ts';
import type { SettingKey } from './settings.ts';

/** The analyzer to poll, with what its files hold. */

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

interface Password {
  readonly password: Secret;
  readonly file: string | undefined;
}

function findPassword(draft: Draft): Password | undefined {
  const direct = draft.value('analyzer.password');
  if (direct !== undefined) return { password: new Secret(direct), file: undefined };
  const configured = draft.pathOf('analyzer.password_file');
  const directory = draft.options.env.CREDENTIALS_DIRECTORY;
  const credential = directory === undefined ? undefined : join(directory, CREDENTIAL_NAME);
  const file = configured ?? credential;
  if (file === undefined) return undefined;
  try {
    const password = readPasswordFile(file);
    draft.warnOfReaders(file);
    return { password, file };
  } catch (error) {
    if (configured !== undefined) draft.refuse('analyzer.password_file', (error as Error).message);
    return undefined;
  }
}

function accountOf(draft: Draft): { username: string; domain: string } {
  const username = draft.value('analyzer.username') ?? '';
  const domain = draft.value('analyzer.domain') ?? '';
  const [, prefix, name] = /^([^\\]*)\\(.*)$/s.exec(username) ?? [];
  if (prefix === undefined || name === undefined) return { username, domain };
  if (name === '') draft.refuse('analyzer.username', 'names a domain but no account');
  if (domain !== '' && domain.toLowerCase() !== prefix.toLowerCase()) {
    draft.refuse('analyzer.username', 'names another domain than analyzer.domain');
  }
  return { username: name, domain: prefix };
}

/** Whether an analyzer is configured; reports that it is not where it must be. */
function hasAnalyzer(draft: Draft): boolean {
  const url = draft.given('analyzer.url');
  // a key without a value sets nothing
  if (url !== undefined && url.raw !== null) return true;
  const { requireAnalyzer } = draft.options;
  const begun = draft.placeOf('analyzer');
  const isEmbedded = begun === undefined && draft.placeOf('embedded_analyzer') !== undefined;
  const isRequired = requireAnalyzer === 'unless-embedded' ? !isEmbedded : requireAnalyzer;
  if (!isRequired || draft.isWrong('analyzer.url')) return false;
  if (begun !== undefined) draft.need('analyzer.url', url?.where([]) ?? begun, 'is needed to poll an analyzer');
  else draft.problems.push({ key: '', where: 'configuration', message: HOW_TO_CONFIGURE });
  return false;
}

/** Where its logons are counted must be a place to write to: without the count none is sent. */
function checkLogonFile(draft: Draft, file: string | undefined): void {
  if (file === undefined) return;
  const problem = directoryProblem(dirname(file));
  if (problem !== undefined) draft.refuse('analyzer.logon_file', problem);
}

/** Reports what is wrong, and what is missing when an analyzer must be configured. */
export function analyzerOf(draft: Draft): AnalyzerConfig | undefined {
  if (!hasAnalyzer(draft)) return undefined;
  const { username, domain } = accountOf(draft);
  const need = (key: SettingKey, message: string): void =>
    draft.need(key, (draft.given(key) ?? draft.given('analyzer.url'))?.where([]), message);
  if (username === '') need('analyzer.username', 'is needed with analyzer.url');
  const found = findPassword(draft);
  if (found === undefined && !draft.isWrong('analyzer.password')) {
    need('analyzer.password_file', 'is needed with analyzer.url, or LICENSE_EXPORTER_ANALYZER_PASSWORD');
  }
  const logonFile = draft.pathOf('analyzer.logon_file');
  checkLogonFile(draft, logonFile);
  const section = draft.section('analyzer');
  const tls = draft.readTls({
    ca: draft.reference('analyzer.tls.ca_file'),
    cert: draft.reference('analyzer.tls.cert_file'),
    key: draft.reference('analyzer.tls.key_file'),
  });
  const { serverName, insecureSkipVerify } = section.tls;
  return {
    ...section,
    username,
    domain,
    url: section.url ?? '',
    password: found?.password ?? new Secret(''),
    passwordFile: found?.file,
    logonFile,
    tls: { ...tls, serverName, insecureSkipVerify },
  };
}
