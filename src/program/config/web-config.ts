import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Secret } from '../../base/settings/secret.ts';
import { recordOf } from '../../base/settings/structures.ts';
import { createTable, type Setting } from '../../base/settings/table.ts';
import { anyText, boolean, isNot, oneOf } from '../../base/settings/values.ts';
import { CheckedSettings } from './checked-settings.ts';
import { ConfigError, inOrder, type Problem } from './problems.ts';
import { RawSettings } from './raw-settings.ts';
import { yaml } from './yaml-source.ts';

/** The web config file of the Prometheus exporter-toolkit: TLS and users of the HTTP server. */

const clientAuthTypes = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;
/** When a client must show a certificate, by the names of the exporter-toolkit. */
export type ClientAuthType = (typeof clientAuthTypes)[number];

const tlsVersions = { TLS10: 'TLSv1', TLS11: 'TLSv1.1', TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;
type TlsVersion = (typeof tlsVersions)[keyof typeof tlsVersions];
const versions = Object.keys(tlsVersions) as (keyof typeof tlsVersions)[];

/** The certificate of the listener, and whose certificates it accepts. */
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

/** The web config of the exporter-toolkit, checked and with its files read. */
export interface WebConfig {
  readonly tls: WebTls | undefined;
  /** Added to every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** bcrypt hashes by name. Without users, no authentication is required. */
  readonly users: ReadonlyMap<string, string>;
  /** The files that were read, with their modification times. */
  readonly stamps: readonly Stamp[];
  /** Messages to the operator that are not errors. */
  readonly warnings: readonly string[];
}

// the value is not repeated: it may be a password that was not hashed
const bcryptHash = z
  .string({ error: 'the hash of this user is not a string' })
  .regex(/^\$2[aby]\$(0[4-9]|1\d|2[0-9]|3[01])\$[./A-Za-z0-9]{53}$/, {
    error: 'the hash of this user is not bcrypt; create the line with "license-exporter hash-password NAME"',
  });

const userName = z.string().regex(/^[^:]+$/, { error: 'a user name is empty or contains a colon' });

const isHeaderValue = (value: string): boolean => {
  try {
    // an import of node:http loads the fetch of Node too
    process.getBuiltinModule('node:http').validateHeaderValue('header', value);
    return true;
  } catch {
    return false;
  }
};

const filePath = anyText.optional();
const header = z
  .string({ error: isNot('a string') })
  .regex(/^[^\r\n]*$/, { error: 'is more than one line', abort: true })
  .refine(isHeaderValue, { error: 'has characters that a header cannot have' })
  .optional();

const sections = {
  basic_auth_users: recordOf(
    userName,
    bcryptHash,
    () => 'is not a map of users and hashes',
    'a user cannot have this name',
  )
    .prefault({})
    .describe('Users: a bcrypt hash by name, as `license-exporter hash-password` prints it.'),
  tls_server_config: z.strictObject({
    cert_file: filePath.describe('Certificate in PEM.'),
    key_file: filePath.describe('Its key.'),
    client_ca_file: filePath.describe('CA certificates of the client certificates.'),
    client_auth_type: oneOf(...clientAuthTypes)
      .prefault('NoClientCert')
      .describe(`Which client certificate is required: ${clientAuthTypes.join(', ')}.`),
    min_version: oneOf(...versions)
      .prefault('TLS12')
      .describe('Lowest version of TLS: TLS10, TLS11, TLS12 (default), TLS13.'),
    max_version: oneOf(...versions)
      .prefault('TLS13')
      .describe('Highest version of TLS, TLS13 by default.'),
    prefer_server_cipher_suites: boolean.optional().describe('Accepted, but without effect.'),
  }),
  http_server_config: z.strictObject({
    http2: boolean.optional().describe('Accepted, but without effect: HTTP/1.1 is served.'),
    headers: z.strictObject({
      'Content-Security-Policy': header.describe('Added to every response, like the other headers.'),
      'X-Frame-Options': header.describe('`deny` or `sameorigin`.'),
      'X-Content-Type-Options': header.describe('`nosniff`.'),
      'X-XSS-Protection': header.describe('For old browsers.'),
      'Strict-Transport-Security': header.describe('How long browsers require HTTPS.'),
    }),
  }),
} as const;

/** Settings of the toolkit that are not supported. They are rejected, because ignoring them would look like protection. */
export const unsupported: Readonly<Record<string, string>> = {
  rate_limit: 'use a reverse proxy for it',
  client_allowed_sans: 'use a client_ca_file that signs only the allowed clients',
  cipher_suites: 'set min_version to TLS13 to allow only strong ones',
  curve_preferences: 'remove it',
  cert: 'use cert_file',
  key: 'a secret must not be in the file, use key_file',
  client_ca: 'use client_ca_file',
};

const table = createTable(sections, (key) => {
  const name = key.replace(/^tls_server_config\./, '');
  const remedy = Object.hasOwn(unsupported, name) ? unsupported[name] : undefined;
  return remedy === undefined ? undefined : `is not supported: ${remedy}`;
});

/** The description of every key, by its path. Paths of files are relative to the web config file. */
export const webConfigKeys: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<Setting>(table.settings).map(([key, { description }]) => [key, description]),
);

type WebSettings = CheckedSettings<typeof sections>;

