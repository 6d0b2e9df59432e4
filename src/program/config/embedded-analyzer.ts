import { dirname } from 'node:path';
import type { AnalyzerAccount } from '../../analyzer/settings.ts';
import { managerNames, managers } from '../../analyzer/sources/managers.ts';
import { managersWith, ownKeys, type SourceEntry } from '../../analyzer/sources/settings.ts';
import type { SourceConfig } from '../../analyzer/sources/source-settings.ts';
import { type TlsRole, tryTls } from '../../base/files/certificates.ts';
import { directoryProblem, isDirectory, readPasswordFile, readText } from '../../base/files/named-files.ts';
import { type AnalyzerConfig, analyzer as analyzerSection } from '../../base/settings/analyzer.ts';
import { camel } from '../../base/settings/camel.ts';
import { Secret } from '../../base/settings/secret.ts';
import { sectionDefaults } from '../../base/settings/table.ts';
import type { TlsFiles } from './checked-settings.ts';
import type { Config } from './config.ts';
import type { ConfigSettings } from './config-settings.ts';
import { ConfigError } from './problems.ts';
import { pathsIn, type WrittenSource, writtenSources } from './source-entries.ts';
import { accountOf } from './upstream-analyzer.ts';
import { parseUsersFile } from './users-file.ts';

/** The embedded analyzer: its users, and its sources, complete and checked, with the accounts of those that are other analyzers. */

