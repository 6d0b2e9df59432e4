import { type FailureKind, QueryError } from '../../../base/model/failure.ts';
import { blankOutsideStrings } from '../../../base/query-api/json.ts';
import { faultIn, type JsonFault, textAround } from '../../../base/query-api/json-fault.ts';
import { recordFields } from '../../../base/query-api/records.ts';

interface AnswerFault {
  readonly kind: FailureKind;
  /** The problem and its remedy, in at most 120 characters: our limit for an HTTP reason phrase. */
  readonly message: string;
}

/** Why an answer as a whole is not usable: the error's `code`, the log field `code` and the table of docs/troubleshoot.md. */
export const answerFaults = {
  ANSWER_HTML: {
    kind: 'parse',
    message:
      'the answer is an HTML page, not JSON: a logon portal or proxy answered, or analyzer.url is wrong; open it in a browser',
  },
  ANSWER_XML: {
    kind: 'parse',
    message: 'the answer is XML, not JSON: set the analyzer, or a proxy that changes the Accept header, to answer JSON',
  },
  ANSWER_COMPRESSED: {
    kind: 'parse',
    message:
      'the answer is compressed, which was not requested: disable compression in the analyzer or the proxy in front of it',
  },
  ANSWER_UTF16: {
    kind: 'parse',
    message: 'the answer is UTF-16, not UTF-8: set the analyzer or the proxy in front of it to answer in UTF-8',
  },
  ANSWER_EMPTY: {
    kind: 'parse',
    message: 'the answer is empty: check the log of the analyzer and of a proxy in front of it',
  },
  ANSWER_INCOMPLETE: {
    kind: 'parse',
    message:
      'the answer ends within its JSON: check timeouts and size limits of the analyzer and of a proxy in front of it',
  },
  ANSWER_BAD_JSON: {
    kind: 'parse',
    message: 'the body of the answer has a mistake in its JSON: report it to who provides the analyzer',
  },
  ANSWER_NOT_JSON: {
    kind: 'parse',
    message: 'the answer is not JSON: check that analyzer.url leads to the Query API',
  },
  ANSWER_CUT: {
    kind: 'connect',
    message:
      'the connection was closed during the answer: check timeouts and size limits of a proxy in front of the analyzer',
  },
  ANSWER_TWO_LENGTHS: {
    kind: 'parse',
    message:
      'the headers of the answer announce two lengths, or are not HTTP: correct the analyzer, or the proxy that adds one',
  },
  ANSWER_TOO_LARGE: {
    kind: 'too_large',
    message:
      'the answer is too large: if this is expected, raise analyzer.max_response_size (charts: analyzer.max_chart_size)',
  },
  ANSWER_LONG_ITEM: {
    kind: 'too_large',
    message: 'an item of the answer is too long for the Query API: check that analyzer.url leads to it',
  },
  ANSWER_TOO_DEEP: {
    kind: 'too_large',
    message: 'the answer nests arrays or objects too deeply for the Query API: check that analyzer.url leads to it',
  },
  ANSWER_TOO_MANY_ITEMS: {
    kind: 'too_large',
    message:
      'the answer has too many array items: set features.request: per_vendor_license, or ask for a shorter chart',
  },
  ANSWER_TOO_MANY_MEMBERS: {
    kind: 'too_large',
    message: 'the answer has too many object members: set features.request: per_vendor_license',
  },
  ANSWER_TOO_MUCH_MEMORY: {
    kind: 'too_large',
    message: 'decoding the answer takes too much memory: set features.request: per_vendor_license',
  },
} as const satisfies Record<string, AnswerFault>;

/** The codes of answers that cannot be used, which docs/troubleshoot.md lists. */
export type AnswerFaultCode = keyof typeof answerFaults;

/** The error for an answer that is not usable, with details in parentheses. Details must not quote the body. */
export function answerFault(code: AnswerFaultCode, detail?: string, cause?: unknown): QueryError {
  const { kind, message } = answerFaults[code];
  return new QueryError(kind, detail === undefined ? message : `${message} (${detail})`, { code, cause });
}

