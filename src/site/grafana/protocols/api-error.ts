import type { FastifyReply } from 'fastify';

const errorTypes: Readonly<Record<number, string>> = {
  400: 'bad_data',
  401: 'unauthorized',
  403: 'forbidden',
  503: 'unavailable',
  504: 'timeout',
};

/** An error in the format of Prometheus, as in the other routes of `/api/v1`. */
export const sendError = (reply: FastifyReply, status: number, error: string): FastifyReply =>
  reply.code(status).send({ status: 'error', errorType: errorTypes[status] ?? 'internal', error });

/** The same for a request that is refused before it reaches a route. */
export const refuseAsJson = (reply: FastifyReply, _refusal: string, message: string): FastifyReply =>
  sendError(reply, reply.statusCode, message);
