import { statSync } from 'node:fs';
import { validateHeaderValue } from 'node:http';
import { dirname } from 'node:path';
import { z } from 'zod';
import { Given } from './given.ts';
import { ConfigError, inOrder, type Problem } from './problems.ts';
import type { Secret } from './secret.ts';
import { Sheet } from './sheet.ts';
import { recordOf } from './structures.ts';
import { createTable, type Setting } from './table.ts';
import { anyText, boolean, isNot, oneOf } from './values.ts';

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
const versions = Object.keys(tlsVersions) as (keyof typeof tlsVersions)[];

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
  /** Things to tell the operator that are no errors. */
  readonly warnings: readonly string[];
}

// what they say is not repeated: it may be a password that was not hashed
const bcryptHash = z
  .string({ error: 'the hash of this user is not a text' })
  .regex(/^\$2[aby]\$(0[4-9]|1\d|2[0-9]|3[01])\$[./A-Za-z0-9]{53}$/, {
    error: 'the hash of this user is not bcrypt; make the line with "license-exporter hash-password NAME"',
  });

const userName = z.string().regex(/^[^:]+$/, { error: 'a user name is empty or has a colon in it' });

const isHeaderValue = (value: string): boolean => {
  try {
    validateHeaderValue('header', value);
    return true;
  } catch {
    return false;
  }
};

const file = anyText.optional();
const header = z
  .string({ error: isNot('a text') })
  .regex(/^[^\r\n]*$/, { error: 'is more than one line', abort: true })
  .refine(isHeaderValue, { error: 'has characters that a header cannot have' })
  .optional();

const sections = {
  basic_auth_users: recordOf(userName, bcryptHash, 'a map of users', 'a user cannot have this name')
    .prefault({})
    .describe('Users: a bcrypt hash by name, as `license-exporter hash-password` prints it.'),
  tls_server_config: z.strictObject({
    cert_file: file.describe('Certificate in PEM.'),
    key_file: file.describe('Its key.'),
    client_ca_file: file.describe('Certificates of the authorities that sign clients.'),
    client_auth_type: oneOf(...clientAuthTypes)
      .prefault('NoClientCert')
      .describe(`Which certificate clients need: ${clientAuthTypes.join(', ')}.`),
    min_version: oneOf(...versions)
      .prefault('TLS12')
      .describe('Lowest version of TLS: TLS10, TLS11, TLS12 (default), TLS13.'),
    max_version: oneOf(...versions)
      .prefault('TLS13')
      .describe('Highest version of TLS, TLS13 by default.'),
    prefer_server_cipher_suites: boolean.optional().describe('Accepted without effect.'),
  }),
  http_server_config: z.strictObject({
    http2: boolean.optional().describe('Accepted without effect: HTTP/1.1 is served.'),
    headers: z.strictObject({
      'Content-Security-Policy': header.describe('Added to every answer, like the other headers.'),
      'X-Frame-Options': header.describe('`deny` or `sameorigin`.'),
      'X-Content-Type-Options': header.describe('`nosniff`.'),
      'X-XSS-Protection': header.describe('For old browsers.'),
      'Strict-Transport-Security': header.describe('For how long browsers insist on HTTPS.'),
    }),
  }),
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

const table = createTable(sections, (key) => {
  const name = key.replace(/^tls_server_config\./, '');
  const remedy = Object.hasOwn(notOffered, name) ? notOffered[name] : undefined;
  return remedy === undefined ? undefined : `is not offered: ${remedy}`;
});

/** What every key means, by its path in the file. Files are meant relative to it. */
export const webConfigKeys: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<Setting>(table.settings).map(([key, { description }]) => [key, description]),
);

type WebSheet = Sheet<typeof sections>;