/** Reads and checks the files, which are absolute paths. */
function readSourceTls(
  settings: ConfigSettings,
  files: Readonly<Record<TlsRole, string | undefined>>,
  refuse: (role: TlsRole, message: string) => void,
): TlsFiles {
  const textOf = (role: TlsRole): string | undefined => {
    const file = files[role];
    if (file === undefined) return undefined;
    const found = readText(file);
    if ('text' in found) return found.text;
    refuse(role, `${file} ${found.why}`);
    return undefined;
  };
  if (files.cert !== undefined && files.key === undefined) refuse('cert', 'needs key_file too');
  if (files.key !== undefined && files.cert === undefined) refuse('key', 'needs cert_file too');
  const pem = { ca: textOf('ca'), cert: textOf('cert'), key: textOf('key') };
  for (const { role, message, isWarning } of tryTls(pem, Date.now())) {
    const text = `${files[role]} ${message}`;
    if (isWarning) settings.warnings.add(text);
    else refuse(role, text);
  }
  return { ...pem, key: pem.key === undefined ? undefined : new Secret(pem.key), files };
}

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
function analyzerOfSource(
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
    ...sectionDefaults(analyzerSection),
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

const MINUTE = 60;
const DEFAULT_INTERVAL = 5 * MINUTE;
const DEFAULT_TIMEOUT = MINUTE;
/** 150,000 checkouts of FlexNet. More takes gigabytes of memory, and is rather a tool that does not stop. */
const DEFAULT_MAX_OUTPUT = 16 * 2 ** 20;
/** Two collections must fit into the 30 minutes after which a server without data counts as down. */
const MAX_TOGETHER = 14 * MINUTE;
const DEFAULT_LINGER = 3600;

/** Values of the source before those of the defaults; of maps, each key. */
function withDefaults(entry: SourceEntry, defaults: SourceEntry): SourceEntry {
  const merged: Record<string, unknown> = { ...defaults, ...entry };
  for (const key of ['env', 'features', 'users', 'borrow'] as const) {
    if (entry[key] !== undefined && defaults[key] !== undefined) merged[key] = { ...defaults[key], ...entry[key] };
  }
  return merged;
}

/** Reports what is missing or does not fit together. */
function check(written: WrittenSource, entry: SourceEntry): void {
  const { refuse } = written;
  const { name, manager, servers = [], via, interval = DEFAULT_INTERVAL, timeout = DEFAULT_TIMEOUT } = entry;
  if (name === undefined) refuse('name is required');
  const definition = manager && managers[manager];
  if (manager === undefined) refuse(`manager is required: ${managerNames.join(', ').replace(/, (\w+)$/, ' or $1')}`);
  if (via === undefined && definition?.needsVia(entry) !== false) {
    refuse('via is required: how it is read, for example "via: {command: /opt/flexlm/lmutil}"');
  }
  if (via?.analyzer !== undefined && manager !== 'query-api') {
    refuse('belongs to "manager: query-api"', ['via', 'analyzer']);
  }
  const problem = definition?.serversProblem(servers);
  if (problem !== undefined) refuse(problem.message, problem.isOfList ? ['servers'] : []);
  if (interval + timeout > MAX_TOGETHER) {
    refuse('interval and timeout together are more than 14m, so a short failure would look like a server down', [
      entry.interval === undefined ? 'timeout' : 'interval',
    ]);
  }
  for (const key of Object.keys(ownKeys)) {
    const owners = managersWith(key);
    if (manager === undefined || owners.includes(manager) || !(camel(key) in entry)) continue;
    refuse(`belongs to ${owners.join(', ')}`, [key]);
  }
}

function viaOf(
  settings: ConfigSettings,
  written: WrittenSource,
  { via, env = {}, interval = DEFAULT_INTERVAL, timeout = DEFAULT_TIMEOUT }: SourceEntry,
): SourceConfig['via'] {
  if (via?.analyzer !== undefined) {
    const client = analyzerOfSource(settings, written, via.analyzer, timeout);
    return { kind: 'analyzer', url: client.url, client };
  }
  if (via?.command !== undefined) return { kind: 'command', command: via.command, env };
  if (via?.file !== undefined) {
    return { kind: 'file', file: via.file, maxAge: via.max_age ?? 2 * interval };
  }
  if (via?.http === undefined) return undefined;
  const { refuse } = written;
  const { caFile, certFile, keyFile, serverName, insecureSkipVerify = false } = via.tls ?? {};
  const tls = readSourceTls(settings, { ca: caFile, cert: certFile, key: keyFile }, (role, message) =>
    refuse(message, ['via', 'tls', `${role}_file`]),
  );
  const tokenFile = via.token_file;
  checkToken(settings, tokenFile, (message) => refuse(message, ['via', 'token_file']));
  return { kind: 'http', url: via.http, tokenFile, tls: { ...tls, serverName, insecureSkipVerify } };
}

function checkToken(settings: ConfigSettings, file: string | undefined, refuse: (message: string) => void): void {
  if (file === undefined) return;
  const found = readText(file);
  if ('why' in found) refuse(`${file} ${found.why}`);
  else if (found.text.trim() === '') refuse(`${file} is empty`);
  else settings.warnOfReaders(file);
}

function complete(
  settings: ConfigSettings,
  written: WrittenSource,
  entry: SourceEntry,
  timeZone: string,
): SourceConfig {
  const { name = '', manager = 'json', servers = [], features, users, borrow } = entry;
  return {
    name,
    manager,
    servers,
    part: entry.part ?? '',
    daemons: entry.daemons ?? [],
    via: viaOf(settings, written, entry),
    interval: entry.interval ?? DEFAULT_INTERVAL,
    timeout: entry.timeout ?? DEFAULT_TIMEOUT,
    maxOutput: entry.maxOutput ?? DEFAULT_MAX_OUTPUT,
    encoding: entry.encoding,
    timeZone: entry.timeZone ?? (entry.via?.command === undefined ? timeZone : 'UTC'),
    calendarZone: timeZone,
    ...managers[manager].settings.complete(entry, timeZone),
    features: {
      include: features?.include ?? [],
      exclude: features?.exclude ?? [],
      dropUnsupported: features?.dropUnsupported ?? true,
    },
    users: { names: users?.names ?? 'keep', split: users?.split ?? 'auto' },
    borrow: { lingerAtLeast: borrow?.lingerAtLeast ?? DEFAULT_LINGER },
  };
}

/** Names, and servers that two sources would both ask. */
function checkTogether(found: readonly { readonly source: SourceConfig; readonly written: WrittenSource }[]): void {
  const names = new Set<string>();
  const servers = new Map<string, string>();
  for (const { source, written } of found) {
    const { name, part, servers: own } = source;
    if (name !== '' && names.has(name)) written.refuse(`another source has the name ${name}`, ['name']);
    names.add(name);
    for (const server of own) {
      const key = `${server};${part}`;
      const other = servers.get(key);
      if (other !== undefined && other !== name) {
        written.refuse(`${server} is a server of the source ${other} too; give one of them another part`, ['servers']);
      }
      servers.set(key, name);
    }
  }
}

/** Where a part is written: in the source, or in the defaults. */
function placesOf(settings: ConfigSettings, { entry, where }: WrittenSource): (path: readonly PropertyKey[]) => string {
  return (path) => {
    const isOwn = path.slice(0, 2).reduce<unknown>((map, name) => Object(map)[name], entry) !== undefined;
    return isOwn ? where(path) : (settings.rawSetting('embedded_analyzer.source_defaults')?.where(path) ?? where(path));
  };
}

/** The configured sources. Reports their problems. */
function sourcesOf(settings: ConfigSettings, timeZone: string): readonly SourceConfig[] {
  const asWritten = settings.value('embedded_analyzer.source_defaults');
  // with unknown defaults, sources would lack what is written there
  if (asWritten === undefined) return [];
  const defaults = pathsIn(settings.folder, asWritten);
  const found = writtenSources(settings).map((written) => {
    const entry = withDefaults(written.entry, defaults);
    check(written, entry);
    settings.sourcePlaces.set(entry.name ?? '', placesOf(settings, written));
    return { written, source: complete(settings, written, entry, timeZone) };
  });
  checkTogether(found);
  return found.map(({ source }) => source);
}

const USERS = 'embedded_analyzer.users_file';

const NO_USERS =
  'embedded_analyzer.listen_address is set, but nobody can log on there: set embedded_analyzer.users_file too, or remove the address';
const NOT_LISTENING =
  'embedded_analyzer.users_file has users, but serve does not listen for them: set embedded_analyzer.listen_address, for example to 127.0.0.1:10320';

function usersOf(settings: ConfigSettings): readonly AnalyzerAccount[] | undefined {
  const text = settings.readSecretFile(settings.reference(USERS));
  if (text === undefined) return undefined;
  try {
    return parseUsersFile(text, settings.pathOf(USERS) ?? '');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    settings.problems.push(...error.problems.map((problem) => ({ ...problem, key: USERS })));
    return undefined;
  }
}

/** The configuration of the embedded analyzer, with the content of its files. @param timeZone of its days */
export function embeddedOf(settings: ConfigSettings, timeZone: string): Config['embeddedAnalyzer'] {
  const references = {
    cert: settings.reference('embedded_analyzer.tls.cert_file'),
    key: settings.reference('embedded_analyzer.tls.key_file'),
  };
  const { cert, key } = settings.readTls(references);
  const hasTls = references.cert.file !== undefined || references.key.file !== undefined;
  const binding = 'embedded_analyzer.channel_binding';
  if (settings.value(binding) === 'require' && !hasTls && !settings.isInvalid('embedded_analyzer.tls.cert_file')) {
    settings.refuse(binding, 'require needs TLS; set embedded_analyzer.tls.cert_file and key_file, or allow');
  }
  const {
    listenAddress,
    usersFile: _,
    sourceDefaults: __,
    sourceFiles: ___,
    site,
    timeZone: ____,
    ...section
  } = settings.section('embedded_analyzer');
  const users = usersOf(settings);
  const sources = sourcesOf(settings, timeZone);
  if (sources.length > 0 && (listenAddress === undefined) !== (users === undefined)) {
    settings.warnings.add(listenAddress === undefined ? NOT_LISTENING : NO_USERS);
  }
  return {
    ...section,
    ...site,
    listen: listenAddress,
    users,
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    sources,
    timeZone,
  };
}
