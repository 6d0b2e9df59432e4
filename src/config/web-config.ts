import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { parse } from 'yaml';
import { readText } from './draft.ts';
import { suggest } from './problems.ts';
import { Secret } from './secret.ts';
import { ValueError } from './values.ts';

/** The web config file of the Prometheus exporter-toolkit: TLS and users of the HTTP front. */

const clientAuthTypes = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;
export type ClientAuthType = (typeof clientAuthTypes)[number];

const tlsVersions = { TLS10: 'TLSv1', TLS11: 'TLSv1.1', TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;
type TlsVersion = (typeof tlsVersions)[keyof typeof tlsVersions];

export interface WebTls {
  /** PEM. */
  readonly cert: string;
  readonly key: Secret;
  readonly clientCa: string | undefined;
  readonly clientAuth: ClientAuthType;
  readonly minVersion: TlsVersion;
  readonly maxVersion: TlsVersion;
}

type Stamp = readonly [path: string, changed: number];

export interface WebConfig {
  readonly tls: WebTls | undefined;
  /** Added to every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** bcrypt hashes by name; with none everybody may ask. */
  readonly users: ReadonlyMap<string, string>;
  /** Everything that was read, and when it had been changed before. */
  readonly stamps: readonly Stamp[];
}

/** Every key, by its path in the file. Files are meant relative to it. */
export const webConfigKeys = {
  basic_auth_users: 'Users: a bcrypt hash by name, as `license-exporter hash-password` prints it.',
  'tls_server_config.cert_file': 'Certificate in PEM.',
  'tls_server_config.key_file': 'Its key.',
  'tls_server_config.client_ca_file': 'Certificates of the authorities that sign clients.',
  'tls_server_config.client_auth_type': `Which certificate clients need: ${clientAuthTypes.join(', ')}.`,
  'tls_server_config.min_version': 'Lowest version of TLS: TLS10, TLS11, TLS12 (default), TLS13.',
  'tls_server_config.max_version': 'Highest version of TLS, TLS13 by default.',
  'tls_server_config.prefer_server_cipher_suites': 'Accepted without effect.',
  'http_server_config.http2': 'Accepted without effect: HTTP/1.1 is served.',
  'http_server_config.headers.Content-Security-Policy': 'Added to every answer, like the other headers.',
  'http_server_config.headers.X-Frame-Options': '`deny` or `sameorigin`.',
  'http_server_config.headers.X-Content-Type-Options': '`nosniff`.',
  'http_server_config.headers.X-XSS-Protection': 'For old browsers.',
  'http_server_config.headers.Strict-Transport-Security': 'For how long browsers insist on HTTPS.',
} as const;

/** What the toolkit knows and this program does not do: silence would look like protection. */
export const notOffered: Readonly<Record<string, string>> = {
  rate_limit: 'put a reverse proxy in front for it',
  client_allowed_sans: 'let client_ca_file sign only the clients that may ask',
  cipher_suites: 'min_version TLS13 leaves only strong ones',
  curve_preferences: 'leave it out',
  cert: 'write cert_file',
  key: 'secrets are never inline, write key_file',
  client_ca: 'write client_ca_file',
};

/** The keys right below one. */
function keysBelow(path: string): readonly string[] {
  const prefix = path === '' ? '' : `${path}.`;
  const below = Object.keys(webConfigKeys).filter((key) => key.startsWith(prefix));
  return [...new Set(below.map((key) => key.slice(prefix.length).split('.', 1)[0] ?? ''))];
}

type Section = Readonly<Record<string, unknown>>;

/** A map of the file, whose keys are all known. */
function section(raw: unknown, path: string): Section {
  const name = path.split('.').at(-1) || 'the file';
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) throw new ValueError(`${name} is not a map`);
  const names = keysBelow(path);
  for (const key of Object.keys(raw)) {
    if (names.includes(key)) continue;
    const remedy = notOffered[key];
    if (remedy !== undefined) throw new ValueError(`${key} is not offered: ${remedy}`);
    throw new ValueError(`unknown key ${key}${suggest(key, names)}; ${name} knows ${names.join(', ')}`);
  }
  return raw as Section;
}

function choice<T extends string>(raw: unknown, name: string, allowed: readonly T[], fallback: T): T {
  if (raw === undefined) return fallback;
  const found = allowed.find((value) => value === raw);
  if (found === undefined) throw new ValueError(`${name} is ${JSON.stringify(raw)}, not one of ${allowed.join(', ')}`);
  return found;
}

