import { constants } from 'node:buffer';
import type { Dispatcher } from 'undici';
import type { QueryError } from '../model/failure.ts';
import { type EndpointName, endpoints } from '../query-api/endpoints.ts';
import { type AnswerFaultCode, answerFault, recogniseBody } from './answer-faults.ts';
import { type JsonLimits, JsonScan } from './json-scan.ts';

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

type Incoming = Pick<Dispatcher.ResponseData, 'headers' | 'body'>;

/** The bytes received so far. They are observed even if the request fails. */
export interface Received {
  bytes: number;
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

/** Error codes of a connection that ends during an answer. */
const cutCodes: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ECONNRESET']);

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

/** The buffer of a body grows by at most this much beyond the bytes received. */
const GROWTH = 1024 * 1024;

/** The error for a refused body: what its first bytes show, or else the limit that it exceeds. */
function refuse(body: Buffer, code: AnswerFaultCode, detail?: string): QueryError {
  const what = recogniseBody(body);
  return what === 'ANSWER_NOT_JSON' || what === 'ANSWER_EMPTY' ? answerFault(code, detail) : answerFault(what);
}

/** Collects a body in a buffer that grows in place, because joining many megabytes at the end would block. */
async function collect({ headers, body }: Incoming, limits: BodyLimits, received: Received): Promise<Buffer> {
  const announced = Number(headers['content-length'] ?? 0);
  const memory = new ArrayBuffer(0, { maxByteLength: limits.size });
  const bytes = new Uint8Array(memory);
  const scan = new JsonScan(limits);
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const at = received.bytes;
    const head = at === 0 ? chunk : Buffer.from(memory);
    received.bytes += chunk.byteLength;
    if (Math.max(received.bytes, announced) > limits.size) {
      throw refuse(head, 'ANSWER_TOO_LARGE', `limit of ${limits.source}: ${limits.size} bytes`);
    }
    const passed = scan.push(chunk);
    if (passed !== undefined) throw refuse(head, faults[passed], `limit: ${limits[passed]}`);
    if (received.bytes > memory.byteLength) memory.resize(Math.min(received.bytes + GROWTH, limits.size));
    bytes.set(chunk, at);
  }
  memory.resize(received.bytes);
  const whole = Buffer.from(memory);
  if (scan.isOpen) throw refuse(whole, 'ANSWER_INCOMPLETE');
  return whole;
}

/**
 * Reads a body, and checks its size and structure as it arrives, before anything is decoded. If the body is refused, the
 * connection is closed and the rest is not read.
 *
 * @throws QueryError of kind `too_large`, `parse`, or `connect` when the connection ends too early
 */
export async function readBody(response: Incoming, limits: BodyLimits, received: Received): Promise<Buffer> {
  try {
    const encoding = String(response.headers['content-encoding'] ?? '').trim();
    if (!/^(identity)?$/i.test(encoding)) throw answerFault('ANSWER_COMPRESSED', 'by its Content-Encoding');
    return await collect(response, limits, received);
  } catch (error) {
    // destroying a body that is not being read yet emits an error
    response.body.on('error', () => undefined).destroy();
    const { code } = error as { code?: unknown };
    throw cutCodes.has(code) ? answerFault('ANSWER_CUT', `after ${received.bytes} bytes, ${code}`, error) : error;
  }
}
