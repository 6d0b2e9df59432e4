import { z } from 'zod';
import { dayOfDate } from '../model/local-time.ts';
import { cronProblem } from '../scheduling/runs.ts';

/** The types of settings, as zod schemas. Each message names the valid values. */

/** Characters of a value that messages show. */
const MAX_SHOWN = 200;

/** A value in a message. Maps and lists are not shown: they may contain secrets. */
function show(raw: unknown): string {
  if (Array.isArray(raw)) return 'a list';
  if (typeof raw === 'number') return String(raw);
  const shown = typeof raw === 'object' && raw !== null ? 'a map' : String(JSON.stringify(raw));
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}

/** The message for a missing key. */
export const REQUIRED = 'is required';

/** The message for an invalid or missing value. */
export const isNot =
  (allowed: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? REQUIRED : `${show(input)} is not ${allowed}`;

/** The same for a value that may contain a password, which is not repeated. */
export const isNotAddress =
  (allowed: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    isNot(allowed)({ input: typeof input === 'string' && input.includes('@') ? '<secret>' : input });

/** Converts numbers and booleans from YAML to text. */
const asText = (raw: unknown): unknown => {
  if (typeof raw === 'string') return raw.trim();
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : raw;
};

/** Converts text from environment variables and flags to a number. */
const asNumber =
  (form: RegExp) =>
  (raw: unknown): unknown =>
    typeof raw === 'string' && form.test(raw.trim()) ? Number(raw) : raw;

const nonEmpty = z
  .string({ error: isNot('a string') })
  // not `min`, which an empty list breaks too
  .refine((value) => value !== '', { error: 'is empty' })
  .meta({ minLength: 1 });

/** A text that is not empty. Numbers and booleans of YAML are texts too. */
export const text = z.preprocess(asText, nonEmpty);

/** Text that may be empty. It is not trimmed. */
export const anyText = z.preprocess(
  (raw) => (raw === null ? '' : typeof raw === 'string' ? raw : asText(raw)),
  z.string({ error: isNot('a string') }),
);

const switches: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['on', true],
  ['false', false],
  ['off', false],
]);

/** `true` or `false`, also as a text of the environment; `on` and `off` are texts in YAML 1.2. */
export const boolean = z.preprocess(
  (raw) => (typeof raw === 'string' ? (switches.get(raw.trim().toLowerCase()) ?? raw) : raw),
  z.boolean({ error: isNot('true or false') }),
);

