import { request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { tlsOptions } from '../../base/model/client-tls.ts';
import { endpoints } from '../../base/query-api/endpoints.ts';
import { revealTls } from '../../base/settings/secret.ts';
import { attemptMs } from './network-steps.ts';
import type { AnalyzerSite } from './site.ts';
import type { FirstAnswer } from './step.ts';

/** Bytes of a body that are enough to recognise it. */
const HEAD = 4096;

/** Where an endpoint is asked, for messages: the base URL with its path. */
export const endpointUrl = (base: string, name: 'GetHttpUserName' | 'GetProducts'): string =>
  `${base.replace(/\/+$/, '')}${endpoints[name].path}`;

/** Sends one request without a logon, on a connection of its own. @throws Error with a code if there is no answer */
export function askOnce(
  url: string,
  { analyzer, version }: Pick<AnalyzerSite, 'analyzer' | 'version'>,
): Promise<FirstAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<FirstAnswer>();
  const options = {
    signal: AbortSignal.timeout(attemptMs(analyzer)),
    headers: {
      accept: 'application/json, text/plain',
      'user-agent': `license-exporter/${version} doctor`,
      connection: 'close',
    },
  };
  const isTls = url.startsWith('https:');
  const request = isTls
    ? requestHttps(url, { ...options, ...tlsOptions(revealTls(analyzer.tls)), agent: new HttpsAgent() })
    : requestHttp(url, { ...options, agent: false });
  const fail = (error: Error): void =>
    reject(
      error.name === 'AbortError' ? Object.assign(new Error('no answer'), { code: 'UND_ERR_HEADERS_TIMEOUT' }) : error,
    );
  request.on('error', fail);
  request.on('response', (response) => {
    const { statusCode: status = 0, headers } = response;
    const chunks: Buffer[] = [];
    const done = (): void => resolve({ status, headers, body: Buffer.concat(chunks) });
    let size = 0;
    response.on('error', fail);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < HEAD) return;
      done();
      request.destroy();
    });
    response.on('end', done);
  });
  request.end();
  return promise;
}
