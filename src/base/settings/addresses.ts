import { isIP } from 'node:net';
import { z } from 'zod';
import { isNot, isNotAddress } from './values.ts';

/** Addresses: of listeners, of servers, of databases, and of a reverse proxy that authenticates users itself. */

/** Stands for every client whose certificate the client CA of the web config has signed. */
export const CLIENT_CERTIFICATE = 'client_certificate';

/** The addresses that have the first `prefix` bits of `address`. */
export interface AddressRange {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** A proxy that says who its users are. */
export interface TrustedProxy {
  /** Where it connects from. */
  readonly from: readonly (AddressRange | typeof CLIENT_CERTIFICATE)[];
  readonly userHeader: string;
  /** Undefined if the proxy names no groups. */
  readonly groupsHeader: string | undefined;
}

/** An address to listen on. Without a host, all addresses. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

const LISTEN = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/;

function listenOf(written: string): ListenAddress {
  const [, bracketed, plain, port] = LISTEN.exec(written) ?? [];
  const host = bracketed ?? plain;
  return { host: host === '' ? undefined : host, port: Number(port) };
}

const listenForm = { error: isNot('an address such as :10319, 127.0.0.1:10319 or [::1]:10319'), abort: true };

/** `:10319`, `127.0.0.1:0`, `[::1]:10319`, `localhost:10319`. */
export const listenAddress = z
  .string(listenForm)
  .trim()
  .regex(LISTEN, listenForm)
  .refine((written) => listenOf(written).port <= 65_535, listenForm)
  .transform(listenOf);

const RANGE = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i;
const proxyForm = {
  error: isNot(`an address such as 10.0.0.5, a range such as 10.1.0.0/28, or ${CLIENT_CERTIFICATE}`),
  abort: true,
};
const everyAddress = { error: isNot('accepted: every client could name any user; list the addresses of the proxy') };
const mappedAddress = { error: isNot('accepted: write an IPv4 address as such, without ::ffff:') };

/** `undefined` if the text is no address and no range. */
export function rangeOf(written: string): AddressRange | undefined {
  const [, address = '', bits] = RANGE.exec(written) ?? [];
  const version = isIP(address);
  const longest = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? longest : Number(bits);
  if (version === 0 || prefix > longest) return undefined;
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** Whether a range has addresses of IPv4 in the form of IPv6. Such an address is compared as IPv4. */
const isMapped = (written: string): boolean => /^[0:]*:ffff:/i.test(written);

/** `10.0.0.5`, `10.1.0.0/28`, `fd00::/64`, `client_certificate`. */
export const proxyAddress = z
  .string(proxyForm)
  .trim()
  .refine((written) => written === CLIENT_CERTIFICATE || rangeOf(written) !== undefined, proxyForm)
  .refine((written) => rangeOf(written)?.prefix !== 0, everyAddress)
  .refine((written) => !isMapped(written), mappedAddress)
  .transform((written) => rangeOf(written) ?? CLIENT_CERTIFICATE);

const headerForm = { error: isNot('the name of a header such as X-Forwarded-User'), abort: true };

export const headerName = z
  .string(headerForm)
  .trim()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, headerForm)
  // the name of a user is shown in the log
  .refine((name) => !/^(?:proxy-)?authorization$|^cookie$/i.test(name), {
    error: 'carries secrets, and no name; name the header that the proxy sets, such as X-Forwarded-User',
  });

const urlOf = (written: string): URL | undefined => (URL.canParse(written) ? new URL(written) : undefined);

/** Whether a text is a whole URL for HTTP. */
export const isHttpUrl = (written: string): boolean => ['http:', 'https:'].includes(urlOf(written)?.protocol ?? '');

/** An http or https address without credentials and query; a trailing slash is dropped. */
export function baseUrl(example: string, credentials = 'leave them out') {
  // an invalid URL may contain a password, so it is not repeated
  const form = { error: isNotAddress(`an address such as ${example}`), abort: true };
  return z
    .string(form)
    .trim()
    .refine(isHttpUrl, form)
    .refine((written) => `${urlOf(written)?.username}${urlOf(written)?.password}` === '', {
      error: `must not contain credentials; ${credentials}`,
      abort: true,
    })
    .refine((written) => `${urlOf(written)?.search}${urlOf(written)?.hash}` === '', {
      error: 'must not have a query or fragment',
    })
    .transform((written) => new URL(written).href.replace(/\/+$/, ''));
}

/** Where a PostgreSQL database is, and how it is reached. */
export interface DatabaseAddress {
  /** A host, or the directory of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Whether the connection uses TLS. */
  readonly isEncrypted: boolean;
}

const databaseForm = {
  error: isNotAddress('an address such as postgresql://licenses@db.example.com/monitoring'),
  abort: true,
};
const POSTGRESQL_PORT = 5432;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|\/.*)$/;

function databaseOf(written: string): DatabaseAddress {
  const { hostname, port, pathname, username, searchParams } = new URL(written);
  const host = searchParams.get('host') ?? hostname.replace(/^\[(.*)\]$/, '$1');
  const mode = searchParams.get('sslmode');
  return {
    host,
    port: port === '' ? POSTGRESQL_PORT : Number(port),
    database: decodeURIComponent(pathname.slice(1)),
    user: decodeURIComponent(username),
    isEncrypted: mode === null ? !LOOPBACK.test(host) : mode !== 'disable',
  };
}

const isDatabaseUrl = (written: string): boolean => {
  const url = urlOf(written);
  if (url === undefined || !['postgresql:', 'postgres:'].includes(url.protocol)) return false;
  const { host, database, user } = databaseOf(written);
  return host !== '' && database !== '' && user !== '';
};
const parametersOf = (written: string): URLSearchParams => urlOf(written)?.searchParams ?? new URLSearchParams();

/** `postgresql://licenses@db.example.com/monitoring`, `postgresql://licenses@localhost/monitoring?host=/var/run/postgresql`. */
export const databaseUrl = z
  .string(databaseForm)
  .trim()
  .refine((written) => (urlOf(written)?.password ?? '') === '', {
    error: 'must not contain a password; set storage.archive.password_file',
    abort: true,
  })
  .refine(isDatabaseUrl, databaseForm)
  .refine((written) => [...parametersOf(written).keys()].every((name) => name === 'host' || name === 'sslmode'), {
    error: 'may only have the parameters host and sslmode; for certificates, set storage.archive.tls',
  })
  .refine((written) => [null, 'disable', 'verify-full'].includes(parametersOf(written).get('sslmode')), {
    error: 'has another sslmode than disable or verify-full: any other accepts a server that is not the right one',
  })
  .transform(databaseOf);

const schemaForm = { error: isNot('a name of a schema such as license_exporter, in lower case') };

/** The name of a schema of PostgreSQL, which needs no quotes. */
export const schemaName = z
  .string(schemaForm)
  .trim()
  .regex(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, schemaForm);

/** A path of the HTTP server that is neither one of these nor below one. */
export function urlPath(reserved: readonly string[]) {
  const form = { error: isNot('a path such as /metrics'), abort: true };
  return z
    .string(form)
    .trim()
    .regex(/^\/[A-Za-z0-9._~/-]*[A-Za-z0-9._~-]$/, form)
    .refine((path) => !reserved.some((other) => path === other || path.startsWith(`${other}/`)), {
      error: isNot(`free: other pages use ${reserved.join(', ')}, and what is below`),
    });
}
