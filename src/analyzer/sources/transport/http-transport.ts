import { readFile } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { tlsOptions } from '../../../base/model/client-tls.ts';
import {
  openFilesFailure,
  SourceFailure,
  type SourceFailureKind,
} from '../../../base/model/observation/source-failure.ts';
import type { HttpSettings } from '../source-settings.ts';
import { decodeOutput } from './decode-output.ts';
import { Reads } from './reads.ts';
import { OutOfTime } from './shared-work.ts';
import type { Transport, TransportSettings } from './transport.ts';
import type { TransportHost } from './transport-host.ts';

/** Reads the page of a web server, and says in sentences what went wrong. */

const CA_CODES: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

interface Problem {
  readonly kind: SourceFailureKind;
  /** What follows the address. */
  readonly says: string;
}

const unreachable = (says: string): Problem => ({ kind: 'unreachable', says });
const refused = (says: string): Problem => ({ kind: 'refused', says });
const protocol = (says: string): Problem => ({ kind: 'protocol', says });

/** Where a redirect leads, without its query, which may contain a token. */
function originOf(location: string | undefined, url: URL): string {
  const target = location === undefined ? null : URL.parse(location, url.href);
  return target === null ? 'another address' : `${target.origin}${target.pathname}`;
}

function statusProblem(status: number, location: string | undefined, url: URL): Problem {
  if (status === 401) return refused('answered 401: it does not accept the token, or needs one; check token_file');
  if (status === 403)
    return refused('answered 403: it does not allow this client to read; check the rights of the token');
  if (status === 404 || status === 410)
    return { kind: 'missing_tool', says: `answered ${status}: it does not know the path; correct the URL` };
  if (status >= 300 && status < 400)
    return refused(
      `answered ${status} with a redirect to ${originOf(location, url)}, which is not followed because it would get the token; set the final URL (a redirect often leads to a logon page)`,
    );
  if (status === 429) return unreachable('answered 429: too many requests; set a longer interval');
  if (status >= 500) return unreachable(`answered ${status}: the server has a problem; check its log`);
  if (status >= 400) return refused(`answered ${status}: it refuses the request; check the URL`);
  return protocol(`answered ${status} instead of 200; check the URL`);
}

/** @param name scheme, host, port and path of the URL */
function statusFailure(name: string, status: number, location: string | undefined): SourceFailure {
  const { kind, says } = statusProblem(status, location, new URL(name));
  return new SourceFailure(kind, `${name} ${says}`);
}

const BAD_LENGTH = 'HPE_UNEXPECTED_CONTENT_LENGTH';

/** The code of an error; of an attempt on several addresses, that of the first one. */
function codeOf(error: unknown): string {
  const { name, code, message, cause, errors } = error as Error & { code?: unknown; errors?: unknown[] };
  // undici has no code for them
  if (name === 'HTTPParserError' && message.includes('Content-Length')) return BAD_LENGTH;
  if (name === 'HTTPParserError') return message.includes('EOF') ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID';
  const inner = errors?.[0] ?? cause;
  if (typeof code === 'string' && code !== 'UND_ERR_SOCKET') return code;
  return inner === undefined || inner === null ? String(code ?? 'unknown error') : codeOf(inner);
}

function tlsProblem(code: string): Problem | undefined {
  if (CA_CODES.has(code))
    return unreachable(
      `has a certificate of an unknown authority (${code}); set tls.ca_file to the certificate of the authority`,
    );
  if (code === 'CERT_HAS_EXPIRED') return unreachable('has a certificate that has expired; renew it');
  if (code === 'CERT_NOT_YET_VALID')
    return unreachable('has a certificate that is not valid yet; check the clocks of both hosts');
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return unreachable('has a certificate for another name; use that name in the URL, or set tls.server_name');
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return protocol('does not speak TLS; use http:// or the port of HTTPS');
  if (/^(ERR_SSL|ERR_TLS|EPROTO|CERT_|UNABLE_TO_)/.test(code))
    return unreachable(`refuses the TLS connection (${code}); check the certificates of both sides`);
  return undefined;
}

