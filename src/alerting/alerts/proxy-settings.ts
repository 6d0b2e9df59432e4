import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { baseUrl, rangeOf } from '../../base/settings/addresses.ts';
import { listOf } from '../../base/settings/structures.ts';
import { isNot, text } from '../../base/settings/values.ts';

/** A proxy between this host and a receiver, with the keys of Prometheus' `http_config`, and which hosts are reached without it. */

/** Whether an entry of `no_proxy` is about a host, in lower case and without brackets, and a port. */
type Exception = (host: string, port: number) => boolean;

const ENTRY = /^(?:\[([0-9a-f:.]+)\]|(\.?[^\s:/[\]*]+))(?::(\d{1,5}))?$/;

/** @returns `undefined` for a text that is no address and no range */
function rangeException(written: string): Exception | undefined {
  const range = rangeOf(written);
  if (range === undefined) return undefined;
  const addresses = new BlockList();
  addresses.addSubnet(range.address, range.prefix, range.family);
  return (host) => isIP(host) !== 0 && addresses.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

/** `example.com` with what is below, `.example.com` only what is below. */
function domainException(written: string): Exception {
  const domain = written.replace(/\.$/, '');
  const below = domain.startsWith('.') ? domain : `.${domain}`;
  return (host) => host === domain || host.endsWith(below);
}

/** An entry as Go reads it; `undefined` for another text. */
function exceptionOf(entry: string): Exception | undefined {
  if (entry === '*') return () => true;
  // an address of IPv6 without brackets has colons and no port
  const range = rangeException(entry);
  if (range !== undefined) return range;
  const [, bracketed, name, port] = ENTRY.exec(entry.toLowerCase().replace(/^\*(?=\.)/, '')) ?? [];
  const written = bracketed ?? name;
  if (written === undefined) return undefined;
  const isAbout = rangeException(written) ?? (bracketed === undefined ? domainException(written) : undefined);
  return isAbout && ((host, at) => (port === undefined || Number(port) === at) && isAbout(host, at));
}

const entryForm = { error: isNot('a host, a domain, an address or a range such as 10.0.0.0/8, or *'), abort: true };
const exception = z
  .string(entryForm)
  .trim()
  .refine((written) => exceptionOf(written) !== undefined, entryForm);

/** The keys of a proxy. */
export const proxyKeys = {
  proxy_url: baseUrl('http://proxy.example.com:3128', 'write the whole URL into a file, and name it in proxy_url_file')
    .optional()
    .describe('URL of a proxy through which the receiver is reached. `HTTPS_PROXY` in the environment is not used.'),
  proxy_url_file: text
    .optional()
    .describe(
      'File that holds the URL of the proxy, with user and password: `http://user:password@proxy.example.com:3128`. It is read for each connection.',
    ),
  no_proxy: listOf(exception)
    .prefault([])
    .describe('Hosts, domains, addresses and ranges that are reached without the proxy, or `*` for all.'),
} as const;

/** A proxy, before its file is read. Either `url` or `urlFile` is given. */
export interface ProxyConfig {
  readonly url: string | undefined;
  /** The path of the file. What it contains is a secret. */
  readonly urlFile: string | undefined;
  readonly noProxy: readonly string[];
}

/** The keys of a proxy, as they are written. */
interface WrittenProxy {
  readonly proxy_url?: string | undefined;
  readonly proxy_url_file?: string | undefined;
  readonly no_proxy: readonly string[];
}

/** Keys that do not go together. */
export function proxyProblems({ proxy_url, proxy_url_file, no_proxy }: WrittenProxy) {
  const hasNone = proxy_url === undefined && proxy_url_file === undefined;
  return [
    ...(proxy_url !== undefined && proxy_url_file !== undefined
      ? [{ key: 'proxy_url_file', message: 'cannot be combined with proxy_url; remove one of them' } as const]
      : []),
    ...(hasNone && no_proxy.length > 0
      ? [{ key: 'no_proxy', message: 'needs proxy_url or proxy_url_file' } as const]
      : []),
  ];
}

/** The proxy that is written; `undefined` without one. */
export const proxyOf = ({ proxy_url, proxy_url_file, no_proxy }: WrittenProxy): ProxyConfig | undefined =>
  proxy_url === undefined && proxy_url_file === undefined
    ? undefined
    : { url: proxy_url, urlFile: proxy_url_file, noProxy: no_proxy };

/** Where a URL leads, without the brackets of IPv6. */
export function placeOf({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

const isLocalhost: Exception = (host) => host === 'localhost';
const loopbackAddresses = ['127.0.0.0/8', '::1'].map((range) => rangeException(range));

/** Whether a URL is reached without the proxy. With any exception, this host is one too, as in Prometheus. */
export function exceptionsOf(noProxy: readonly string[]): (target: URL) => boolean {
  if (noProxy.length === 0) return () => false;
  const exceptions = [isLocalhost, ...loopbackAddresses, ...noProxy.map(exceptionOf)];
  return (target) => {
    const { host, port } = placeOf(target);
    return exceptions.some((isAbout) => isAbout?.(host, port));
  };
}
