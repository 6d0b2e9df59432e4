import type { EndpointName } from '../../src/base/query-api/endpoints.ts';
import type { RecordChange } from './record-faults.ts';

/** What a fault does to an exchange. All faults except `reset`, and `stall` without `forwards`, act on the server's answer. */
export type Fault =
  | { readonly kind: 'delay'; readonly ms: number }
  /** The answer arrives in small pieces. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number }
  /** The headers arrive byte by byte. */
  | { readonly kind: 'loris'; readonly everyMs: number }
  /** The connection ends in the middle of the answer. */
  | { readonly kind: 'cut' }
  /** Some bytes of the body are replaced by zeros. */
  | { readonly kind: 'corrupt' }
  /** The answer arrives complete, with other records. */
  | { readonly kind: 'records'; readonly change: RecordChange }
  /** The connection is reset as soon as the request has arrived. */
  | { readonly kind: 'reset' }
  /** The server gets the request, and the connection ends before the answer. */
  | { readonly kind: 'swallow' }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  /** Bytes that are not HTTP. */
  | { readonly kind: 'garbage' }
  | { readonly kind: 'bomb'; readonly shape: 'deep' | 'wide' | 'endless'; readonly bytes: number }
  | { readonly kind: 'redirect' }
  /** A login page instead of the answer, with status 200. */
  | { readonly kind: 'html' }
  /** No answer; with `late` the answer is sent when the fault is over. With `forwards` the server gets the request at once. */
  | { readonly kind: 'stall'; readonly forwards?: boolean; readonly late?: boolean };

/**
 * Which requests a fault affects: all of them, all but NEGOTIATE messages (servers answer these before anything that can
 * stall), AUTHENTICATE messages only, or the requests of one endpoint after the CHALLENGE.
 */
export type Scope = 'all' | 'past_challenge' | 'verdicts' | EndpointName;

export interface PlannedFault {
  readonly atMs: number;
  readonly forMs: number;
  readonly fault: Fault;
  /** `all` by default. */
  readonly scope?: Scope;
}

/** An answer that the proxy itself sends. */
const answer = (line: string, headers: readonly string[], body: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      [`HTTP/1.1 ${line}`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`, '', ''].join('\r\n'),
      'latin1',
    ),
    Buffer.from(body),
  ]);

const page =
  '<!doctype html><html><head><title>Sign in</title></head><body><form action="/login"></form></body></html>';

function bomb(shape: 'deep' | 'wide', bytes: number): string {
  if (shape === 'deep') return '['.repeat(bytes);
  return `[${'[],'.repeat(Math.floor(bytes / 3))}[]]`;
}

/** The head of an answer that never ends. */
const endless = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n[',
  'latin1',
);

/** What is sent instead of the server's answer; `undefined` when the answer is sent. */
export function replacement(fault: Fault): Buffer | undefined {
  const json = 'Content-Type: application/json';
  switch (fault.kind) {
    case 'status': {
      const retry = fault.retryAfter === undefined ? [] : [`Retry-After: ${fault.retryAfter}`];
      return answer(`${fault.status} Fault`, ['Content-Type: text/html', ...retry], '<h1>Fault</h1>');
    }
    case 'redirect':
      return answer('302 Found', ['Location: http://127.0.0.1:9/login', 'Content-Type: text/html'], page);
    case 'html':
      return answer('200 OK', ['Content-Type: text/html'], page);
    case 'garbage':
      return Buffer.from('\u0000\u0001 this is no HTTP \r\n\r\n'.repeat(20), 'latin1');
    case 'bomb':
      return fault.shape === 'endless' ? endless : answer('200 OK', [json], bomb(fault.shape, fault.bytes));
    default:
      return undefined;
  }
}
