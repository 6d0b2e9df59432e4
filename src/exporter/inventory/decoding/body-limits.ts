import { constants } from 'node:buffer';
import type { QueryError } from '../../../base/model/failure.ts';
import { type AnswerKind, type EndpointName, endpoints } from '../../../base/query-api/endpoints.ts';
import { type AnswerFaultCode, answerFault, bodyFault, recogniseBody } from './answer-faults.ts';
import type { JsonLimits } from './json-scan.ts';

/** The configured limits, in bytes. */
export interface SizeLimits {
  readonly maxResponseSize: number;
  readonly maxChartSize: number;
}

export interface SizeLimit {
  /** Bytes. */
  readonly size: number;
  /** The setting that limits the size, for the error message. */
  readonly source: string;
}

/** A bare value is one name or number. */
const BARE_SIZE = 64 * 1024;

/** Two and a half times the features of a very large site. Even an empty item becomes a record of 45 fields: about a kilobyte. */
const RECORDS = 250_000;

/** The series of a chart consist of array items. */
const CHART_ITEMS = 5_000_000;

/** Of a text that is parsed at once: V8 takes minutes for an object with more than 8.4 million names. */
const MEMBERS = 8_000_000;

const DEPTH = 32;

const recordAnswers: ReadonlySet<AnswerKind> = new Set(['records', 'nested-records', 'users']);
const bareAnswers: ReadonlySet<AnswerKind> = new Set(['text', 'integer']);

const isRecords = (endpoint: EndpointName): boolean => recordAnswers.has(endpoints[endpoint].answer);
const isBare = (endpoint: EndpointName): boolean => bareAnswers.has(endpoints[endpoint].answer);

const faults: Readonly<Record<keyof JsonLimits, AnswerFaultCode>> = {
  depth: 'ANSWER_TOO_DEEP',
  items: 'ANSWER_TOO_MANY_ITEMS',
  members: 'ANSWER_TOO_MANY_MEMBERS',
};

/** The limit of the size of a body of this endpoint. */
export function sizeLimitOf(endpoint: EndpointName, { maxResponseSize, maxChartSize }: SizeLimits): SizeLimit {
  // the longest string that V8 supports
  const size = Math.min(maxResponseSize, constants.MAX_STRING_LENGTH);
  const whole = { size, source: 'analyzer.max_response_size' };
  if (isBare(endpoint)) return { size: Math.min(size, BARE_SIZE), source: 'a bare value' };
  if (isRecords(endpoint) || maxChartSize >= size) return whole;
  return { size: maxChartSize, source: 'analyzer.max_chart_size' };
}

/** The limits of the structure of a body of this endpoint. */
export function structureLimitsOf(endpoint: EndpointName): JsonLimits {
  const items = isRecords(endpoint) || isBare(endpoint) ? RECORDS : CHART_ITEMS;
  return { depth: DEPTH, items, members: MEMBERS };
}

/** The error for a refused body: what its first kilobyte shows, or else the limit that it exceeds. */
export function refuse(body: Buffer, code: AnswerFaultCode, detail?: string): QueryError {
  const what = recogniseBody(body);
  const isOpen = what === 'ANSWER_BAD_JSON' || what === 'ANSWER_NOT_JSON' || what === 'ANSWER_EMPTY';
  return isOpen ? answerFault(code, detail) : answerFault(what);
}

/** The error for a body in which something is open at its end. After a quote too many, that says nothing: the mistake is named. */
export const incomplete = (body: Buffer, place: string | undefined): QueryError =>
  place === undefined ? refuse(body, 'ANSWER_INCOMPLETE') : bodyFault(body, place);

/** The error for a body whose structure exceeds a limit. */
export const refuseStructure = (body: Buffer, limits: JsonLimits, passed: keyof JsonLimits): QueryError =>
  refuse(body, faults[passed], `limit: ${limits[passed]}`);
