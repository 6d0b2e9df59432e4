import { constants } from 'node:buffer';
import type { QueryError } from '../model/failure.ts';
import { type EndpointName, endpoints } from '../query-api/endpoints.ts';
import { type AnswerFaultCode, answerFault, recogniseBody } from './answer-faults.ts';
import type { JsonLimits } from './json-scan.ts';

/** The configured limits, in bytes. */
export interface SizeLimits {
  readonly maxResponseSize: number;
  readonly maxChartSize: number;
}

/** The limits of one body. */
export interface BodyLimits extends JsonLimits {
  /** Bytes. */
  readonly size: number;
  /** The setting that limits the size, for the error message. */
  readonly source: string;
}

/** A bare value is one name or number. */
const BARE_SIZE = 64 * 1024;

/** Ten times the 100,000 features of a very large site. Even an empty item becomes a record of 45 fields. */
const RECORDS = 1_000_000;

/** The series of a chart consist of array items. */
const CHART_ITEMS = 5_000_000;

/** The members of 177,000 features. V8 takes minutes to parse an object with more than 8.4 million names. */
const MEMBERS = 8_000_000;

const DEPTH = 32;

const faults: Readonly<Record<keyof JsonLimits, AnswerFaultCode>> = {
  depth: 'ANSWER_TOO_DEEP',
  items: 'ANSWER_TOO_MANY_ITEMS',
  members: 'ANSWER_TOO_MANY_MEMBERS',
};

/** The limits of a body of this endpoint. */
export function limitsOf(endpoint: EndpointName, { maxResponseSize, maxChartSize }: SizeLimits): BodyLimits {
  // the longest string that V8 supports
  const size = Math.min(maxResponseSize, constants.MAX_STRING_LENGTH);
  const whole = { size, source: 'analyzer.max_response_size', depth: DEPTH, items: RECORDS, members: MEMBERS };
  switch (endpoints[endpoint].answer) {
    case 'records':
    case 'nested-records':
    case 'users':
      return whole;
    case 'text':
    case 'integer':
      return { ...whole, size: Math.min(size, BARE_SIZE), source: 'a bare value' };
    default: {
      const chart = { ...whole, items: CHART_ITEMS };
      return maxChartSize < size ? { ...chart, size: maxChartSize, source: 'analyzer.max_chart_size' } : chart;
    }
  }
}

/** The error for a refused body: what its first bytes show, or else the limit that it exceeds. */
export function refuse(body: Buffer, code: AnswerFaultCode, detail?: string): QueryError {
  const what = recogniseBody(body);
  return what === 'ANSWER_NOT_JSON' || what === 'ANSWER_EMPTY' ? answerFault(code, detail) : answerFault(what);
}

/** The error for a body whose structure exceeds a limit. */
export const refuseStructure = (body: Buffer, limits: BodyLimits, passed: keyof JsonLimits): QueryError =>
  refuse(body, faults[passed], `limit: ${limits[passed]}`);
