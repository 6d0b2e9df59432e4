import { CONTRADICTION, type Failure } from '../../base/model/failure.ts';
import { type Answer, type FeatureRecord, noDiscards, type ProductRecord } from '../../base/model/records.ts';
import {
  type EndpointState,
  freshGood,
  lastGood,
  type PolledAnswers,
  type Reading,
  type Snapshot,
  WHOLE,
} from '../../base/model/snapshot.ts';
import { canonical, parseVendorLicense } from '../../base/model/vendor-license.ts';

/**
 * Checks whether an answer is plausible. An empty answer is well-formed, but often the sign of a broken analyzer. If it
 * contradicts another good answer, the poll fails. Each `check…` function returns the contradiction in words, or
 * `undefined`. Times are epoch seconds.
 */

/** HTTP statuses of a missing endpoint. */
const STATUSES: ReadonlySet<string | undefined> = new Set(['404', '405', '501']);

/** Minimum time between the two attempts, seconds. */
const MIN_SECONDS = 300;

/** Whether a failure means that the analyzer does not have the endpoint. */
export const isMissing = ({ kind, code }: Failure): boolean => kind === 'status' && STATUSES.has(code);

/** Whether the analyzer lacks an endpoint, derived from its answers. */
export interface Absence {
  /** Records the outcome of an attempt. @param at epoch seconds @param isServing whether GetProducts is good */
  observe(readings: Iterable<Reading<unknown>>, at: number, isServing: boolean): void;
  readonly isAbsent: boolean;
}

/**
 * An endpoint becomes absent when all its parts are missing in two attempts at least 5 minutes apart, with no other
 * outcome in between, while GetProducts is good. It stays absent until a part answers again.
 */
export function createAbsence(isAbsentAtFirst: boolean): Absence {
  let isAbsent = isAbsentAtFirst;
  let since: number | undefined;
  return {
    observe: (readings, at, isServing) => {
      const all = [...readings];
      if (all.some(({ ok }) => ok)) isAbsent = false;
      if (isAbsent) return;
      const isAllMissing =
        isServing && all.length > 0 && all.every((reading) => !reading.ok && isMissing(reading.failure));
      since = isAllMissing ? (since ?? at) : undefined;
      isAbsent = since !== undefined && at - since >= MIN_SECONDS;
    },
    get isAbsent() {
      return isAbsent;
    },
  };
}

/** What an answer is compared with. */
export interface Known {
  readonly snapshot: Snapshot;
  readonly now: number;
  /** Whether this exporter reports a vendor license, by its canonical name. */
  readonly ownsVendorLicense: (vendorLicense: string) => boolean;
}

/** Consecutive empty answers of GetProducts. */
export interface EmptyStreak {
  readonly count: number;
  readonly since: number;
}

/** How often in a row, and for how many seconds, GetProducts must be empty before that is accepted. */
const STREAK_COUNT = 3;
const STREAK_SECONDS = 900;

const quote = (name: string): string => JSON.stringify(name);

const ownerOf = ({ serverName, daemon }: FeatureRecord): string => `${serverName};${daemon}`;

/** The last good values of an endpoint by part, without those that are too old. */
function current<T>(state: EndpointState<T> | undefined, now: number): readonly (readonly [string, T])[] {
  const parts = [...(state?.parts ?? [])];
  return parts.flatMap(([part, reading]) =>
    reading.ok && now - reading.at <= (state?.maxAge ?? 0) ? [[part, reading.value] as const] : [],
  );
}

/** Describes which endpoint other than GetProducts names a vendor license. */
function namedElsewhere({ snapshot: { endpoints }, now }: Known): string | undefined {
  for (const [, { records }] of current(endpoints.GetServerDown, now)) {
    if (records[0] !== undefined) return `GetServerDown lists ${quote(records[0].label)}`;
  }
  for (const [part, { records }] of current(endpoints.GetFeatures, now)) {
    if (records[0] !== undefined) {
      return `GetFeatures has features of ${quote(part === WHOLE ? ownerOf(records[0]) : part)}`;
    }
  }
  for (const [part, { records }] of current(endpoints.GetExpirationFeatures, now)) {
    if (records.length > 0) return `GetExpirationFeatures has features of ${quote(part)}`;
  }
  return undefined;
}

/** Whether an endpoint other than GetProducts names a vendor license. */
export function isNamedElsewhere(product: string, { snapshot: { endpoints }, now }: Known): boolean {
  const name = canonical(product);
  const isDown = current(endpoints.GetServerDown, now).some(([, { records }]) =>
    records.some(({ label }) => canonical(label) === name),
  );
  const hasFeatures = current(endpoints.GetFeatures, now).some(([part, { records }]) =>
    part === WHOLE ? ofOwner(name, records).length > 0 : canonical(part) === name && records.length > 0,
  );
  const expirations = current(endpoints.GetExpirationFeatures, now);
  return (
    isDown || hasFeatures || expirations.some(([part, { records }]) => canonical(part) === name && records.length > 0)
  );
}

/**
 * GetProducts may be empty if it was empty before, if it is requested only once and nothing was ever known, or if it stays
 * empty for three polls and 15 minutes while no other endpoint names a vendor license.
 *
 * @param before the consecutive empty answers up to the last poll
 * @returns the contradiction, and the streak including this answer for the next poll
 */