function connectionProblem(code: string, { hostname, port, protocol: scheme }: URL): Problem {
  const at = port === '' ? (scheme === 'https:' ? 'port 443' : 'port 80') : `port ${port}`;
  switch (code) {
    case 'ENOTFOUND':
      return unreachable(`cannot be reached: the name ${hostname} does not exist; correct the URL, or check DNS`);
    case 'EAI_AGAIN':
      return unreachable(`cannot be reached: DNS does not answer for ${hostname}; check DNS of this host`);
    case 'ECONNREFUSED':
      return unreachable(
        `cannot be reached: nothing listens on ${at} of ${hostname}; start the agent there, or correct the port`,
      );
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return unreachable(
        `cannot be reached: no connection to ${at} of ${hostname} (${code}); check network and firewall`,
      );
    case 'UND_ERR_HEADERS_OVERFLOW':
      return protocol('answered with headers that are too long; check that the URL is that of an agent');
  }
  if (code === BAD_LENGTH)
    return protocol(
      'answers with two lengths (two headers Content-Length, or one beside Transfer-Encoding), or with one that is no number; correct the server, or the proxy that adds a header',
    );
  if (code === 'HPE_INVALID')
    return protocol(`does not answer in HTTP (${code}); check the port, and whether it needs https://`);
  if (code.startsWith('Z_') || code === 'ERR_ZLIB')
    return protocol(`sent a compressed answer that is damaged or incomplete (${code}); check the server`);
  return unreachable(
    `closed the connection before the answer was complete (${code}); check its log and proxies on the way${scheme === 'http:' ? ', and whether it needs https://' : ''}`,
  );
}

