import { z } from 'zod';
import { sourceFailureKinds } from '../../../base/model/observation/source-failure.ts';
import { isNot, isNotPersonal, meant } from './document-problems.ts';
import { DATE, DATE_TIME, isDate, isDateTime, MAX_TIME, MIN_TIME } from './document-times.ts';

/**
 * The observation document, version 1: what a script prints about license servers. Reader, JSON Schema and documentation
 * are made from these tables. Rules about several keys of an object are in `document-check.ts`.
 */

const MAX_COUNT = 1_000_000_000;
const MAX_TEXT = 1000;
/** Names are parts of labels and of names of vendor licenses. */
const MAX_NAME = 255;

/** A key that may be missing or null: then it is not known, unless its description says otherwise. */
const optional = <T extends z.ZodType>(schema: T, description: string) => schema.nullish().meta({ description });

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that names must not have
const NO_CONTROL = /^[^\u0000-\u001f\u007f-\u009f]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they become blanks
const NOT_BLANK = /[^\s\u0000-\u001f\u007f-\u009f]/;

const isTooLong = (max: number) => `is longer than ${max} characters`;

/** A text that is not empty and has no control characters. */
const name = z
  .string({ error: isNot('a string') })
  .max(MAX_NAME, { error: isTooLong(MAX_NAME) })
  .regex(NOT_BLANK, { error: 'is empty' })
  .regex(NO_CONTROL, { error: 'has a control character' });

/** A part of the name of a vendor license. */
const namePart = name.regex(/^[^;]*$/, {
  error: 'has a semicolon, which separates server, daemon and part in names of vendor licenses',
});

const anyName = z
  .string({ error: isNot('a string') })
  .max(MAX_NAME, { error: isTooLong(MAX_NAME) })
  .regex(NO_CONTROL, { error: 'has a control character' });

/** A text that may be about a user. It is in no message. */
const personal = z.string({ error: isNotPersonal('a string') }).max(MAX_TEXT, { error: isTooLong(MAX_TEXT) });
const filled = personal.regex(NOT_BLANK, { error: 'is empty' });

const numberHint = (input: unknown): string =>
  typeof input === 'string' && /^\d+$/.test(input) ? ': write the number without quotes' : '';

const integer = (max: number) => {
  const range = max === Number.MAX_SAFE_INTEGER ? 'an integer of at least 0' : `an integer from 0 to ${max}`;
  const error = isNot(range, numberHint);
  return z.int({ error, abort: true }).min(0, { error }).max(max, { error });
};
const licenses = integer(MAX_COUNT);

const choice = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: isNot(values.join(', ').replace(/, ([^,]*)$/, ' or $1'), meant(values)) });

const flag = z.boolean({ error: isNot('true or false') });

const timeHint = (input: unknown): string => {
  if (typeof input === 'number' && input > MAX_TIME) return ': write seconds, not milliseconds';
  if (typeof input === 'number') return ': write seconds since 1970, not a duration';
  return typeof input === 'string' && /^\d{4}-\d{2}-\d{2}[Tt ][\d:.]*$/.test(input)
    ? ': add the time zone, Z or +02:00'
    : '';
};
const timeError = isNot('epoch seconds or a time such as 2026-06-30T18:00:00+02:00', timeHint);
const expiryError = isNot(
  'permanent, a date such as 2027-06-30, epoch seconds or a time such as 2027-06-30T18:00:00Z',
  timeHint,
);

/** The parts of a union have its message too, because the nearest one of them is asked for it. */
const timesWith = (error: (issue: { readonly input?: unknown }) => string) =>
  [
    z.number({ error }).min(MIN_TIME, { error }).max(MAX_TIME, { error }),
    z.string({ error }).regex(DATE_TIME, { error, abort: true }).refine(isDateTime, { error }),
  ] as const;

