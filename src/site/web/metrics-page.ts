import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Bytes. The system gets one chunk at a time: this shows whether a slow client reads anything. */
const CHUNK = 64 * 1024;

/** Whether a response is large enough for chunks. */
export const isLong = ({ length }: string | Buffer): boolean => length > CHUNK;

/** Splits a body into chunks of at most 64 KiB, without a copy. */
export async function* chunksOf(buffers: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const buffer of buffers) {
    for (let from = 0; from < buffer.length; from += CHUNK) yield buffer.subarray(from, from + CHUNK);
  }
}

/** A page of metrics, ready to be sent. */
export interface MetricsPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The whole bytes, parts of them, or what creates the parts while they are sent. */
  readonly body: Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>;
}

/** What of a scrape decides about its answer. */
export interface MetricsRequest {
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  /** The values of `collect[]`. */
  readonly collect: readonly string[];
}

/** Answers with the page that `create` returns for a request. */
export async function sendMetrics(
  create: (request: MetricsRequest) => Promise<MetricsPage>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = request.query as Record<string, string | string[] | undefined>;
  const { status, headers, body } = await create({
    accept: request.headers.accept,
    acceptEncoding: single(request.headers['accept-encoding']),
    collect: [query['collect[]'] ?? []].flat(),
  });
  const isHead = request.method === 'HEAD';
  if (isIterated(body) && !isHead)
    return reply
      .code(status)
      .headers({ ...headers })
      .send(Readable.from(chunksOf(body)));
  // finished bytes are written directly: a stream for each response would cost more than the rest of the scrape
  const finished = isIterated(body) ? undefined : body instanceof Uint8Array ? [body] : body;
  const length = finished?.reduce((sum, part) => sum + part.length, 0);
  reply.hijack();
  const common = reply.getHeaders() as OutgoingHttpHeaders;
  reply.raw.writeHead(status, { ...common, ...headers, ...(length !== undefined && { 'content-length': length }) });
  sendFinished(reply.raw, isHead ? [] : (finished ?? []));
  return reply;
}

const isIterated = (body: MetricsPage['body']): body is AsyncIterable<Uint8Array> => Symbol.asyncIterator in body;

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Sends finished bytes without joining them. The system gets one chunk at a time, and the next one when it has taken the
 * last: a slow client is noticed, and holds no memory but the shared bytes. Ends early if the client disconnects.
 */
function sendFinished(response: ServerResponse, buffers: readonly Uint8Array[]): void {
  let index = 0;
  let at = 0;
  const send = (): void => {
    for (let buffer = buffers[index]; buffer !== undefined; buffer = buffers[index]) {
      const chunk = at === 0 && buffer.length <= CHUNK ? buffer : buffer.subarray(at, at + CHUNK);
      at += CHUNK;
      if (at >= buffer.length) {
        index += 1;
        at = 0;
      }
      if (index === buffers.length) response.end(chunk);
      else if (chunk.length > 0 && !response.write(chunk)) {
        response.once('drain', send);
        return;
      }
    }
  };
  if (buffers.length === 0) response.end();
  else send();
}