/** Why a request has no answer: of one whose headers have a length, undici says only that the length is wrong. */
const answerFailure = (name: string, error: unknown): SourceFailure =>
  requestFailure(
    name,
    codeOf(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' ? { code: BAD_LENGTH, cause: error } : error,
  );

/** Why a request has no complete answer. Its message has the code of the error and nothing else of it. */
function requestFailure(name: string, error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  const tooMany = openFilesFailure(name, error);
  if (tooMany !== undefined) return tooMany;
  const code = codeOf(error);
  const { kind, says } = tlsProblem(code) ?? connectionProblem(code, new URL(name));
  return new SourceFailure(kind, `${name} ${says}`);
}

/** Characters of an answer that is kept in case the next one is `304 Not Modified`. */
const MAX_KEPT = 4 * 2 ** 20;
/** Bytes of a token file. */
const MAX_TOKEN = 16_384;

interface Kept {
  readonly etag: string;
  readonly text: string;
}

const header = (headers: Dispatcher.ResponseData['headers'], name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** The text of a token file, as it may stand in a header. The failure has nothing of it. */
async function readToken(path: string): Promise<string> {
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw (
      openFilesFailure(`the token file ${path}`, error) ??
      new SourceFailure(
        'refused',
        `the token file ${path} cannot be read: ${code}; check path and rights of token_file`,
      )
    );
  }
  if (/^[\x21-\x7e]+$/.test(text) && text.length <= MAX_TOKEN) return text;
  throw new SourceFailure(
    'refused',
    `the token file ${path} does not contain a token; write the token into it as one line without blanks`,
  );
}

/** Reads a body to its end. @throws SourceFailure `too_large`, also of what a compressed body becomes */
async function collect(
  body: Readable,
  isCompressed: boolean,
  tooLarge: () => SourceFailure,
  max: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  await pipeline(body, isCompressed ? createGunzip() : new PassThrough(), async (source: AsyncIterable<Uint8Array>) => {
    for await (const chunk of source) {
      size += chunk.byteLength;
      if (size > max) throw tooLarge();
      chunks.push(chunk);
    }
  });
  return Buffer.concat(chunks);
}

/** Gets text with a GET request. Redirects are not followed. Each request has a connection of its own. */
export function createHttpTransport(settings: HttpSettings & TransportSettings, host: TransportHost): Transport {
  const { url, tokenFile, tls, timeout, maxOutput, encoding } = settings;
  const { origin, pathname, search } = new URL(url);
  // the query may contain a secret
  const name = `${origin}${pathname}`;
  const reads = new Reads();
  const agent = new Agent({
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) =>
      buildConnector({ timeout: timeout * 1000, allowH2: false, ...tlsOptions(tls) })(target, callback),
  });
  let kept: Kept | undefined;

  const tooLarge = (): SourceFailure =>
    new SourceFailure(
      'too_large',
      `${name} sent more than ${maxOutput} bytes; ask for less, or set a larger max_output`,
    );

  const headersOf = async (signal: AbortSignal): Promise<Record<string, string>> => {
    const token =
      tokenFile === undefined
        ? undefined
        : await host.files.run(`token ${tokenFile}`, () => readToken(tokenFile), { timeoutMs: timeout * 1000, signal });
    return {
      accept: 'application/json, text/plain',
      'accept-encoding': 'gzip',
      'user-agent': 'license-exporter',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(kept !== undefined && { 'if-none-match': kept.etag }),
    };
  };

  const textOf = async ({ headers, body }: Dispatcher.ResponseData): Promise<string> => {
    const coding = header(headers, 'content-encoding')?.toLowerCase() ?? 'identity';
    const isCompressed = coding === 'gzip' || coding === 'x-gzip';
    if (!isCompressed && coding !== 'identity')
      throw new SourceFailure(
        'protocol',
        `${name} answered with the coding ${coding.slice(0, 40)}; allow gzip or none`,
      );
    if (Number(header(headers, 'content-length')) > maxOutput) throw tooLarge();
    return decodeOutput(await collect(body, isCompressed, tooLarge, maxOutput), encoding);
  };

  const exchange = async (signal: AbortSignal): Promise<string> => {
    const previous = kept;
    const path = `${pathname}${search}`;
    const sent = await headersOf(signal);
    const response = await agent
      .request({ origin, path, method: 'GET', headers: sent, signal })
      .catch((error: unknown) => Promise.reject(signal.aborted ? error : answerFailure(name, error)));
    const { statusCode, headers, body } = response;
    try {
      if (statusCode === 304 && previous !== undefined) return previous.text;
      if (statusCode !== 200) throw statusFailure(name, statusCode, header(headers, 'location'));
      const text = await textOf(response);
      const etag = header(headers, 'etag');
      kept = etag === undefined || text.length > MAX_KEPT ? undefined : { etag, text };
      return text;
    } finally {
      // what is left of it is not needed
      body.on('error', () => undefined).destroy();
    }
  };

  const failureOf = (error: unknown, signal: AbortSignal, isLate: boolean): SourceFailure => {
    if (error instanceof SourceFailure) return error;
    if (isLate || error instanceof OutOfTime)
      return new SourceFailure(
        'timeout',
        `${name} did not answer completely within ${timeout} s; check the server and the network, or set a longer timeout`,
      );
    if (signal.aborted)
      return new SourceFailure(
        'timeout',
        `${name} did not answer before the next collection was due or this process stopped; check the server`,
      );
    return requestFailure(name, error);
  };

  const read = async (signal: AbortSignal): Promise<string> => {
    const late = AbortSignal.timeout(timeout * 1000);
    try {
      return await exchange(AbortSignal.any([signal, late]));
    } catch (error) {
      throw failureOf(error, signal, late.aborted);
    }
  };

  return {
    read: (_args, callerSignal) =>
      reads.run(callerSignal, async (signal) => ({
        stdout: await read(signal),
        stderr: '',
        exitCode: undefined,
        at: host.now(),
      })),
    close: async () => {
      await reads.close();
      await agent.destroy();
    },
  };
}
