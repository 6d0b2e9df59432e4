import type { FastifyReply } from 'fastify';
import { DatasourceError } from '../answers/errors.ts';

/**
 * Runs work until the client has disconnected, or the deadline has passed.
 *
 * @param seconds of the whole request: they include its time in the queue
 */
export async function withDeadline<T>(
  reply: FastifyReply,
  seconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new DatasourceError('upstream_down', 'the client has disconnected')));
  const late = setTimeout(
    () => gone.abort(new DatasourceError('deadline', `the analyzer did not answer within ${seconds} s`)),
    seconds * 1000 - reply.elapsedTime,
  );
  try {
    return await work(gone.signal);
  } finally {
    clearTimeout(late);
  }
}
