import { withDeadline } from '../../base/model/deadline.ts';
import { QueryError } from '../../base/model/failure.ts';
import { type EndpointName, endpoints, type ParametersOf } from '../../base/query-api/endpoints.ts';
import { writeQuery } from '../../base/query-api/parameters.ts';
import { statusFault } from '../inventory/decoding/answer-faults.ts';
import type { Decoder, IncomingAnswer } from '../inventory/decoding/decoder.ts';
import type { RequestObservation, Transport } from './transport.ts';

/** The answer of an analyzer in this process: a status of HTTP, and the body in pieces. */
interface OwnReply {
  readonly status: number;
  readonly body: readonly Buffer[];
}

/** A question to an analyzer in this process. */
interface OwnQuestion {
  readonly endpoint: EndpointName;
  /** The parameters as in a URL, without `?`. */
  readonly query: string;
  /** Who asks. Only GetHttpUserName says so. */
  readonly identity: string;
}

const IDENTITY = 'license-exporter';

/** An analyzer in this process, and who is told about requests. */
export interface OwnTransportOptions {
  readonly ask: (question: OwnQuestion, signal: AbortSignal) => Promise<OwnReply>;
  /** Timeout of a request in seconds, decoding included. */
  readonly timeout: number;
  readonly observe: (observation: RequestObservation) => void;
}

function failureOf(error: unknown, signal: AbortSignal): QueryError {
  if (signal.aborted) {
    return signal.reason instanceof QueryError ? signal.reason : new QueryError('aborted', 'the request was canceled');
  }
  return error instanceof QueryError ? error : new QueryError('parse', 'decoding the answer failed', { cause: error });
}

/** Rejects when a signal is aborted, which it is not yet. */
function endOf(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason));
  // nobody may be waiting for it
  promise.catch(() => undefined);
  return promise;
}

/** Passes the body to the decoder, as fast as it is decoded. What the decoder refuses, or nobody waits for, is not passed on. */
async function decode<T>(body: readonly Buffer[], incoming: IncomingAnswer<T>, end: Promise<never>): Promise<T> {
  let isOver = false;
  const pass = async (): Promise<T> => {
    for (const piece of body) {
      await incoming.write(piece);
      if (isOver) return incoming.result;
    }
    incoming.end();
    return incoming.result;
  };
  try {
    return await Promise.race([incoming.result, pass(), end]);
  } catch (error) {
    incoming.abort();
    throw error;
  } finally {
    isOver = true;
  }
}

/** Hands over the answers of an analyzer in this process: without a port, and without a logon. */
export function createOwnTransport({ ask, timeout, observe }: OwnTransportOptions): Transport {
  const request = async <A, E extends EndpointName & keyof A>(
    endpoint: E,
    parameters: ParametersOf<E>,
    stop: AbortSignal,
    decoder: Decoder<A>,
    before?: A[E],
  ): Promise<A[E]> => {
    const started = performance.now();
    let bytes = 0;
    const observed = (failure?: QueryError): void =>
      observe({
        endpoint,
        seconds: (performance.now() - started) / 1000,
        bytes,
        ...(failure !== undefined && { failure: failure.kind }),
      });
    const answerOf = async (signal: AbortSignal): Promise<A[E]> => {
      signal.throwIfAborted();
      const end = endOf(signal);
      const query = writeQuery(endpoints[endpoint], parameters).slice(1);
      // it need not look at the signal
      const { status, body } = await Promise.race([ask({ endpoint, query, identity: IDENTITY }, signal), end]);
      signal.throwIfAborted();
      if (status !== 200) throw statusFault(status, undefined, '');
      bytes = body.reduce((sum, piece) => sum + piece.length, 0);
      return decode(body, decoder.open(endpoint, before), end);
    };
    try {
      const answer = await withDeadline({ what: 'the request', seconds: timeout, stop }, answerOf);
      observed();
      return answer;
    } catch (error) {
      const failure = failureOf(error, stop);
      observed(failure);
      throw failure;
    }
  };
  return { request, isOwnAnalyzer: true, clockAhead: 0, close: async () => undefined };
}
