import type { LocalTime } from '../../base/model/local-time.ts';
import type { Collected } from '../../base/model/observation/observation.ts';
import { type EndpointName, endpoints } from '../../base/query-api/endpoints.ts';
import { readParameters } from '../../base/query-api/parameters.ts';
import { StoreError } from '../history/history-file.ts';
import type { Store } from '../history/store.ts';
import { endpointBodies } from './endpoint-bodies.ts';
import { failure, JSON_TYPE, type Reply, TEXT_TYPE } from './reply.ts';

/** A question to the Query API, over HTTP or from this process. */
export interface Question {
  readonly endpoint: EndpointName;
  /** The parameters as in a URL, without `?`. */
  readonly query: string;
  /** Who asks, `domain\user`. */
  readonly identity: string;
}

/** Never rejects: a failure is a reply too. @param signal aborted when nobody waits for the answer any more */
export type AnswerQuestion = (question: Question, signal: AbortSignal) => Promise<Reply>;

/** What answers are made from. */
export interface QueryAnswersOptions {
  readonly current: () => readonly Collected[];
  /** @throws StoreError if history cannot be read now */
  readonly store: () => Store;
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: () => number;
  /** What is wrong with the history; it is reported only once. */
  readonly knownProblem: () => string | undefined;
  readonly onProblem: (error: unknown) => void;
}

/** Answers questions from what was collected last and from the history. */
export function createQueryAnswers(options: QueryAnswersOptions): AnswerQuestion {
  const { current, store, localTime, onProblem } = options;

  const answer = async ({ endpoint, query, identity }: Question, signal: AbortSignal): Promise<Reply> => {
    const parameters = readParameters(endpoints[endpoint], query);
    if (!parameters.ok) return failure(parameters.code, parameters.message, { parameter: parameters.parameter });
    const now = Math.floor(options.now());
    const { isJson, body } = await endpointBodies[endpoint](
      { current: current(), now, identity, signal, recorded: () => ({ store: store(), localTime, now, signal }) },
      parameters.values,
    );
    return { status: 200, body, type: isJson ? JSON_TYPE : TEXT_TYPE };
  };

  return async (question, signal) => {
    try {
      return await answer(question, signal);
    } catch (error) {
      const isKnown = error instanceof StoreError && options.knownProblem() === error.message;
      // nobody waits for it any more: not a problem
      if (!signal.aborted && !isKnown) onProblem(error);
      return error instanceof StoreError
        ? failure('history_unavailable', 'history cannot be read now; see the log of the analyzer')
        : failure('internal_error', 'the request failed');
    }
  };
}
