import { suggest } from '../problems.ts';
import { baseUrl, boolean, duration, oneOf, type Parse, text, ValueError } from '../values.ts';

/** `alerting.alertmanagers`, in the words of Prometheus' configuration. */

/** One Alertmanager, before the files it names have been read. */
export interface AlertmanagerEntry {
  /** Without a slash at the end. */
  readonly url: string;
  /** Seconds. */
  readonly timeout: number;
  readonly basicAuth: { readonly username: string; readonly passwordFile: string } | undefined;
  readonly authorization: { readonly type: string; readonly credentialsFile: string } | undefined;
  readonly tls: {
    readonly caFile: string | undefined;
    readonly certFile: string | undefined;
    readonly keyFile: string | undefined;
    readonly serverName: string | undefined;
    readonly insecureSkipVerify: boolean;
  };
}

type Entries = Readonly<Record<string, unknown>>;

function mapOf(raw: unknown, known: readonly string[], secrets: readonly string[] = []): Entries {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new ValueError('is not a map');
  for (const key of Object.keys(raw)) {
    if (secrets.includes(key)) throw new ValueError(`${key}: a secret must not stand in the file; use ${key}_file`);
    if (!known.includes(key))
      throw new ValueError(`unknown key ${key}${suggest(key, known)}; there are ${known.join(', ')}`);
  }
  return raw as Entries;
}

/** Reads a key of a map; what is wrong is told with its name. */
function read<T>(entries: Entries, key: string, parse: Parse<T>): T | undefined {
  if (entries[key] === undefined) return undefined;
  try {
    return parse(entries[key]);
  } catch (error) {
    throw error instanceof ValueError ? new ValueError(`${key}: ${error.message}`) : error;
  }
}

function need<T>(value: T | undefined, key: string): T {
  if (value === undefined) throw new ValueError(`${key} is needed`);
  return value;
}

const basicAuth: Parse<NonNullable<AlertmanagerEntry['basicAuth']>> = (raw) => {
  const entries = mapOf(raw, ['username', 'password_file'], ['password']);
  return {
    username: need(read(entries, 'username', text), 'username'),
    passwordFile: need(read(entries, 'password_file', text), 'password_file'),
  };
};

const authorization: Parse<NonNullable<AlertmanagerEntry['authorization']>> = (raw) => {
  const entries = mapOf(raw, ['type', 'credentials_file'], ['credentials']);
  return {
    type: read(entries, 'type', text) ?? 'Bearer',
    credentialsFile: need(read(entries, 'credentials_file', text), 'credentials_file'),
  };
};

const tlsConfig: Parse<AlertmanagerEntry['tls']> = (raw) => {
  const entries = mapOf(raw, ['ca_file', 'cert_file', 'key_file', 'server_name', 'insecure_skip_verify'], ['key']);
  return {
    caFile: read(entries, 'ca_file', text),
    certFile: read(entries, 'cert_file', text),
    keyFile: read(entries, 'key_file', text),
    serverName: read(entries, 'server_name', text),
    insecureSkipVerify: read(entries, 'insecure_skip_verify', boolean) ?? false,
  };
};

const target: Parse<string> = (raw) => {
  const value = text(raw);
  if (/^(?:\[[0-9a-fA-F:.]+\]|[^:/\s[\]@]+):\d{1,5}$/.test(value)) return value;
  throw new ValueError(`${JSON.stringify(value)} is not a target such as alertmanager:9093`);
};

function listIn<T>(raw: unknown, parse: Parse<T>): readonly T[] {
  if (!Array.isArray(raw)) throw new ValueError('is not a list');
  return raw.map((item) => parse(item));
}

const targetsOf: Parse<readonly string[]> = (raw) =>
  listIn(raw, (group) =>
    need(
      read(mapOf(group, ['targets']), 'targets', (list) => listIn(list, target)),
      'targets',
    ),
  ).flat();

const pathPrefix: Parse<string> = (raw) => {
  const value = text(raw);
  if (!value.startsWith('/') || /[?#\s]/.test(value))
    throw new ValueError(`${JSON.stringify(value)} is not a path such as /am`);
  return value.replace(/\/+$/, '');
};

const plain: Omit<AlertmanagerEntry, 'url'> = {
  timeout: 10,
  basicAuth: undefined,
  authorization: undefined,
  tls: tlsConfig({}),
};

const url = baseUrl('http://alertmanager:9093', 'write an entry with basic_auth in the file');

const keys = [
  'scheme',
  'path_prefix',
  'timeout',
  'api_version',
  'basic_auth',
  'authorization',
  'tls_config',
  'static_configs',
];

function entriesOf(raw: unknown): readonly AlertmanagerEntry[] {
  if (typeof raw === 'string') return [{ ...plain, url: url(raw) }];
  const entries = mapOf(raw, keys);
  read(entries, 'api_version', oneOf('v2'));
  const scheme = read(entries, 'scheme', oneOf('http', 'https')) ?? 'http';
  const prefix = read(entries, 'path_prefix', pathPrefix) ?? '';
  const common = {
    timeout: read(entries, 'timeout', duration(0.1, 600)) ?? plain.timeout,
    basicAuth: read(entries, 'basic_auth', basicAuth),
    authorization: read(entries, 'authorization', authorization),
    tls: read(entries, 'tls_config', tlsConfig) ?? plain.tls,
  };
  if (common.basicAuth !== undefined && common.authorization !== undefined) {
    throw new ValueError('basic_auth and authorization exclude each other');
  }
  const { certFile, keyFile } = common.tls;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new ValueError('tls_config: cert_file and key_file belong together');
  }
  const targets = need(read(entries, 'static_configs', targetsOf), 'static_configs');
  return targets.map((name) => ({ ...common, url: `${scheme}://${name}${prefix}` }));
}

/** A list of entries as in Prometheus' configuration, or of URLs; from environment and flags a text with commas. */
export const alertmanagerList: Parse<readonly AlertmanagerEntry[]> = (raw) => {
  const list: unknown = typeof raw === 'string' ? raw.split(',').filter((item) => item.trim() !== '') : (raw ?? []);
  if (!Array.isArray(list)) throw new ValueError('is not a list of Alertmanagers');
  const all = list.flatMap((item) => entriesOf(typeof item === 'string' ? item.trim() : item));
  const twice = all.find(({ url }, i) => all.findIndex((other) => other.url === url) !== i);
  if (twice !== undefined) throw new ValueError(`names ${twice.url} twice`);
  return all;
};
