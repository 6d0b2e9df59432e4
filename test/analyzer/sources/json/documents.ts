import fc from 'fast-check';
import { type ObservationContext, parseObservations } from '../../../../src/analyzer/sources/json/observations.ts';
import { createSourceTime } from '../../../../src/analyzer/sources/times.ts';

/** Observation documents for tests. */

/** 2026-03-05 12:00 UTC. */
export const NOW = 1_772_712_000;

const context: ObservationContext = {
  now: NOW,
  writtenAt: undefined,
  interval: 300,
  localTime: createSourceTime('Europe/Berlin', 'Europe/Berlin'),
  part: '',
  memory: undefined,
};

export const parseText = (document: string, changes: Partial<ObservationContext> = {}) =>
  parseObservations(document, { ...context, ...changes });

export const parse = (document: unknown, changes: Partial<ObservationContext> = {}) =>
  parseText(JSON.stringify(document), changes);

/** A document with these features of one vendor license. */
export const withFeatures = (features: readonly unknown[], more: object = {}): object => ({
  version: 1,
  vendor_licenses: [{ server: '4084@lic1', daemon: 'dsls', features, ...more }],
});

/** The pool that a feature becomes. */
export function poolOf(entry: object, more: object = {}, changes: Partial<ObservationContext> = {}) {
  const [license] = parse(withFeatures([{ feature: 'f', ...entry }], more), changes).vendorLicenses;
  const [pool] = license?.pools ?? [];
  if (pool === undefined) throw new Error('no pool');
  return pool;
}

const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const name = fc.stringMatching(/^[A-Za-z0-9_.@-]{1,8}$/);
const licenses = fc.integer({ min: 0, max: 50 });
const time = fc.oneof(
  fc.integer({ min: NOW - 100_000, max: NOW }),
  fc.double({ min: NOW - 100_000, max: NOW, noNaN: true }),
  fc
    .tuple(fc.integer({ min: NOW - 100_000, max: NOW }), fc.constantFrom('Z', '+00:00', '-00:00', '.25Z'))
    .map(([at, zone]) => new Date(at * 1000).toISOString().slice(0, 19) + zone),
);
const expires = fc.oneof(
  fc.constantFrom('permanent', '2027-06-30', '2024-02-29', '2027-06-30T18:00:00+02:00'),
  fc.integer({ min: 1_700_000_000, max: 4_000_000_000 }),
);
const count = fc.oneof(licenses, fc.constant('uncounted'));

/** An object with the first keys, and with any of the others, which can be null too. */
function object(required: Record<string, fc.Arbitrary<unknown>>, others: Record<string, fc.Arbitrary<unknown>>) {
  const nullable = Object.entries(others).map(([key, value]) => [key, fc.option(value, { freq: 9 })]);
  return fc.record(
    { ...required, ...(Object.fromEntries(nullable) as typeof others) },
    { requiredKeys: Object.keys(required) as never[] },
  ) as fc.Arbitrary<Record<string, unknown>>;
}

const status = object(
  { state: fc.constantFrom('inactive', 'active', 'suspended', 'terminated', 'blocked') },
  { seconds: licenses },
);
const checkout = object(
  { user: name },
  {
    host: text,
    display: text,
    since: time,
    licenses,
    handle: text,
    share_handle: text,
    borrowed: fc.boolean(),
    status,
  },
);
const few = <T>(element: fc.Arbitrary<T>) => fc.array(element, { maxLength: 3 });
const withIncrements = object(
  { increments: fc.array(object({}, { count, expires }), { minLength: 1, maxLength: 3 }) },
  {},
);
const withCount = object({}, { count, expires });
const feature = fc
  .tuple(
    object(
      {},
      {
        version: text,
        package: text,
        feature_type: fc.constantFrom('feature', 'package', 'component'),
        license_type: fc.constantFrom('floating', 'node-locked', 'uncounted'),
        license_model: fc.constantFrom('concurrent', 'token', 'named'),
        token: fc.oneof(
          fc.constant('unknown'),
          object({ pool: name, cost: fc.double({ min: 0, max: 9, noNaN: true }) }, { source: name }),
        ),
        mapped_to: name,
        in_use: licenses,
        available: licenses,
        reservations: few(object({ licenses }, { holder: text, used: licenses })),
        unused_reserve: licenses,
        used_reserve: licenses,
        reserved: licenses,
        checkouts: few(checkout),
        checkouts_complete: fc.boolean(),
        queued: few(object({ user: name }, { host: text, since: time, licenses })),
      },
    ),
    fc.oneof(withIncrements, withCount),
    fc.oneof(object({}, { denials: licenses }), object({}, { denials_total: licenses })),
  )
  .map((parts): Record<string, unknown> => Object.assign({}, ...parts));

/** Names that are not repeated. */
const numbered = (list: readonly Record<string, unknown>[], key: string) =>
  list.map((element, i) => ({ ...element, [key]: `n${i}` }));

const vendorLicense = fc
  .tuple(
    object(
      { daemon: name },
      { part: name, reachable: fc.boolean(), reports: few(fc.constantFrom('borrowed', 'status')) },
    ),
    few(feature),
  )
  .map(([license, features]) => ({ ...license, features: numbered(features, 'feature') }));

/** Any document that is right. */
export const documents = fc
  .tuple(
    object(
      { version: fc.constant(1) },
      {
        time: fc.integer({ min: NOW - 600, max: NOW + 900 }),
        members: few(object({ server: name, up: fc.boolean() }, { master: fc.boolean() })),
        problems: few(object({ kind: fc.constantFrom('daemon_down', 'no_quorum'), message: name }, {})),
      },
    ),
    fc.array(vendorLicense, { minLength: 1, maxLength: 3 }),
  )
  .map(([document, licenses_]) => ({ ...document, vendor_licenses: numbered(licenses_, 'server') }));
