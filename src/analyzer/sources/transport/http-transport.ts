import { readFile } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { tlsOptions } from '../../../base/model/client-tls.ts';
import { openFilesFailure, SourceFailure } from '../../../base/model/observation/source-failure.ts';
import type { HttpSettings } from '../source-settings.ts';
import { decodeOutput } from './decode-output.ts';
import { answerFailure, requestFailure, statusFailure } from './http-failure.ts';
import { Reads } from './reads.ts';
import { OutOfTime } from './shared-work.ts';
import type { Transport, TransportSettings } from './transport.ts';
import type { TransportHost } from './transport-host.ts';

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
