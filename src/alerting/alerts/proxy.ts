import { request } from 'node:http';
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { readPasswordFile } from '../../base/files/named-files.ts';
import { type ClientTls, tlsOptions } from '../../base/model/client-tls.ts';
import { explainConnection, explainUnknown } from '../../base/model/connection-failure.ts';
import { type Explanation, inOneLine } from '../../base/model/operator-error.ts';
import { isHttpUrl } from '../../base/settings/addresses.ts';
import { exceptionsOf, type ProxyConfig, placeOf } from './proxy-settings.ts';

/** Connections through a proxy: a tunnel to a receiver with TLS, whole requests to one without, as Prometheus does it. */

/** The proxy is why there is no answer, and the receiver got nothing. Its message is one line without secrets. */
export class ProxyError extends Error implements Explanation {
  override readonly name = 'ProxyError';
  readonly finding: string;
  readonly remedy: string;

  constructor({ finding, remedy }: Explanation, cause?: unknown) {
    super(inOneLine({ finding, remedy }), { cause });
    this.finding = finding;
    this.remedy = remedy;
  }
}

/** How connections are opened. */
interface Connecting {
  /** Seconds. */
  readonly timeout: number;
  /** Also for a proxy with https, but for the name in its certificate. */
  readonly tls: ClientTls;
}

/** A proxy, as its settings and its file say now. */
export interface ForwardProxy {
  /** `the proxy proxy.example.com:3128`. */
  readonly name: string;
  /** The value of the Proxy-Authorization header. */
  readonly authorization: string | undefined;
  /** Connects to the proxy itself. @throws ProxyError */
  connect(options: Connecting): Promise<Socket>;
  /** A connection to a receiver through the proxy, without its TLS. @throws ProxyError */
  tunnel(target: URL, options: Connecting): Promise<Socket>;
  /** Why the proxy refused to connect to a receiver. @param schemes of its Proxy-Authenticate header */
  refusal(status: number, schemes: string, target: URL): ProxyError;
}

/** Where a URL leads, as a tunnel and a Host header name it. */
function authorityOf(url: URL): string {
  const { host, port } = placeOf(url);
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function urlOf({ url, urlFile }: ProxyConfig): URL {
  const written = url ?? contentOf(urlFile ?? '');
  if (isHttpUrl(written)) return new URL(written);
  throw new ProxyError({
    finding: 'the file of proxy_url_file has no URL of a proxy',
    remedy: 'write it there, such as http://user:password@proxy.example.com:3128',
  });
}

function contentOf(file: string): string {
  try {
    return readPasswordFile(file).reveal().trim();
  } catch (error) {
    const { message } = error as Error;
    throw new ProxyError({ finding: `proxy_url_file: ${message}`, remedy: 'correct the file, or name another one' });
  }
}

/** Text of a URL as it was meant; what is no code stays. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`;
}

function proxyAt(url: URL): ForwardProxy {
  const name = `the proxy ${authorityOf(url)}`;
  const authorization = authorizationOf(url);
  const { host, port } = placeOf(url);

  const unreachable = (error: Error & { code?: string }): ProxyError => {
    const peer = { name, url: 'proxy_url', tls: 'tls_config' };
    const { code } = error;
    const { finding, remedy } = explainConnection(code, error, peer) ?? explainUnknown(code, peer);
    return new ProxyError({ finding: `${name} cannot be reached: ${finding}`, remedy }, error);
  };

  const refusal: ForwardProxy['refusal'] = (status, schemes, target) => {
    const place = authorityOf(target);
    if (status === 407 && schemes !== '' && !/\bbasic\b/i.test(schemes)) {
      return new ProxyError({
        finding: `${name} requires a logon, and does not offer Basic (407: ${schemes})`,
        remedy: 'let it accept Basic, or connections of this host without a logon',
      });
    }
    if (status === 407) {
      return authorization === undefined
        ? new ProxyError({
            finding: `${name} requires a logon (407)`,
            remedy: 'write its URL with user and password into a file, and name it in proxy_url_file',
          })
        : new ProxyError({
            finding: `${name} rejected the logon (407)`,
            remedy:
              'correct user and password in the file of proxy_url_file; other characters than letters and digits are percent-encoded there',
          });
    }
    if (status >= 500) {
      return new ProxyError({
        finding: `${name} cannot reach ${place} (${status})`,
        remedy: 'check that host and port, and the log of the proxy',
      });
    }
    return new ProxyError({
      finding: `${name} does not allow connections to ${place} (${status})`,
      remedy: 'let it allow them, or list the host in no_proxy if it can be reached directly',
    });
  };

  const connect: ForwardProxy['connect'] = ({ timeout, tls }) =>
    new Promise((resolve, reject) => {
      const open = buildConnector({
        timeout: timeout * 1000,
        allowH2: false,
        ...tlsOptions({ ...tls, serverName: undefined }),
      });
      open({ hostname: host, host: url.host, protocol: url.protocol, port: String(port) }, (error, socket) =>
        error === null ? resolve(socket) : reject(unreachable(error)),
      );
    });

  const tunnel: ForwardProxy['tunnel'] = async (target, options) => {
    const socket = await connect(options);
    const place = authorityOf(target);
    return new Promise((resolve, reject) => {
      const asked = request({
        method: 'CONNECT',
        path: place,
        headers: { host: place, ...(authorization !== undefined && { 'proxy-authorization': authorization }) },
        createConnection: () => socket,
      });
      const limit = setTimeout(() => {
        asked.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT', address: host, port }));
      }, options.timeout * 1000);
      asked.once('connect', ({ statusCode = 0, headers }, tunneled, head) => {
        clearTimeout(limit);
        if (statusCode >= 200 && statusCode < 300) {
          if (head.length > 0) tunneled.unshift(head);
          resolve(tunneled as Socket);
          return;
        }
        tunneled.on('error', () => undefined).destroy();
        reject(refusal(statusCode, schemesOf(headers['proxy-authenticate']), target));
      });
      asked.once('error', (error) => {
        clearTimeout(limit);
        reject(unreachable(error));
      });
      asked.end();
    });
  };

  return { name, authorization, connect, tunnel, refusal };
}

/** `Basic`, `Negotiate, NTLM`: what a proxy offers, without its parameters. */
export const schemesOf = (header: string | readonly string[] | undefined): string =>
  [header ?? []]
    .flat()
    .flatMap((each) => each.split(','))
    .map((each) => /^\s*([a-z]+)(?=\s|$)(?!\s*=)/i.exec(each)?.[1])
    .filter((scheme) => scheme !== undefined)
    .join(', ');

/** Which proxy leads to a URL; it is asked for each connection. @throws ProxyError if its file cannot be used */
export function proxyFor(config: ProxyConfig | undefined): (target: URL) => ForwardProxy | undefined {
  if (config === undefined) return () => undefined;
  const isException = exceptionsOf(config.noProxy);
  return (target) => (isException(target) ? undefined : proxyAt(urlOf(config)));
}
