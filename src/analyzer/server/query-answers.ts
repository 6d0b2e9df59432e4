import type { LocalTime } from '../../base/model/local-time.ts';
import type { Collected } from '../../base/model/observation/observation.ts';
import { type EndpointName, endpoints } from '../../base/query-api/endpoints.ts';
import type { Fields } from '../../base/query-api/field.ts';
import { writeJson } from '../../base/query-api/json.ts';
import { readParameters } from '../../base/query-api/parameters.ts';
import { recordFields } from '../../base/query-api/records.ts';
import {
  getEfficiency,
  getHeatMap,
  getHistory,
  getHistoryReserved,
  type HistoryWindowParameters,
} from '../history/history-charts.ts';
import { StoreError } from '../history/history-file.ts';
import { eachSliced, type HistorySelector, type Parameters, type Recorded } from '../history/recorded-days.ts';
import type { Store } from '../history/store.ts';
import { getExpirationFeatures } from './expiration-records.ts';
import { findPools, toFeature } from './feature-records.ts';
import { getConcurrentUsers, getProducts, getServerDown } from './product-records.ts';
import { failure, JSON_TYPE, type Reply, TEXT_TYPE } from './reply.ts';
import { getUsers } from './user-records.ts';

/**
 * The text of records as `writeJson` writes it, several times faster: `JSON.stringify` writes all of them at once. It writes null
 * for NaN, so the fields that can be NaN are then looked for in the text.
 *
 * @param fields the table of the records; a field that is unknown as `NaN` is never null or infinite
 */
export function createRecordWriter(fields: Fields): (records: readonly object[]) => string {
  const names = Object.keys(fields).filter((name) => fields[name]?.unknown === 'NaN');
  const canBeNaN: ReadonlySet<string> = new Set(names);
  return (records) => writeNaN(JSON.stringify(records), canBeNaN);
}

const NULL_VALUE = ':null';

/**
 * Writes `NaN` for null after these names. A quote within a text has a backslash before it, so what stands between two
 * quotes and `:null` is the name of a member, or ends with a backslash.
 */
function writeNaN(body: string, members: ReadonlySet<string>): string {
  let changed = '';
  let done = 0;
  for (let at = body.indexOf(NULL_VALUE); at !== -1; at = body.indexOf(NULL_VALUE, at + 1)) {
    if (body[at - 1] !== '"' || !members.has(body.slice(body.lastIndexOf('"', at - 2) + 1, at - 1))) continue;
    changed += `${body.slice(done, at)}:NaN`;
    done = at + NULL_VALUE.length;
  }
  return changed + body.slice(done);
}

/** What an answer is made from. */
export interface BodyContext {
  readonly current: readonly Collected[];
  /** Epoch seconds. */
  readonly now: number;
  /** The user of the request, `domain\user`. */
  readonly identity: string;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  /** @throws StoreError if history cannot be read now */
  readonly recorded: () => Recorded;
}

/** The body of an answer, in one or more pieces, and whether it is JSON. */
export interface EndpointBody {
  readonly isJson: boolean;
  readonly body: readonly Buffer[];
}

/** Records of a piece of a body. The text of a larger one would not fit where short-lived data is collected cheaply. */
const PIECE = 100;

const json = (value: unknown): EndpointBody => ({ isJson: true, body: [Buffer.from(writeJson(value))] });
const text = (body: string): EndpointBody => ({ isJson: false, body: [Buffer.from(body)] });

const writeFeatures = createRecordWriter(recordFields.GetFeatures);

/**
 * Records as an array inside an array (spec 4.2), written piece by piece. The brackets of a piece are changed as bytes: as texts,
 * each piece would be copied twice.
 */
async function getFeatures({ current, now, signal }: BodyContext, parameters: Parameters): Promise<EndpointBody> {
  const pools = findPools(current, parameters);
  const begins = Array.from({ length: Math.ceil(pools.length / PIECE) }, (_, i) => i * PIECE);
  const body = [Buffer.from('[[')];
  const write = (from: number): void => {
    const bytes = Buffer.from(writeFeatures(pools.slice(from, from + PIECE).map((found) => toFeature(found, now))));
    bytes.write(',');
    body.push(bytes.subarray(from === 0 ? 1 : 0, -1));
  };
  await eachSliced(begins, write, signal);
  body.push(Buffer.from(']]'));
  return { isJson: true, body };
}

function selectorOf(parameters: Parameters): HistorySelector {
  const { product = '', feature = '', package: packageName = '', ftype, type } = parameters;
  return { product, feature, package: packageName, featureType: ftype ?? type ?? '' };
}

function windowParameters({ year = '', month = '', last }: Parameters): HistoryWindowParameters {
  return { year, month, ...(last !== undefined && { last }) };
}

type MakeBody = (context: BodyContext, parameters: Parameters) => EndpointBody | Promise<EndpointBody>;

/** The answer of each endpoint. Parameters are already checked. */
export const endpointBodies: Readonly<Record<EndpointName, MakeBody>> = {
  GetProducts: ({ current, now }, parameters) => json(getProducts(current, now, parameters)),
  GetFeatures: getFeatures,
  GetUsers: ({ current }, parameters) => json(getUsers(current, parameters)),
  GetServerDown: ({ current, now }, parameters) => json(getServerDown(current, now, parameters)),
  GetExpirationFeatures: ({ current, now }, parameters) => json(getExpirationFeatures(current, now, parameters)),
  GetHistory: async ({ recorded }, parameters) => json(await getHistory(recorded(), selectorOf(parameters))),
  GetHistoryReserved: async ({ recorded }, parameters) =>
    json(await getHistoryReserved(recorded(), selectorOf(parameters))),
  GetEfficiency: async ({ recorded }, parameters) =>
    json(await getEfficiency(recorded(), selectorOf(parameters), windowParameters(parameters))),
  GetHeatMap: async ({ recorded }, parameters) =>
    json(await getHeatMap(recorded(), selectorOf(parameters), windowParameters(parameters))),
  GetHttpUserName: ({ identity }) => text(identity),
  // a bare value cannot be left out
  GetConcurrentUsers: ({ current, now }) => text(String(getConcurrentUsers(current, now) ?? Number.NaN)),
};

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
