import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WHOLE } from '../model/snapshot.ts';
import { answerBody } from './answer-text.ts';
import type { Backend } from './backend.ts';
import { withDeadline } from './deadline.ts';
import { DatasourceError } from './errors.ts';
import { requireFresh } from './known-data.ts';
import { payloadOptions, tagKeys, tagValues, targetOptions } from './option-lists.ts';
import { type Json, payloadOf, requireObject, unescapePayload } from './payload.ts';
import { readTexts, show } from './query.ts';
import { readTargetName } from './read-query.ts';
import { answerRows } from './rows.ts';
import { answerQuery, answerVariable } from './simpod.ts';

/** The routes for the JSON data sources of Grafana, and the format of their errors. */

export interface DatasourceOptions {
  /** The current backend for the user of a request. A reload replaces it. */
  readonly backend: (request: FastifyRequest) => Backend;
  /** Deadline of a request in seconds. The proxy of Grafana times out after 30. */
  readonly deadline: () => number;
  /** Called with errors that are bugs. */
  readonly onProblem: (error: unknown) => void;
}

/** Maximum size of a body, bytes. Each request contains all dashboard variables. */
const BODY_LIMIT = 4 * 1024 * 1024;
const JSON_TYPE = 'application/json; charset=utf-8';
/** Maximum length of an HTTP reason phrase. */
const MAX_REASON = 120;

/** Whether the analyzer answered the last poll of GetProducts. Everything else depends on it. */
function health({ inventory }: Backend): object {
  const known = inventory();
  if (known === undefined) throw new DatasourceError('upstream_down', 'the analyzer has not been polled yet');
  try {
    requireFresh(known, 'GetProducts', () => true);
    const { vendorLicenses, readings } = known;
    const { failure, goodAt = 0 } = readings.of('GetProducts')?.parts.get(WHOLE) ?? {};
    if (failure !== undefined) throw new Error(`GetProducts: ${failure.message}`);
    return { status: 'ok', vendor_licenses: vendorLicenses.length, polled_at: new Date(goodAt * 1000).toISOString() };
  } catch (error) {
    throw new DatasourceError('upstream_down', (error as Error).message);
  }
}

/** A reason phrase. Infinity in Grafana shows it, because it discards the body. */
function reasonPhrase(message: string): string {
  const ascii = message.replace(/[^\x20-\x7e]+/g, ' ');
  return ascii.length > MAX_REASON ? `${ascii.slice(0, MAX_REASON - 3)}...` : ascii;
}

/** The format of every error of these routes. */
function sendError(reply: FastifyReply, { status, code, message }: DatasourceError): FastifyReply {
  reply.raw.statusMessage = reasonPhrase(message);
  return reply
    .code(status)
    .header('content-type', JSON_TYPE)
    .send(JSON.stringify({ message, error: { code, message } }));
}

/** Codes of requests that are refused before they reach these routes. */
const refusalCodes = { unauthorized: 'unauthorized', busy: 'queue_full', bad_path: 'bad_request' } as const;

/** The error of a route; `undefined` if it is a bug. */
export function toDatasourceError(error: unknown): DatasourceError | undefined {
  if (error instanceof DatasourceError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new DatasourceError('too_large', `the body is larger than ${BODY_LIMIT} bytes`);
  }
  const isClients = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  return isClients ? new DatasourceError('bad_request', (error as Error).message) : undefined;
}

type Handler = (request: FastifyRequest, backend: Backend, signal: AbortSignal) => Promise<unknown> | unknown;

/** The routes as a plugin for the path of the datasource, and the format of refusals there. */
export function createDatasource({ backend, deadline, onProblem }: DatasourceOptions) {
  const post =
    (answer: (body: Json, current: Backend, signal: AbortSignal) => unknown): Handler =>
    (request, current, signal) =>
      answer(requireObject(request.body ?? {}, 'the body'), current, signal);
  const products = ({ payload }: Json): readonly string[] =>
    readTexts('product', unescapePayload(payloadOf(payload, 'payload')).product, true);

  const routes: readonly (readonly ['GET' | 'POST', string, Handler])[] = [
    // with and without the trailing slash
    ['GET', '/', (_, current) => health(current)],
    ['POST', '/query', post(answerQuery)],
    ['POST', '/metrics', post((_, { users }) => targetOptions(users.refusal() === undefined))],
    [
      'POST',
      '/metric-payload-options',
      post((body, { inventory }) => payloadOptions(body.name, inventory(), products(body))),
    ],
    ['POST', '/variable', post(answerVariable)],
    ['POST', '/tag-keys', post(() => tagKeys())],
    ['POST', '/tag-values', post(({ key }, { inventory }) => tagValues(key, inventory()))],
    [
      'GET',
      '/rows/:target',
      (request, current, signal) => {
        const { target } = request.params as { target: string };
        const parameters = request.query as Readonly<Record<string, string | readonly string[]>>;
        return answerRows(readTargetName(target), parameters, current, signal);
      },
    ],
  ];

  const refuse = (reply: FastifyReply, refusal: keyof typeof refusalCodes, message: string): FastifyReply =>
    sendError(reply, new DatasourceError(refusalCodes[refusal], message));

  const plugin = async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    // every plugin sends JSON, with various content types
    app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_, text, done) => {
      try {
        done(null, text === '' ? {} : JSON.parse(String(text)));
      } catch {
        done(new DatasourceError('bad_json', 'the body is not JSON'));
      }
    });
    app.setErrorHandler((error, _, reply) => {
      const known = toDatasourceError(error);
      if (known === undefined) onProblem(error);
      return sendError(reply, known ?? new DatasourceError('internal', 'internal error, see the log'));
    });
    for (const [method, url, handler] of routes) {
      const methods = method === 'GET' ? ['GET', 'HEAD'] : ['POST'];
      app.route({
        method: methods,
        url,
        bodyLimit: BODY_LIMIT,
        handler: (request, reply) =>
          withDeadline(reply, deadline(), async (signal) => {
            const answer = await handler(request, backend(request), signal);
            return reply.header('content-type', JSON_TYPE).send(await answerBody(answer, signal));
          }),
      });
      const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
        (other) => !methods.includes(other),
      );
      app.route({
        method: others,
        url,
        bodyLimit: BODY_LIMIT,
        handler: async (_, reply) => {
          const allowed = methods.join(', ');
          const error = new DatasourceError('method_not_allowed', `only ${allowed} are allowed here`);
          return sendError(reply.header('allow', allowed), error);
        },
      });
    }
    app.setNotFoundHandler((request, reply) =>
      sendError(reply, new DatasourceError('not_found', `there is nothing at ${show(request.url.split('?', 1)[0])}`)),
    );
  };

  return { plugin, refuse };
}
