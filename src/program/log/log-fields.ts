/** The fields of a line of the log, as they are written. */

/** Text that needs no quotes. */
const PLAIN = /^[^\s"=\p{Cc}]+$/u;

const textOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return PLAIN.test(text) ? text : JSON.stringify(text);
};

/** Members of objects have the names of both, with a dot. A list of texts is one text, as in the log for people. */
const pairsOf = (fields: object, prefix = ''): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) => {
    const key = `${prefix}${name.replaceAll(/[\s"=]/g, '_')}`;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return pairsOf(value, `${key}.`);
    const isTexts = Array.isArray(value) && value.every((item) => typeof item !== 'object');
    return `${key}=${textOf(isTexts ? value.join(', ') : value)}`;
  });

/** @param line the fields of a line, with `time`, `level` and `msg` */
export function logfmtOf({ time, level, msg, ...fields }: Readonly<Record<string, unknown>>): string {
  return `${pairsOf({ time, level, msg, ...fields }).join(' ')}\n`;
}

/** A call in our source, in a stack: a function, if it has a name, and its place. */
const OWN_CALL = /^ *at (?:async )?(?:(.+?) \()?[^ ()]*?\/(src\/[^ ()]+:\d+):\d+\)?$/;
const CALLS = 4;
const CAUSES = 4;
/** Characters of a message. Errors of libraries can quote what they were given. */
const MAX_TEXT = 500;
/** Errors of JavaScript itself. Any other name stands for a failure that the code knows. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'URIError',
  'EvalError',
  'AggregateError',
  'AssertionError',
]);

/** On one line, without the user and password of a URL. */
function lineOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll(/\/\/[^/\s@]+@/g, '//<secret>@');
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/**
 * Whether an error is one of our mistakes. The system, the network and SQLite have codes, except for Node.js itself, whose codes
 * say that it was called wrongly.
 */
function isBug(error: Error): boolean {
  const code = codeOf(error);
  if (code !== undefined && !/^ERR_(?!SQLITE|TLS|SSL)/.test(code)) return false;
  return BUILT_IN.has(error.name);
}

/** The first calls in our own source. */
function ownCalls({ stack = '' }: Error): readonly string[] {
  return stack
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'))
    .flatMap((line) => {
      const [, name, place] = OWN_CALL.exec(line) ?? [];
      if (place === undefined) return [];
      return [name === undefined ? place : `${name} (${place})`];
    })
    .slice(0, CALLS);
}

function causeText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  return code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}

/** The causes on one line, outermost first. */
function causesOf(error: Error): string | undefined {
  const found: string[] = [];
  let current: unknown = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
  while (current !== undefined && current !== null && found.length < CAUSES) {
    found.push(causeText(current));
    current = (current as { readonly cause?: unknown }).cause;
  }
  return found.length === 0 ? undefined : lineOf(found.join(': '));
}

/** No other property of an error is written: those of HTTP clients carry headers and bodies. */
function errorFields(error: Error): object {
  const code = codeOf(error);
  const cause = causesOf(error);
  const stack = isBug(error) ? ownCalls(error) : [];
  return {
    type: error.name,
    message: lineOf(error.message),
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause }),
    ...(stack.length > 0 && { stack }),
  };
}

/** Numbers have at most three decimals: seconds end at milliseconds. */
function written(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 1000) / 1000;
  if (value instanceof Error) return errorFields(value);
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return logFields(value);
}

/** The fields of a line. Errors are short and without secrets, and numbers are rounded. */
export const logFields = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, written(value)]));

function joined(value: unknown): unknown {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, joined(item)]));
}

/** The same for people at a terminal: a list of texts is one text, which does not take a line for each item. */
export const readableFields = (fields: object): Record<string, unknown> =>
  joined(logFields(fields)) as Record<string, unknown>;
