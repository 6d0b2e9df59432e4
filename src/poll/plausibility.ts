import type { Answer, ExpirationRecord, FeatureRecord, ProductRecord } from '../model/records.ts';
import { type EndpointState, freshGood, lastGood, type Snapshot, WHOLE } from '../model/snapshot.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';

/**
 * Whether an answer is plausible. An empty answer is well-formed, and yet often the sign of a broken analyzer: where it
 * contradicts another good answer, it counts as a failed poll. Each `check…` gives the contradiction in words, and
 * `undefined` where there is none. Times are epoch seconds.
 */

/** Failure code of an answer that contradicts another. */
export const CONTRADICTION = 'CONTRADICTION';

/** What an answer is compared with. */
export interface Known {
  readonly snapshot: Snapshot;
  readonly now: number;
  /** Whether this exporter reports a vendor license, by its canonical name. */
  readonly ownsVendorLicense: (vendorLicense: string) => boolean;
}

/** Empty answers of GetProducts, one after another. */
export interface EmptyStreak {
  readonly count: number;
  readonly since: number;
}

/** How often in a row, and for how long (seconds), GetProducts must list nothing before that is accepted. */
const STREAK_COUNT = 3;
const STREAK_SECONDS = 900;

const quote = (name: string): string => JSON.stringify(name);

/** The same for all spellings that the API takes for one vendor license. */
export const canonical = (name: string): string => parseVendorLicense(name).vendorLicense.toLowerCase();

const ownerOf = ({ serverName, daemon }: FeatureRecord): string => `${serverName};${daemon}`;

/** What an endpoint answered last, by part, unless that is too old. */
function current<T>(state: EndpointState<T> | undefined, now: number): readonly (readonly [string, T])[] {
  const parts = [...(state?.parts ?? [])];
  return parts.flatMap(([part, reading]) =>
    reading.ok && now - reading.at <= (state?.maxAge ?? 0) ? [[part, reading.value] as const] : [],
  );
}

/** Which other endpoint than GetProducts names a vendor license, in words. */
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

/**
 * GetProducts may be empty when it was before, when it is asked once and nothing was ever known, or when it stays empty for
 * three polls and 15 minutes while nothing else names a vendor license.
 *
 * @param before the empty answers in a row up to the last poll
 * @returns the contradiction, and the streak with this answer in it, for the next time
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

/** Vendor licenses that must have features: current, not down, with licenses. As GetProducts spells them. */
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

/** An answer without any feature is plausible where no vendor license it is about must have some. */
export function checkFeatures(part: string, { records }: Answer<FeatureRecord>, known: Known): string | undefined {
  if (records.length > 0) return undefined;
  const expected = withLicenses(known);
  if (expected === undefined) return 'the answer holds no features, and the vendor licenses are not known';
  const first = expected.find(({ product }) => part === WHOLE || product === part);
  return first === undefined ? undefined : `the answer holds ${noFeaturesOf(first)}`;
}

/**
 * What is wrong with an answer for all vendor licenses, so that each must be asked for alone: a record of an unknown vendor license, or no
 * record of a vendor license that must have some.
 */
export function checkAllFeatures({ records }: Answer<FeatureRecord>, known: Known): string | undefined {
  const products = lastGood(known.snapshot.endpoints.GetProducts?.parts.get(WHOLE))?.value.records ?? [];
  const names = new Set(products.map(({ product }) => canonical(product)));
  const found = new Set<string>();
  for (const [i, record] of records.entries()) {
    // records of one vendor license stand together: only where the name changes is it looked up
    const before = records[i - 1];
    if (before?.serverName === record.serverName && before.daemon === record.daemon) continue;
    const owner = canonical(ownerOf(record));
    if (!names.has(owner)) return 'a record of no known vendor license';
    found.add(owner);
  }
  const missing = withLicenses(known)?.find(({ product }) => !found.has(canonical(product)));
  return missing === undefined ? undefined : noFeaturesOf(missing);
}

/** An answer without any expiry is plausible unless there were some before and GetFeatures still has the features. */
export function checkExpirations(
  part: string,
  { records }: Answer<ExpirationRecord>,
  { snapshot, now }: Known,
): string | undefined {
  if (records.length > 0) return undefined;
  const { GetExpirationFeatures, GetFeatures } = snapshot.endpoints;
  const before = lastGood(GetExpirationFeatures?.parts.get(part))?.value.records.length ?? 0;
  if (before === 0 || GetFeatures === undefined) return undefined;
  const whole = freshGood(GetFeatures, WHOLE, now)?.value.records ?? [];
  const own = freshGood(GetFeatures, part, now)?.value.records ?? [];
  const features = own.length + whole.filter((record) => canonical(ownerOf(record)) === canonical(part)).length;
  if (features === 0) return undefined;
  return `the answer holds no features of ${quote(part)}; it held ${before} before, and GetFeatures still has ${features}`;
}

/**
 * Takes the answer about one vendor license out of that about all, `undefined` without a record: so that the last good data
 * stays when GetFeatures is asked per vendor license from now on.
 */
export function createSplit(): (part: string, whole: Answer<FeatureRecord>) => Answer<FeatureRecord> | undefined {
  let source: Answer<FeatureRecord> | undefined;
  let byOwner = new Map<string, FeatureRecord[]>();
  return (part, whole) => {
    if (source !== whole) {
      source = whole;
      byOwner = Map.groupBy(whole.records, (record) => canonical(ownerOf(record)));
    }
    const records = byOwner.get(canonical(part));
    if (records === undefined) return undefined;
    const discarded = Object.fromEntries(Object.keys(whole.discarded).map((reason) => [reason, 0]));
    return { ...whole, records, discarded: discarded as typeof whole.discarded };
  };
}
