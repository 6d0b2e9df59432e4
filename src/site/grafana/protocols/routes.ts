import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Backend } from '../answers/backend.ts';
import { DatasourceError } from '../answers/errors.ts';
import { answerBody, withDeadline } from './answer-text.ts';
import type { handlers } from './handlers.ts';

/** The routes for the JSON data sources of Grafana, and the format of their errors. */

/** What the paths of Grafana need of the program that serves them. */
export interface DatasourceOptions {
  /** The current backend for the user of a request. A reload replaces it. */
  readonly backend: (request: FastifyRequest) => Backend;
  /** Answers a browser at the path itself; `undefined` if a program asks, which gets the health. */
  readonly answerBrowser: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;
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
const refusalCodes = {
  unauthorized: 'unauthorized',
  busy: 'queue_full',
  wrong_host: 'wrong_host',
  bad_path: 'bad_request',
} as const;

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

/** The routes and what answers them. */
const routes: readonly (readonly ['GET' | 'POST', string, keyof typeof handlers])[] = [
  // with and without the trailing slash
  ['GET', '/', 'health'],
  ['POST', '/query', 'query'],
  ['POST', '/metrics', 'metrics'],
  ['POST', '/metric-payload-options', 'payloadOptions'],
  ['POST', '/variable', 'variable'],
  ['POST', '/tag-keys', 'tagKeys'],
  ['POST', '/tag-values', 'tagValues'],
  ['GET', '/rows/:target', 'rows'],
];

/** The routes as a plugin for the path of the datasource, and the format of refusals there. What answers is read for the first request. */
export function createDatasource({ backend, answerBrowser, deadline, onProblem }: DatasourceOptions) {
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
    for (const [method, url, name] of routes) {
      const methods = method === 'GET' ? ['GET', 'HEAD'] : ['POST'];
      app.route({
        method: methods,
        url,
        bodyLimit: BODY_LIMIT,
        handler: (request, reply) =>
          withDeadline(reply, deadline(), async (signal) => {
            const page = name === 'health' ? await answerBrowser(request, reply) : undefined;
            if (page !== undefined) return page;
            const answers = await import('./handlers.ts');
            const answer = await answers.handlers[name](request, backend(request), signal);
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
    app.setNotFoundHandler(async (request, reply) => {
      const { show } = await import('../answers/query.ts');
      const message = `there is nothing at ${show(request.url.split('?', 1)[0])}`;
      return sendError(reply, new DatasourceError('not_found', message));
    });
  };

  return { plugin, refuse };
}