const time = z.union(timesWith(timeError), { error: timeError });
const expiry = z.union(
  [
    z.literal('permanent'),
    z.string().regex(DATE, { error: expiryError, abort: true }).refine(isDate, { error: expiryError }),
    ...timesWith(expiryError),
  ],
  { error: expiryError },
);

const countError = isNot(`uncounted or an integer from 0 to ${MAX_COUNT}`, numberHint);
const count = z.union(
  [
    z.literal('uncounted'),
    z.int({ error: countError }).min(0, { error: countError }).max(MAX_COUNT, { error: countError }),
  ],
  {
    error: countError,
  },
);

const object = <T extends z.core.$ZodLooseShape>(shape: T) => z.strictObject(shape, { error: isNot('an object') });
const list = <T extends z.ZodType>(element: T) => z.array(element, { error: isNot('an array') });

/** Licenses that were bought together. */
const incrementSchema = object({
  count: optional(count, 'Licenses, or `uncounted`.'),
  expires: optional(expiry, 'When it expires. A date is a day of the analyzer.'),
});

const reservationSchema = object({
  holder: optional(personal, 'User or group that the licenses are kept for.'),
  licenses: licenses.meta({ description: 'Reserved licenses, used or not.' }),
  used: optional(licenses, 'Those in use.'),
});

const statusSchema = object({
  state: choice(['inactive', 'active', 'suspended', 'terminated', 'blocked']).meta({
    description: 'What the application does.',
  }),
  seconds: optional(integer(MAX_COUNT), 'How long it has been doing so.'),
});

/** Licenses that a user holds. */
const checkoutSchema = object({
  user: filled.meta({ description: 'User that holds the licenses.' }),
  host: optional(personal, 'Host of the user.'),
  display: optional(personal, 'Display of the user.'),
  since: optional(time, 'Time of the checkout.'),
  licenses: optional(licenses, 'Licenses held. 1 without it.'),
  handle: optional(personal, 'Handle of the checkout.'),
  share_handle: optional(personal, 'Handle of what is shared with other checkouts.'),
  borrowed: optional(flag, 'Whether the licenses are borrowed.'),
  status: optional(statusSchema, 'State of the application.'),
});

/** Licenses that a user waits for. */
const queuedSchema = object({
  user: filled.meta({ description: 'User that waits.' }),
  host: optional(personal, 'Host of the user.'),
  since: optional(time, 'Since when the user waits.'),
  licenses: optional(licenses, 'Licenses waited for. 1 without it.'),
});

const tokenSchema = object({
  pool: name.meta({ description: 'Feature whose licenses are the tokens.' }),
  source: optional(name, 'Vendor license of the token pool, as `server;daemon`. This one without it.'),
  cost: z
    .number({ error: isNot('a number') })
    .min(0, { error: isNot('a number of at least 0') })
    .max(MAX_COUNT, { error: isNot(`a number of at most ${MAX_COUNT}`) })
    .meta({ description: 'Tokens that a license costs.' }),
});