export function checkProducts(
  { records }: Answer<ProductRecord>,
  known: Known,
  before: EmptyStreak | undefined,
  isOnce: boolean,
): { readonly contradiction?: string; readonly streak?: EmptyStreak } {
  if (records.length > 0) return {};
  const reading = known.snapshot.endpoints.GetProducts?.parts.get(WHOLE);
  const last = lastGood(reading);
  if (last?.value.records.length === 0) return {};
  const named = namedElsewhere(known);
  if (isOnce && last === undefined && named === undefined) return {};
  if (named !== undefined) return { contradiction: `the answer lists no vendor license, but ${named}` };
  // a poll that failed for another reason ends the streak
  const isInStreak = reading?.ok === false && reading.failure.code === CONTRADICTION;
  const { count, since } = isInStreak && before !== undefined ? before : { count: 0, since: known.now };
  const streak = { count: count + 1, since };
  const seconds = known.now - since;
  if (streak.count >= STREAK_COUNT && seconds >= STREAK_SECONDS) return { streak };
  const soFar = `so far ${streak.count} within ${Math.floor(seconds / 60)} min`;
  const rule = `${STREAK_COUNT} such answers in a row over at least ${STREAK_SECONDS / 60} min`;
  return { contradiction: `the answer lists no vendor license; that is accepted after ${rule} (${soFar})`, streak };
}

/** Vendor licenses that must have features: current, not down, with licenses. Spelled as in GetProducts. */
function withLicenses({ snapshot, now, ownsVendorLicense }: Known): readonly ProductRecord[] | undefined {
  const { GetProducts, GetServerDown } = snapshot.endpoints;
  const products = lastGood(GetProducts?.parts.get(WHOLE))?.value.records;
  const down = GetServerDown === undefined ? undefined : freshGood(GetServerDown, WHOLE, now);
  const areDown = new Set(down?.value.records.map(({ label }) => canonical(label)));
  return products?.filter(
    ({ product, isCurrent, maxAvailable = 0 }) =>
      isCurrent !== false &&
      maxAvailable > 0 &&
      !areDown.has(canonical(product)) &&
      ownsVendorLicense(parseVendorLicense(product).vendorLicense),
  );
}

const noFeaturesOf = ({ product, maxAvailable }: ProductRecord): string =>
  `no features of ${quote(product)}, but GetProducts says that it is current and has ${maxAvailable} licenses`;

/** An answer without features is plausible unless one of its vendor licenses must have some. */
export function checkFeatures(part: string, { records }: Answer<FeatureRecord>, known: Known): string | undefined {
  if (records.length > 0) return undefined;
  const expected = withLicenses(known);
  if (expected === undefined) return 'the answer contains no features, and the vendor licenses are not known';
  const first = expected.find(({ product }) => part === WHOLE || product === part);
  return first === undefined ? undefined : `the answer contains ${noFeaturesOf(first)}`;
}

/**
 * Returns why each vendor license must be requested alone: the answer for all has a record of an unknown vendor license,
 * or no record of one that must have some.
 */
export function checkAllFeatures({ records }: Answer<FeatureRecord>, known: Known): string | undefined {
  const products = lastGood(known.snapshot.endpoints.GetProducts?.parts.get(WHOLE))?.value.records ?? [];
  const names = new Set(products.map(({ product }) => canonical(product)));
  const found = new Set<string>();
  for (const owner of recordsByOwner(records).keys()) {
    if (!names.has(owner)) return 'a record of an unknown vendor license';
    found.add(owner);
  }
  const missing = withLicenses(known)?.find(({ product }) => !found.has(canonical(product)));
  return missing === undefined ? undefined : noFeaturesOf(missing);
}

/** An answer without expirations is plausible unless there were some before and GetFeatures still has the features. */
export function checkExpirations(
  part: string,
  { records }: PolledAnswers['GetExpirationFeatures'],
  { snapshot, now }: Known,
): string | undefined {
  if (records.length > 0) return undefined;
  const { GetExpirationFeatures, GetFeatures } = snapshot.endpoints;
  const before = lastGood(GetExpirationFeatures?.parts.get(part))?.value.records.length ?? 0;
  if (before === 0 || GetFeatures === undefined) return undefined;
  const whole = freshGood(GetFeatures, WHOLE, now)?.value;
  const own = freshGood(GetFeatures, part, now)?.value;
  const features = (own?.records.length ?? 0) + (whole === undefined ? 0 : ofOwner(part, whole.records).length);
  if (features === 0) return undefined;
  return `the answer contains no features of ${quote(part)}; it contained ${before} before, and GetFeatures still has ${features}`;
}

const byOwner = new WeakMap<readonly FeatureRecord[], ReadonlyMap<string, readonly FeatureRecord[]>>();

/** The records of an answer for all by vendor license, lower case. */
function recordsByOwner(records: readonly FeatureRecord[]): ReadonlyMap<string, readonly FeatureRecord[]> {
  const known = byOwner.get(records);
  if (known !== undefined) return known;
  const names = new Map<string, string>();
  const found = Map.groupBy(records, (record) => {
    const name = ownerOf(record);
    const owner = names.get(name) ?? canonical(name);
    names.set(name, owner);
    return owner;
  });
  byOwner.set(records, found);
  return found;
}

const ofOwner = (part: string, records: readonly FeatureRecord[]): readonly FeatureRecord[] =>
  recordsByOwner(records).get(canonical(part)) ?? [];

/**
 * Extracts the answer for one vendor license from the answer for all; `undefined` if it has no record. This keeps the
 * last good data when GetFeatures changes to requests per vendor license.
 */
export function splitAnswer(
  part: string,
  whole: PolledAnswers['GetFeatures'],
): PolledAnswers['GetFeatures'] | undefined {
  const name = canonical(part);
  const records = ofOwner(part, whole.records);
  if (records.length === 0) return undefined;
  const { fields, notListed, ...others } = whole;
  return {
    ...others,
    records,
    discarded: noDiscards(),
    ...(fields !== undefined && { fields: fields.filter(({ owner }) => canonical(owner) === name) }),
    ...(notListed !== undefined && {
      notListed: notListed.filter(({ record }) => canonical(ownerOf(record)) === name),
    }),
  };
}