/** Bytes of a body that are enough to recognise it. */
const HEAD = 1024;

/** First bytes of gzip, zlib (three levels) and Zstandard; brotli has none. */
const compressed = ['1f8b', '7801', '789c', '78da', '28b52ffd'];

/** Recognises what a body is that could not be decoded. */
export function recogniseBody(body: Buffer): AnswerFaultCode {
  const head = body.subarray(0, HEAD);
  const hex = head.toString('hex', 0, 4);
  if (compressed.some((magic) => hex.startsWith(magic))) return 'ANSWER_COMPRESSED';
  if (hex.startsWith('fffe') || hex.startsWith('feff') || head[0] === 0 || head[1] === 0) return 'ANSWER_UTF16';
  const text = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (text === '') return body.length > HEAD ? 'ANSWER_NOT_JSON' : 'ANSWER_EMPTY';
  if (text.startsWith('[') || text.startsWith('{')) return 'ANSWER_BAD_JSON';
  if (!text.startsWith('<')) return 'ANSWER_NOT_JSON';
  return /<(!doctype\s+html|html|head|body|title|h1|p|div)\b/i.test(text) ? 'ANSWER_HTML' : 'ANSWER_XML';
}

const knownNames: ReadonlySet<string> = new Set([
  ...Object.values(recordFields).flatMap((fields) => Object.keys(fields)),
  ...['data', 'totalCount', 'name', 'series', 'categories'],
]);

/** Where a mistake is in a body: the bytes and the records before it. */
export interface BodyPlace {
  readonly bytes: number;
  readonly records: number;
}

/**
 * Where a text stops being JSON: `byte 3412, record 7: after "LogActive": comes xxx`. `undefined` if it does not, or if it is only
 * a beginning. Values are not repeated, because they can be names of users.
 *
 * @param locate finds the place in the body, if the text is a part of one
 */
export function placeOfFault(
  text: Buffer,
  locate: (fault: JsonFault) => BodyPlace = ({ at, objects }) => ({ bytes: at, records: objects }),
): string | undefined {
  const bytes = Buffer.from(text);
  blankOutsideStrings(bytes);
  // in Latin-1, each character is a byte
  const read = bytes.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '   ');
  const fault = faultIn(read);
  if (fault === undefined || fault.at === read.length) return undefined;
  const place = locate(fault);
  const around = textAround(read, fault.at, (name) => knownNames.has(name));
  return `byte ${place.bytes + 1}, record ${place.records + 1}: ${around}`;
}

/** The error for a body that is not JSON. @param head its first kilobyte, or more. @param place as of `placeOfFault` */
export function bodyFault(head: Buffer, place: string | undefined): QueryError {
  const what = recogniseBody(head);
  return answerFault(what, what === 'ANSWER_BAD_JSON' ? place : undefined);
}

/** Scheme and host of a redirect. Its path and query are left out, because they may contain a session or a name. */
function destination(location: unknown, url: string): string {
  try {
    const { origin } = new URL(String(Array.isArray(location) ? location[0] : location), url);
    return origin === new URL(url).origin ? 'another path of the same server' : origin;
  } catch {
    return 'an address that is not valid';
  }
}

/**
 * The error for a status other than 200. Redirects are not followed, because the logon is for one server.
 *
 * @param location the `Location` header
 * @param url URL of the request
 */
export function statusFault(status: number, location: unknown, url: string): QueryError {
  const isRedirect = status >= 300 && status < 400 && location !== undefined;
  const finding = `the analyzer answered ${status}`;
  if (!isRedirect) return new QueryError('status', finding, { code: String(status) });
  return new QueryError(
    'status',
    `${finding} and redirects to ${destination(location, url)}; redirects are not followed`,
    {
      code: String(status),
      remedy: 'set analyzer.url to that address, or allow this host through the portal or proxy in between',
    },
  );
}