/** Settings of TLS that must fit together. */
function checkTls(sheet: WebSheet): void {
  const ca = 'tls_server_config.client_ca_file';
  const auth = 'tls_server_config.client_auth_type';
  const clientAuth = sheet.value(auth);
  if (sheet.value(ca) && clientAuth === 'NoClientCert' && !sheet.isWrong(auth)) {
    sheet.refuse(ca, 'has no effect without client_auth_type, RequireAndVerifyClientCert for instance');
  }
  if (!sheet.value(ca) && !sheet.isWrong(ca) && clientAuth?.includes('Verify')) {
    sheet.refuse(auth, `${clientAuth} needs client_ca_file`);
  }
  const [min, max] = [sheet.value('tls_server_config.min_version'), sheet.value('tls_server_config.max_version')];
  if (min !== undefined && max !== undefined && versions.indexOf(min) > versions.indexOf(max)) {
    const isMin = sheet.given('tls_server_config.min_version') !== undefined;
    sheet.refuse(`tls_server_config.${isMin ? 'min' : 'max'}_version`, 'min_version is above max_version');
  }
}

function tlsOf(sheet: WebSheet): WebTls | undefined {
  if (sheet.firstOf('tls_server_config') === undefined) return undefined;
  checkTls(sheet);
  const reference = (key: `tls_server_config.${'cert' | 'key' | 'client_ca'}_file`) => {
    const found = sheet.reference(key);
    return { ...found, file: found.file || undefined };
  };
  const [certFile, keyFile] = [reference('tls_server_config.cert_file'), reference('tls_server_config.key_file')];
  const hasNone = certFile.file === undefined && keyFile.file === undefined;
  if (hasNone && !sheet.isWrong(keyFile.key))
    sheet.need(certFile.key, sheet.placeOf('tls_server_config'), 'and key_file are needed for TLS');
  const { ca, cert, key } = sheet.readTls({
    ca: reference('tls_server_config.client_ca_file'),
    cert: certFile,
    key: keyFile,
  });
  const clientAuth = sheet.value('tls_server_config.client_auth_type');
  const [min, max] = [sheet.value('tls_server_config.min_version'), sheet.value('tls_server_config.max_version')];
  if (cert === undefined || key === undefined || !clientAuth || !min || !max) return undefined;
  return { cert, key, clientCa: ca, clientAuth, minVersion: tlsVersions[min], maxVersion: tlsVersions[max] };
}

function headersOf(sheet: WebSheet): WebConfig['headers'] {
  const prefix = 'http_server_config.headers.';
  const keys = table.keys.filter((key) => key.startsWith(prefix));
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value: unknown = sheet.value(key);
      return typeof value === 'string' ? [[key.slice(prefix.length), value]] : [];
    }),
  );
}

/** The line says which user is meant. */
const withoutUser = (problem: Problem): Problem =>
  problem.key.startsWith('basic_auth_users.') ? { ...problem, key: 'basic_auth_users' } : problem;

/**
 * Reads a web config and the files it names.
 *
 * @throws ConfigError with everything that is wrong, each with its line, and never a secret or the name of a user
 */
export function readWebConfig(path: string): WebConfig {
  const own = stampOf(path);
  const given = new Given(table);
  given.addFile(path, path);
  const sheet = new Sheet(table, given, { folder: dirname(path) });
  const files = [
    'tls_server_config.cert_file',
    'tls_server_config.key_file',
    'tls_server_config.client_ca_file',
  ] as const;
  const paths = files.flatMap((key) => (sheet.value(key) ? (sheet.pathOf(key) ?? []) : []));
  const stamps = [own, ...paths.map(stampOf)];
  const tls = tlsOf(sheet);
  const users = new Map(Object.entries(sheet.value('basic_auth_users') ?? {}));
  if (sheet.problems.length > 0) throw new ConfigError(inOrder(sheet.problems.map(withoutUser)));
  return { tls, headers: headersOf(sheet), users, stamps, warnings: [...sheet.warnings] };
}

const stampOf = (path: string): Stamp => [path, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0];

/** Whether something that a web config was read from has changed since. */
export const hasChanged = ({ stamps }: WebConfig): boolean =>
  stamps.some(([path, changed]) => stampOf(path)[1] !== changed);
