import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readFilter } from '../../alerts/alert-filter.ts';
import { selectAlerts } from '../../alerts/alert-selection.ts';
import type { EngineStatus } from '../../alerts/engine-status.ts';
import { refusePage, sendPage } from '../../html/routes.ts';
import { runSliced } from '../../scheduling/slices.ts';
import { alertsJson, rulesJson } from '../api/route.ts';
import { type AlertPageOptions, alertsPage } from './route.ts';

interface AlertApiOptions {
  /** The status of the current engine. A reload replaces the engine. */
  readonly status: () => EngineStatus;
  /** What needs attention, the most urgent first, for the user of a request. @throws Error until the rules have been evaluated */
  readonly attention: (request: FastifyRequest) => Promise<Iterable<object>>;
}

const errorTypes: Readonly<Record<number, string>> = { 400: 'bad_data', 401: 'unauthorized', 503: 'unavailable' };

/** An error in the format of Prometheus. */
function sendError(reply: FastifyReply, status: number, error: string): FastifyReply {
  return reply.code(status).send({ status: 'error', errorType: errorTypes[status] ?? 'internal', error });
}

/** `/api/v1`: alerts and rules, for tools that read those of Prometheus, and what needs attention. */
export function createAlertApi({ status, attention }: AlertApiOptions) {
  return {
    plugin: async (app: FastifyInstance): Promise<void> => {
      app.get('/alerts', async () => alertsJson(status()));
      app.get('/attention', async (request, reply) => {
        try {
          return { status: 'success', data: { attention: [...(await attention(request))] } };
        } catch (error) {
          return sendError(reply, 503, (error as Error).message);
        }
      });
      app.get('/rules', async (request, reply) => {
        const { type } = request.query as { type?: string | string[] };
        if (type === undefined || type === 'alert' || type === 'record') return rulesJson(status(), type);
        return sendError(reply, 400, `not supported value ${JSON.stringify(type)} of type; valid are alert and record`);
      });
    },
    refuse: (reply: FastifyReply, _: string, message: string): FastifyReply =>
      sendError(reply, reply.statusCode, message),
  };
}

/** `/alerts`: the page for users. @param view what it shows now */
export function createAlertPage(view: () => Omit<AlertPageOptions, 'filter' | 'problems' | 'selection'>) {
  return {
    plugin: async (app: FastifyInstance): Promise<void> => {
      app.get('/', { prefixTrailingSlash: 'no-slash' }, async ({ query }, reply) => {
        const shown = view();
        const { filter, problems } = readFilter(query);
        const selection = await runSliced(selectAlerts(shown.status, filter));
        return sendPage(reply, alertsPage({ ...shown, filter, problems, selection }));
      });
    },
    refuse: refusePage,
  };
}