/** The text of a file that the web config names, relative to it. */
function fileOf(raw: unknown, name: string, folder: string, stamps: Stamp[]): string | undefined {
  if (raw === undefined || raw === '') return undefined;
  if (typeof raw !== 'string') throw new ValueError(`${name} is not a path`);
  const path = resolve(folder, raw);
  stamps.push(stampOf(path));
  const read = readText(path);
  if ('why' in read) throw new ValueError(`${name}: ${path} ${read.why}`);
  return read.text;
}

function tlsOf(raw: unknown, folder: string, stamps: Stamp[]): WebTls | undefined {
  const settings = section(raw, 'tls_server_config');
  if (Object.keys(settings).length === 0) return undefined;
  const cert = fileOf(settings.cert_file, 'cert_file', folder, stamps);
  const key = fileOf(settings.key_file, 'key_file', folder, stamps);
  const clientCa = fileOf(settings.client_ca_file, 'client_ca_file', folder, stamps);
  if (cert === undefined || key === undefined) {
    throw new ValueError('tls_server_config needs cert_file and key_file');
  }
  const clientAuth = choice(settings.client_auth_type, 'client_auth_type', clientAuthTypes, 'NoClientCert');
  if (clientCa !== undefined && clientAuth === 'NoClientCert') {
    throw new ValueError(
      'client_ca_file has no effect without client_auth_type, RequireAndVerifyClientCert for instance',
    );
  }
  if (clientCa === undefined && /Verify/.test(clientAuth)) throw new ValueError(`${clientAuth} needs client_ca_file`);
  const versions = Object.keys(tlsVersions) as (keyof typeof tlsVersions)[];
  const min = choice(settings.min_version, 'min_version', versions, 'TLS12');
  const max = choice(settings.max_version, 'max_version', versions, 'TLS13');
  if (versions.indexOf(min) > versions.indexOf(max)) throw new ValueError('min_version is above max_version');
  const tls = { clientCa, clientAuth, minVersion: tlsVersions[min], maxVersion: tlsVersions[max] };
  try {
    createSecureContext({ cert, key, ...(clientCa !== undefined && { ca: clientCa }) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ValueError(
      `cert_file, key_file or client_ca_file is no PEM, or the key is not the certificate's (${code})`,
    );
  }
  return { cert, key: new Secret(key), ...tls };
}

const texts = (raw: Section, what: string): [string, string][] =>
  Object.entries(raw).map(([name, value]) => {
    if (typeof value !== 'string' || /[\r\n]/.test(value)) throw new ValueError(`${what} ${name} is not a text`);
    return [name, value];
  });

function usersOf(raw: unknown): ReadonlyMap<string, string> {
  if (raw === undefined || raw === null) return new Map();
  if (typeof raw !== 'object' || Array.isArray(raw)) throw new ValueError('basic_auth_users is not a map');
  for (const [name, hash] of texts(raw as Section, 'the hash of user')) {
    if (name === '' || name.includes(':')) throw new ValueError('a user name is empty or has a colon in it');
    // what it says is not repeated: it may be a password that was not hashed
    if (!/^\$2[aby]\$(0[4-9]|1\d|2[0-9]|3[01])\$[./A-Za-z0-9]{53}$/.test(hash)) {
      throw new ValueError(
        `the hash of user ${name} is not bcrypt; make it with "license-exporter hash-password ${name}"`,
      );
    }
  }
  return new Map(texts(raw as Section, 'the hash of user'));
}

/**
 * Reads a web config and the files it names.
 *
 * @throws ValueError that names the file, what is wrong, and never a secret
 */
export function readWebConfig(path: string): WebConfig {
  try {
    const stamps = [stampOf(path)];
    const read = readText(path);
    if ('why' in read) throw new ValueError(read.why);
    let document: unknown;
    try {
      document = parse(read.text, { prettyErrors: false });
    } catch (error) {
      throw new ValueError(`not valid YAML: ${(error as Error).message.split('\n', 1)[0]}`);
    }
    const root = section(document, '');
    const http = section(root.http_server_config, 'http_server_config');
    const tls = tlsOf(root.tls_server_config, dirname(path), stamps);
    const headers = Object.fromEntries(texts(section(http.headers, 'http_server_config.headers'), 'the header'));
    return { tls, headers, users: usersOf(root.basic_auth_users), stamps };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ValueError(`${path}: ${error.message}`);
  }
}

const stampOf = (path: string): Stamp => [path, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0];

/** Whether something that a web config was read from has changed since. */
export const hasChanged = ({ stamps }: WebConfig): boolean =>
  stamps.some(([path, changed]) => stampOf(path)[1] !== changed);