/** Checks TLS settings that depend on each other. */
function checkTls(settings: WebSettings): void {
  const ca = 'tls_server_config.client_ca_file';
  const auth = 'tls_server_config.client_auth_type';
  const clientAuth = settings.value(auth);
  if (settings.value(ca) && clientAuth === 'NoClientCert' && !settings.isInvalid(auth)) {
    settings.refuse(ca, 'has no effect without client_auth_type, for example RequireAndVerifyClientCert');
  }
  if (!settings.value(ca) && !settings.isInvalid(ca) && clientAuth?.includes('Verify')) {
    settings.refuse(auth, `${clientAuth} needs client_ca_file`);
  }
  const [min, max] = [settings.value('tls_server_config.min_version'), settings.value('tls_server_config.max_version')];
  if (min !== undefined && max !== undefined && versions.indexOf(min) > versions.indexOf(max)) {
    const isMin = settings.rawSetting('tls_server_config.min_version') !== undefined;
    settings.refuse(`tls_server_config.${isMin ? 'min' : 'max'}_version`, 'min_version is above max_version');
  }
}

function tlsOf(settings: WebSettings): WebTls | undefined {
  if (settings.firstSettingOf('tls_server_config') === undefined) return undefined;
  checkTls(settings);
  const reference = (setting: `tls_server_config.${'cert' | 'key' | 'client_ca'}_file`) => {
    const found = settings.reference(setting);
    return { ...found, file: found.file || undefined };
  };
  const [certFile, keyFile] = [reference('tls_server_config.cert_file'), reference('tls_server_config.key_file')];
  const hasNone = certFile.file === undefined && keyFile.file === undefined;
  if (hasNone && !settings.isInvalid(keyFile.key))
    settings.reportMissing(certFile.key, settings.placeOf('tls_server_config'), 'and key_file are required for TLS');
  const { ca, cert, key } = settings.readTls({
    ca: reference('tls_server_config.client_ca_file'),
    cert: certFile,
    key: keyFile,
  });
  const clientAuth = settings.value('tls_server_config.client_auth_type');
  const [min, max] = [settings.value('tls_server_config.min_version'), settings.value('tls_server_config.max_version')];
  if (cert === undefined || key === undefined || !clientAuth || !min || !max) return undefined;
  return { cert, key, clientCa: ca, clientAuth, minVersion: tlsVersions[min], maxVersion: tlsVersions[max] };
}

function headersOf(settings: WebSettings): WebConfig['headers'] {
  const prefix = 'http_server_config.headers.';
  const keys = table.keys.filter((key) => key.startsWith(prefix));
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value: unknown = settings.value(key);
      return typeof value === 'string' ? [[key.slice(prefix.length), value]] : [];
    }),
  );
}

/** Removes the user name: the line identifies the user. */
const withoutUser = (problem: Problem): Problem =>
  problem.key.startsWith('basic_auth_users.') ? { ...problem, key: 'basic_auth_users' } : problem;

const NO_USERS =
  'has no users; add one with "license-exporter hash-password NAME --output FILE", or remove it to require no password';

/**
 * Reads a web config and the files it names.
 *
 * @throws ConfigError with all problems and their lines, never with a secret or the name of a user
 */
export function readWebConfig(path: string): WebConfig {
  const own = stampOf(path);
  const raw = new RawSettings(table);
  raw.addFile(path, path);
  const settings = new CheckedSettings(table, raw, { folder: dirname(path) });
  const files = [
    'tls_server_config.cert_file',
    'tls_server_config.key_file',
    'tls_server_config.client_ca_file',
  ] as const;
  const paths = files.flatMap((key) => (settings.value(key) ? (settings.pathOf(key) ?? []) : []));
  const stamps = [own, ...paths.map(stampOf)];
  const tls = tlsOf(settings);
  const users = new Map(Object.entries(settings.value('basic_auth_users') ?? {}));
  // a user was meant, and without one every page is open
  const hasNone = users.size === 0 && !settings.isInvalid('basic_auth_users');
  if (hasNone && raw.values.has('basic_auth_users')) settings.refuse('basic_auth_users', NO_USERS);
  if (settings.problems.length > 0) throw new ConfigError(inOrder(settings.problems.map(withoutUser)));
  return { tls, headers: headersOf(settings), users, stamps, warnings: [...settings.warnings] };
}

const stampOf = (path: string): Stamp => [path, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0];

/** Whether one of the files of a web config has changed since it was read. */
export const hasChanged = ({ stamps }: WebConfig): boolean =>
  stamps.some(([path, changed]) => stampOf(path)[1] !== changed);

const USERS = 'basic_auth_users';

/**
 * The text of a web config with the hash of a user, which replaces the hash that this user has. Comments stay.
 *
 * @throws ConfigError if the text is not valid YAML, or is no web config
 */
export function withWebUser(source: string, file: string, name: string, hash: string): string {
  const { isMap, parseDocument } = yaml();
  const document = parseDocument(source);
  const refuse = (message: string): never => {
    throw new ConfigError([{ key: '', where: file, message }]);
  };
  if (document.errors.length > 0) refuse('is not valid YAML; correct it first');
  const root: unknown = document.contents;
  if (root !== null && !isMap(root)) return refuse('is no web config');
  const other = root?.items.map(({ key }) => String(key)).find((section) => !Object.hasOwn(sections, section));
  if (other !== undefined) refuse(`is no web config: it has ${other}; valid are ${Object.keys(sections).join(', ')}`);
  if (isMap(document.get(USERS))) document.setIn([USERS, name], hash);
  else document.set(USERS, document.createNode({ [name]: hash }));
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
