import { expiryDay } from '../../base/model/expiry-day.ts';
import { isUncounted } from '../../base/model/uncounted.ts';
import { type Figure, isKnown } from '../../base/model/unknown.ts';
import { capitalized, countText, numberText } from '../../base/texts.ts';
import type { FeatureRow } from '../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import type { Labels } from './alert.ts';
import { currentForecasts, type Forecast, type Forecasts, type View } from './rule.ts';

/** What makes an expiry urgent or harmless: whether anybody uses the feature, and whether a renewal is in place. */

/** Without a use for this many days, a feature is not in use. */
const UNUSED_DAYS = 30;
const DAY = 86_400;

type Subject = Pick<FeatureRow, 'vendorLicense' | 'feature' | 'package' | 'featureType'>;

const subjectKey = ({ vendorLicense, feature, package: pkg, featureType }: Subject): string =>
  JSON.stringify([vendorLicense, feature, pkg, featureType]);

/** A license of a feature, as far as it is known. */
type Supply = Pick<FeatureRow, 'version' | 'expiration' | 'maxAvailable' | 'licenseType'>;

const unusedOf = new WeakMap<Forecasts, ReadonlySet<string>>();
const suppliesOf = new WeakMap<Inventory, ReadonlyMap<string, readonly Supply[]>>();

/** The features that nobody has used for long, by the last pass of right-sizing. */
function unusedFeatures(forecasts: Forecasts, now: number): ReadonlySet<string> {
  const found =
    unusedOf.get(forecasts) ??
    new Set(
      forecasts.rows
        .filter(
          ({ isNeverUsed, unusedSince, days }) =>
            (isNeverUsed && days >= UNUSED_DAYS) ||
            (unusedSince !== undefined && forecasts.startOf(unusedSince) <= now - UNUSED_DAYS * DAY),
        )
        .map(subjectKey),
    );
  unusedOf.set(forecasts, found);
  return found;
}

/** Whether it is known that nobody has used the feature for 30 days, and nobody uses it now. */
export function isUnused(row: FeatureRow, view: View): boolean {
  const forecasts = currentForecasts(view);
  if (row.inUse !== 0 || forecasts === undefined) return false;
  return unusedFeatures(forecasts, view.now).has(subjectKey(row));
}

/** Features of which a renewal is possible: they have several versions. */
function supplies(inventory: Inventory): ReadonlyMap<string, readonly Supply[]> {
  const known = suppliesOf.get(inventory);
  if (known !== undefined) return known;
  const found = new Map<string, Supply[]>();
  for (const row of inventory.features) {
    const { version, expiration, maxAvailable, licenseType } = row;
    const key = subjectKey(row);
    const same = found.get(key);
    const supply: Supply = { version, expiration, maxAvailable, licenseType };
    if (same === undefined) found.set(key, [supply]);
    else same.push(supply);
  }
  suppliesOf.set(inventory, found);
  return found;
}

/** The numbers of a version; `undefined` if it has other parts. */
function numbersOf(version: string): readonly number[] | undefined {
  const parts = version.split('.');
  return parts.every((part) => /^\d+$/.test(part)) ? parts.map(Number) : undefined;
}

