import { QueryError } from '../../../base/model/failure.ts';
import type { EfficiencyHistory, HeatMap, ReservedHistory, TrendSeries } from '../../../base/model/history.ts';
import type {
  Answer,
  ExpirationRecord,
  FeatureRecord,
  ProductRecord,
  ServerDownRecord,
  UserRecord,
} from '../../../base/model/records.ts';
import type { EndpointName } from '../../../base/query-api/endpoints.ts';
import { readJson } from '../../../base/query-api/json.ts';
import { answerFault, recogniseBody } from './answer-faults.ts';
import { decodeEfficiency, decodeHeatMap, decodeReserved, decodeTrend } from './decode-series.ts';
import { isObject, RecordAnswer } from './record-answer.ts';
import { expirations, features, products, type RecordKind, serversDown, users } from './record-kinds.ts';

/** The decoded answer of each endpoint. */
export interface Answers {
  GetProducts: Answer<ProductRecord>;
  GetFeatures: Answer<FeatureRecord>;
  GetUsers: Answer<UserRecord>;
  GetServerDown: Answer<ServerDownRecord>;
  GetExpirationFeatures: Answer<ExpirationRecord>;
  GetHistory: readonly TrendSeries[];
  GetHistoryReserved: ReservedHistory;
  GetEfficiency: EfficiencyHistory;
  GetHeatMap: HeatMap;
  GetHttpUserName: string;
  /** `undefined` if the analyzer reports it as not known. */
  GetConcurrentUsers: number | undefined;
}

/** @throws QueryError of kind `schema` when there are records, but none is usable */
function decodeRecords<R>(raws: readonly unknown[], kind: RecordKind<R>, permanentAfter: number): Answer<R> {
  const answer = new RecordAnswer(kind, permanentAfter);
  const texts = new Set<string>();
  for (const raw of raws) {
    const text = JSON.stringify(raw);
    answer.add(answer.decode(raw), texts.has(text));
    texts.add(text);
  }
  return answer.finish();
}

function array(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new QueryError('schema', `${what} is not an array`);
}

/** Flattens an array of arrays of records (spec 4.2). An answer without the outer array is accepted too. */
function flatten(value: unknown): readonly unknown[] {
  return array(value, 'the answer').flatMap((item) => (Array.isArray(item) ? item : [item]));
}

function usersData(value: unknown): readonly unknown[] {
  return array(isObject(value) ? value.data : undefined, 'data of the answer');
}

function bareInteger(body: Buffer): number | undefined {
  const text = body.toString('utf8').trim();
  if (text === 'NaN') return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const what = recogniseBody(body);
  throw what === 'ANSWER_NOT_JSON' ? new QueryError('parse', 'the answer is not a bare integer') : answerFault(what);
}

function bareText(body: Buffer): string {
  const what = recogniseBody(body);
  // text is not JSON
  if (what === 'ANSWER_NOT_JSON') return body.toString('utf8').trim();
  throw answerFault(what);
}

function json(body: Buffer): unknown {
  try {
    return readJson(body);
  } catch {
    // the parser's own message quotes the body, which may contain user names
    throw answerFault(recogniseBody(body));
  }
}

type Decoders = { readonly [E in EndpointName]: (body: Buffer, permanentAfter: number) => Answers[E] };

const decoders: Decoders = {
  GetProducts: (body, after) => decodeRecords(array(json(body), 'the answer'), products, after),
  GetFeatures: (body, after) => decodeRecords(flatten(json(body)), features, after),
  GetUsers: (body, after) => decodeRecords(usersData(json(body)), users, after),
  GetServerDown: (body, after) => decodeRecords(array(json(body), 'the answer'), serversDown, after),
  GetExpirationFeatures: (body, after) => decodeRecords(array(json(body), 'the answer'), expirations, after),
  GetHistory: (body) => decodeTrend(array(json(body), 'the answer'), Date.now()),
  GetHistoryReserved: (body) => decodeReserved(array(json(body), 'the answer')),
  GetEfficiency: (body) => decodeEfficiency(array(json(body), 'the answer')),
  GetHeatMap: (body) => decodeHeatMap(array(json(body), 'the answer')),
  GetHttpUserName: bareText,
  GetConcurrentUsers: bareInteger,
};

/**
 * Turns the body of an answer into model records. The body is changed in place (see `readJson`).
 *
 * @param permanentAfter a license that expires at this time or later is permanent, epoch seconds
 * @throws QueryError of kind `parse` or `schema` when the answer as a whole is not usable; a single bad record or value
 *   is left out and counted
 */
export function decodeAnswer<E extends EndpointName>(endpoint: E, body: Buffer, permanentAfter: number): Answers[E] {
  return decoders[endpoint](body, permanentAfter);
}