/** An integer within bounds, also as a text. */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`;
  const error = isNot(range);
  return z.preprocess(asNumber(/^-?\d{1,16}$/), z.int({ error, abort: true }).min(min, { error }).max(max, { error }));
}

/** A number from 0 to 1. */
export const ratio = z.preprocess(
  asNumber(/^\d(?:\.\d{1,9})?$/),
  z
    .number({ error: isNot('a number from 0 to 1') })
    .min(0, { error: isNot('a number from 0 to 1') })
    .max(1, { error: isNot('a number from 0 to 1') }),
);

/** One of several words. */
export function oneOf<const T extends string>(...choices: readonly T[]) {
  const known = z.enum(choices, { error: isNot(`one of ${choices.join(', ')}`) });
  const numbers = choices.filter((choice) => /^\d+$/.test(choice)).map(Number);
  // the JSON Schema accepts these choices as numbers too
  return z.preprocess(
    asText,
    numbers.length === 0 ? known : known.meta({ type: undefined, enum: [...choices, ...numbers] }),
  );
}

const durationUnits: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};

/** A value in the largest unit that makes it an integer. */
function inUnits(value: number, units: Readonly<Record<string, number>>, otherwise: string): string {
  const fitting = Object.entries(units).filter(([, one]) => one >= 1 && value >= one && value % one === 0);
  const [unit, largest] = fitting.reduce((a, b) => (b[1] > a[1] ? b : a), [otherwise, 1]);
  return `${value / largest}${unit}`;
}

function secondsOf(written: string): number {
  const parts = [...written.matchAll(/(\d+)(ms|[smhdwy])/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (durationUnits[unit ?? ''] ?? 0), 0);
}

/** Seconds of a duration in Prometheus' form: `30s`, `5m`, `1h30m`, `1d`. */
export function duration(min: number, max: number = 366 * 86_400) {
  const bound = (seconds: number): string => inUnits(seconds, durationUnits, 's');
  const form = { error: isNot('a duration such as 30s, 5m or 1h30m'), abort: true };
  return z
    .string(form)
    .trim()
    .regex(/^(?:\d{1,9}(?:ms|[smhdwy]))+$/, form)
    .refine((written) => secondsOf(written) >= min && secondsOf(written) <= max, {
      error: isNot(`a duration from ${bound(min)} to ${bound(max)}`),
    })
    .transform(secondsOf);
}

const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

function bytesOf(written: string): number {
  const [, count, unit = ''] = /^(\d+)\s*(\w*)$/.exec(written) ?? [];
  return Number(count) * (sizeUnits[unit] ?? Number.NaN);
}

/** Bytes of a size: `256MiB`, `10MB`, `4096`. */
export function size(min: number, max: number) {
  const bound = (bytes: number): string => inUnits(bytes, sizeUnits, 'B');
  const form = { error: isNot('a size such as 256MiB or 10MB'), abort: true };
  const written = z
    .string(form)
    .regex(/^\d{1,15}\s*(?:[KMG]i?B|B)?$/, form)
    .refine((value) => bytesOf(value) >= min && bytesOf(value) <= max, {
      error: isNot(`a size from ${bound(min)} to ${bound(max)}`),
    })
    .meta({ type: ['string', 'integer'] });
  return z.preprocess(asText, written.transform(bytesOf));
}

/** `auto`, or a value of another schema. */
export function autoOr<S extends z.ZodType>(schema: S) {
  return z.union([z.literal('auto'), schema], {
    error: ({ errors }) => `${(errors as z.core.$ZodIssue[][] | undefined)?.[1]?.[0]?.message}, nor auto`,
  });
}

/** Why a text is not a regular expression. */
export const notExpression = (written: string, error: unknown): string => {
  const { message } = error as Error;
  const hint = /^\*|[|(]\*/.test(written) ? '; for any text, write .* in place of *' : '';
  return `${show(written)} is not a regular expression: ${message.slice(message.lastIndexOf(': ') + 2)}${hint}`;
};

/** A regular expression of JavaScript that cannot take long. */
export const regularExpression = z.preprocess(
  asText,
  nonEmpty.transform((value, context) => {
    try {
      return new RegExp(value, 'u');
    } catch (error) {
      context.addIssue({ code: 'custom', message: notExpression(value, error) });
      return z.NEVER;
    }
  }),
);

/** A date such as `2027-03-01`, as days since 1970-01-01. */
export const localDay = text.transform((written, context): number => {
  const [, year = 0, month = 0, date = 0] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(written) ?? []).map(Number);
  const at = dayOfDate(year, month, date);
  // the calendar has no 30th of February
  if (Number.isNaN(at) || new Date(at * 86_400_000).toISOString().slice(0, 10) !== written) {
    context.addIssue({ code: 'custom', message: 'is not a date such as 2027-03-01' });
    return z.NEVER;
  }
  return at;
});

/** A time zone by its IANA name, in the spelling of the standard. */
export const timeZone = z.string({ error: isNot('a time zone such as Europe/Berlin') }).transform((value, context) => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: value.trim() }).resolvedOptions().timeZone;
  } catch {
    context.addIssue({ code: 'custom', message: isNot('a time zone such as Europe/Berlin')({ input: value }) });
    return z.NEVER;
  }
});

/** The value of a schedule if the endpoint is not polled. */
export const OFF = 'off';

/** @param accepted what else a value can be. @param off why it cannot be `off` */
const scheduleOf = (accepted: string, off?: string) =>
  z.preprocess(
    // YAML 1.1 reads `off` as `false`
    (raw) => (raw === false || (typeof raw === 'string' && /^(off|false)$/i.test(raw.trim())) ? OFF : asText(raw)),
    nonEmpty.superRefine((written, context) => {
      const problem = written === OFF ? off : notCron(written, accepted);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    }),
  );

function notCron(written: string, accepted: string): string | undefined {
  const problem = written === '' ? undefined : cronProblem(written);
  return problem && `${JSON.stringify(written)} is ${accepted}: ${problem}`;
}

/** A cron expression, or `off`. */
export const schedule = scheduleOf('neither off nor a cron expression');

/** A cron expression. @param off why it cannot be `off` */
export const scheduleNeverOff = (off: string) => scheduleOf('not a cron expression', off);