/** Whether a license of `other` also serves those who ask for `version`; false where that is not known. */
function isAtLeast(other: string, version: string): boolean {
  if (other === version) return true;
  const [a, b] = [numbersOf(other), numbersOf(version)];
  if (a === undefined || b === undefined) return false;
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** Licenses of a version, or those before its expiry; infinite if they are uncounted. */
function licensesOf(row: FeatureRow, { now, past }: View): Figure {
  if (isUncounted(row)) return Number.POSITIVE_INFINITY;
  const { maxAvailable, expiration } = row;
  const hasSome = isKnown(maxAvailable) && maxAvailable > 0;
  const hasExpired = isKnown(expiration) && expiration <= now;
  return hasSome || !hasExpired ? maxAvailable : past.licensesBefore(row);
}

/** What replaces a license: it is of the same or a higher version and lasts longer. */
interface Renewal {
  /** Licenses that replace it; infinite if they are uncounted. */
  readonly licenses: number;
  /** How many there were; infinite if they were uncounted. */
  readonly before: Figure;
}

/**
 * The renewal of a license that expires. What is not known does not replace anything.
 *
 * @param lasts when a license must expire at the earliest to count, epoch seconds
 */
function renewalOf(row: FeatureRow, view: View, lasts: number): Renewal | undefined {
  const { version } = row;
  const others = (supplies(view.inventory).get(subjectKey(row)) ?? []).filter(
    (other) =>
      other.version !== version &&
      isAtLeast(other.version, version) &&
      isKnown(other.expiration) &&
      other.expiration > lasts,
  );
  if (others.length === 0) return undefined;
  const licenses = others.reduce((sum, other) => {
    if (isUncounted(other)) return Number.POSITIVE_INFINITY;
    return isKnown(other.maxAvailable) ? sum + other.maxAvailable : sum;
  }, 0);
  return licenses === 0 ? undefined : { licenses, before: licensesOf(row, view) };
}

/** The renewal that serves when the license has expired, also if it does not last long. */
const servingAfter = (row: FeatureRow, view: View): Renewal | undefined =>
  isKnown(row.expiration) ? renewalOf(row, view, Math.max(row.expiration, view.now)) : undefined;

const forecastsOf = new WeakMap<Forecasts, ReadonlyMap<string, Forecast>>();

function forecastOf(row: FeatureRow, view: View): Forecast | undefined {
  const forecasts = currentForecasts(view);
  if (forecasts === undefined) return undefined;
  const known = forecastsOf.get(forecasts) ?? new Map(forecasts.rows.map((each) => [subjectKey(each), each]));
  forecastsOf.set(forecasts, known);
  return known.get(subjectKey(row));
}

/** How many licenses are enough by the advice, or without one the peak of the last 90 days; `undefined` if neither is known. */
function sufficientOf({ state, bought, count, needed, enough, recentPeak }: Forecast): number | undefined {
  switch (state) {
    case 'could go':
      return bought === undefined || count === undefined ? undefined : bought - count;
    case 'fine':
    case 'tight':
    case 'unused':
      return needed === undefined || enough === undefined ? undefined : Math.max(needed, enough);
    case 'no advice':
    case 'not enough data':
      return recentPeak;
    // more are missing than there are, and what was denied or reserved was in no peak
    default:
      return undefined;
  }
}

/** Whether a renewal has as many licenses as before, or as many as are enough. What is not known is not enough. */
function isEnough({ licenses, before }: Renewal, row: FeatureRow, view: View): boolean {
  if (licenses >= (isKnown(before) ? before : Number.POSITIVE_INFINITY)) return true;
  const forecast = forecastOf(row, view);
  const sufficient = forecast && sufficientOf(forecast);
  return sufficient !== undefined && licenses >= sufficient;
}

/** `enough`: by as many licenses as are needed. `partly`: some users are served. `not`, as far as is known. */
type Replaced = 'enough' | 'partly' | 'not';

/** By how much a license that expires is replaced. @param lasts when enough licenses must expire at the earliest, epoch seconds */
export function replacedBy(row: FeatureRow, view: View, lasts: number): Replaced {
  const lasting = renewalOf(row, view, lasts);
  if (lasting !== undefined && isEnough(lasting, row, view)) return 'enough';
  return servingAfter(row, view) === undefined ? 'not' : 'partly';
}

/** What is said of a renewal for a part: a few words, and a sentence that begins with a space. Empty without a renewal. */
interface RenewedTexts {
  readonly words: string;
  readonly sentence: string;
}

export function renewedTexts(row: FeatureRow, view: View): RenewedTexts {
  const renewal = servingAfter(row, view);
  if (renewal === undefined) return { words: '', sentence: '' };
  const { licenses, before } = renewal;
  if (!isKnown(before) || !Number.isFinite(before)) {
    const words = `${countText(licenses, 'license')} ${licenses === 1 ? 'is' : 'are'} renewed`;
    const then = isKnown(before) ? 'there was no limit before' : 'how many there were is not known';
    return { words, sentence: ` ${capitalized(words)}, and ${then}.` };
  }
  const of = `${numberText(Math.min(licenses, before))} of ${numberText(before)}`;
  const missing = before - licenses;
  const rest = missing <= 0 ? 'but not for long' : `${numberText(missing)} ${missing === 1 ? 'is' : 'are'} missing`;
  return { words: `${of} are renewed`, sentence: ` ${of} licenses are renewed, ${rest}.` };
}

/** The label of the day on which a license expires: another day is another alert. @param at epoch seconds */
export function expiresOn(at: number, timeZone: string): Labels {
  const expires = expiryDay(at, timeZone);
  return expires === undefined ? {} : { expires };
}