/** A feature of a vendor license. */
export const featureSchema = object({
  feature: name.meta({ description: 'Name of the feature.' }),
  version: optional(anyName, 'Version of the feature. Empty without it.'),
  package: optional(anyName, 'Package that the feature belongs to. Empty without it.'),
  feature_type: optional(choice(['feature', 'package', 'component']), 'What it is. `feature` without it.'),
  license_type: optional(
    choice(['floating', 'node-locked', 'uncounted']),
    '`uncounted` without it if the count is, else `floating`.',
  ),
  license_model: optional(
    choice(['concurrent', 'token', 'named']),
    '`token` without it if `token` is given, else `concurrent`.',
  ),
  token: optional(
    z.union([z.literal('unknown'), tokenSchema], { error: isNot('an object with pool and cost, or unknown') }),
    'Tokens that its licenses cost; `unknown` if nothing else is known of them. No tokens without it.',
  ),
  mapped_to: optional(name, 'Application that the feature belongs to.'),
  count: optional(count, 'Licenses, or `uncounted`. Short for one increment.'),
  expires: optional(expiry, 'When they expire. Short for one increment.'),
  increments: optional(
    list(incrementSchema).min(1, { error: 'is empty: leave it out, or write count 0' }),
    'Instead of `count` and `expires`: licenses by their expiry.',
  ),
  in_use: optional(
    licenses,
    'Licenses checked out, borrowed ones included, as the server counts them. Those of the checkouts without it.',
  ),
  available: optional(
    licenses,
    'Licenses that anyone could check out now, as the server counts them. Computed without it.',
  ),
  reservations: optional(list(reservationSchema), 'All reservations.'),
  unused_reserve: optional(licenses, 'Reserved licenses that are not in use.'),
  used_reserve: optional(licenses, 'Reserved licenses in use.'),
  reserved: optional(licenses, 'Reserved licenses, used or not.'),
  checkouts: optional(list(checkoutSchema), 'Who holds licenses.'),
  checkouts_complete: optional(flag, 'Whether all checkouts are listed. `true` without it.'),
  queued: optional(list(queuedSchema), 'Who waits for licenses.'),
  denials: optional(licenses, 'Requests denied since the previous document.'),
  denials_total: optional(
    integer(Number.MAX_SAFE_INTEGER),
    'Instead of `denials`: requests denied since the start of the server. A lower value means that it was started again.',
  ),
});

export const vendorLicenseSchema = object({
  server: namePart.meta({ description: 'Server as users know it, for instance `4084@lic1.example.com`.' }),
  daemon: namePart.meta({ description: 'Vendor daemon, or a short name of the license manager.' }),
  part: optional(
    namePart,
    'Third part of the name, if two vendor licenses had the same one. That of the source without it.',
  ),
  reachable: optional(
    flag,
    '`false` if the server does not answer: its last data is kept, and it is down after 30 minutes. `true` without it.',
  ),
  reports: optional(
    list(choice(['borrowed', 'status'])),
    'What the license manager reports of every checkout. Without it, what all checkouts have.',
  ),
  features: optional(list(featureSchema), 'Required, unless `reachable` is `false`.'),
});

const memberSchema = object({
  server: name.meta({ description: 'The server as `port@host`.' }),
  up: flag.meta({ description: 'Whether it runs.' }),
  master: optional(flag, 'Whether it is the one that answers. `false` without it.'),
});

const failureKinds = Object.keys(sourceFailureKinds) as (keyof typeof sourceFailureKinds)[];

const problemSchema = object({
  kind: choice(failureKinds).meta({ description: 'Kind of the failure.' }),
  message: filled.meta({
    description: 'What is wrong and the remedy, without users and hosts.',
  }),
});

/** The document that a source of type `json` gives. The JSON Schema and docs/json-source.md are made of it. */
export const documentSchema = object({
  version: z
    .literal(1, { error: isNot('1, the version that this release reads: update license-exporter') })
    .meta({ description: 'Version of this format.' }),
  time: optional(time, 'When the script ran. A document that is too old is refused.'),
  vendor_licenses: list(vendorLicenseSchema)
    .min(1, { error: 'is empty: list every vendor license, with reachable false if it does not answer' })
    .meta({ description: 'The vendor licenses of the source.' }),
  members: optional(list(memberSchema), 'State of redundant servers.'),
  problems: optional(list(problemSchema), 'What is wrong with a part of the source.'),
});

/** A document that was checked. */
export type ObservationDocument = z.infer<typeof documentSchema>;
export type VendorLicenseEntry = z.infer<typeof vendorLicenseSchema>;
export type FeatureEntry = z.infer<typeof featureSchema>;
export type CheckoutEntry = z.infer<typeof checkoutSchema>;
export type IncrementEntry = z.infer<typeof incrementSchema>;
/** A waiting request of a document. */
export type QueuedEntry = z.infer<typeof queuedSchema>;
