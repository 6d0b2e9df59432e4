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
import { isNoNumber, readJson } from '../../../base/query-api/json.ts';
import { answerFault, bodyFault, placeOfFault, recogniseBody } from './answer-faults.ts';
import { isObject, RecordAnswer } from './record-answer.ts';
import { expirations, features, products, type RecordKind, serversDown, users } from './record-kinds.ts';
import { EARLIEST } from './wire-values.ts';

/** Decodes the bodies of all endpoints. Of charts (spec 2.6), an unusable point is left out; a missing value is NaN. */

interface NamedData {
  readonly name: string;
  readonly data: readonly unknown[];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new QueryError('schema', 'the answer is not a chart object');
}

function list(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new QueryError('schema', `${what} of the chart is not an array`);
}

function namedData(value: unknown): NamedData {
  const { name, data } = record(value);
  return { name: typeof name === 'string' ? name : '', data: list(data, 'data') };
}

/** A number, or NaN: no data, or not a number. */
function numberOf(raw: unknown): number {
  if (raw === null || raw === undefined || raw === '') return Number.NaN;
  const number = typeof raw === 'string' ? Number(raw) : raw;
  return typeof number === 'number' && Number.isFinite(number) ? number : Number.NaN;
}

const numbersOf = (raws: readonly unknown[]): Float64Array => Float64Array.from(raws, numberOf);

/** Reads columns from the points. A point is left out unless its first `keys` numbers, which place it, are known. */
function columns(points: readonly unknown[], count: number, keys: number): readonly Float64Array[] {
  const found = Array.from({ length: count }, () => new Float64Array(points.length));
  let length = 0;
  for (const point of points) {
    if (!Array.isArray(point)) continue;
    for (const [i, column] of found.entries()) column[length] = numberOf(point[i]);
    if (found.slice(0, keys).every((column) => !Number.isNaN(column[length]))) length += 1;
  }
  return length === points.length ? found : found.map((column) => column.slice(0, length));
}

/** The columns in order of the times in the first one. Points of the same time keep their order. */
function sorted(at: Float64Array, of: Float64Array): readonly [at: Float64Array, of: Float64Array] {
  if (at.every((time, i) => i === 0 || (at[i - 1] as number) <= time)) return [at, of];
  const order = Uint32Array.from(at.keys()).sort((a, b) => (at[a] as number) - (at[b] as number) || a - b);
  const pick = (column: Float64Array): Float64Array => Float64Array.from(order, (i) => column[i] as number);
  return [pick(at), pick(of)];
}

/** The single chart of a one-element array; an empty array is an empty chart. */
function onlyChart(answer: readonly unknown[]): Readonly<Record<string, unknown>> | undefined {
  return answer.length === 0 ? undefined : record(answer[0]);
}

/** A chart can reach the end of the day in the time zone of the analyzer. A later point has a wrong time. */
const MOST_AHEAD_MS = 86_400_000;

const EARLIEST_MS = EARLIEST * 1000;

/**
 * GetHistory: `[epoch ms, value]` pairs, in order of time. Points more than a day after the receipt, or before 1990, are
 * discarded.
 *
 * @throws QueryError of kind `schema` when all points that have passed are before 1990: their times are no milliseconds
 */
export function decodeTrend(answer: readonly unknown[], receivedAtMs: number): readonly TrendSeries[] {
  return answer.map(namedData).map(({ name, data }) => {
    const [times, ofTimes] = columns(data, 2, 1) as [Float64Array, Float64Array];
    const [at, values] = sorted(times, ofTimes);
    const later = at.findIndex((time) => time > receivedAtMs + MOST_AHEAD_MS);
    const to = later === -1 ? at.length : later;
    const from = at.findIndex((time) => time >= EARLIEST_MS);
    if (to > 0 && (from === -1 || from >= to)) {
      const message = 'the times of the chart are before 1990: they must be epoch milliseconds, these may be seconds';
      throw new QueryError('schema', message);
    }
    const kept = at.slice(Math.max(from, 0), to);
    return { name, at: kept, values: values.slice(Math.max(from, 0), to), discarded: at.length - kept.length };
  });
}

/** GetHistoryReserved: one value per category. */
function decodeReserved(answer: readonly unknown[]): ReservedHistory {
  const chart = onlyChart(answer);
  if (chart === undefined) return { categories: [], series: [] };
  return {
    categories: list(chart.categories, 'categories').map(String),
    series: list(chart.series, 'series')
      .map(namedData)
      .map(({ name, data }) => ({ name, values: numbersOf(data) })),
  };
}

/** GetEfficiency: `[category, value]` pairs. */
function decodeEfficiency(answer: readonly unknown[]): EfficiencyHistory {
  const chart = onlyChart(answer);
  if (chart === undefined) return { series: [] };
  return {
    series: list(chart.series, 'series')
      .map(namedData)
      .map(({ name, data }) => {
        const pairs = data.filter((pair): pair is unknown[] => Array.isArray(pair) && pair[0] !== undefined);
        return {
          name,
          categories: pairs.map(([category]) => String(category)),
          values: Float64Array.from(pairs, (pair) => numberOf(pair[1])),
        };
      }),
  };
}

/** GetHeatMap: `[hour index, weekday index, value]` triples. */
function decodeHeatMap(answer: readonly unknown[]): HeatMap {
  const chart = onlyChart(answer);
  if (chart === undefined) return { hours: [], weekdays: [], series: [] };
  const [hours, weekdays] = list(chart.categories, 'categories');
  return {
    hours: list(hours, 'the first categories').map(String),
    weekdays: list(weekdays, 'the second categories').map(String),
    series: list(chart.series, 'series')
      .map(namedData)
      .map(({ name, data }) => {
        const [hourIndexes, weekdayIndexes, values] = columns(data, 3, 2) as [Float64Array, Float64Array, Float64Array];
        return { name, hourIndexes, weekdayIndexes, values };
      }),
  };
}

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
  if (isNoNumber(text)) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const what = recogniseBody(body);
  const isText = what === 'ANSWER_NOT_JSON' || what === 'ANSWER_BAD_JSON';
  throw isText ? new QueryError('parse', 'the answer is not a bare integer') : answerFault(what);
}

function bareText(body: Buffer): string {
  const what = recogniseBody(body);
  // text is not JSON
  if (what === 'ANSWER_NOT_JSON' || what === 'ANSWER_BAD_JSON') return body.toString('utf8').trim();
  throw answerFault(what);
}

function json(body: Buffer): unknown {
  try {
    return readJson(body);
  } catch {
    // the parser's own message quotes the body, which may contain user names
    throw bodyFault(body, placeOfFault(body));
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
