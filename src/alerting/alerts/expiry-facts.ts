import { expiryDay } from '../../base/model/expiry-day.ts';
import { isUncounted } from '../../base/model/uncounted.ts';
import { type Figure, isKnown } from '../../base/model/unknown.ts';
import { numberText } from '../../base/texts.ts';
import type { FeatureRow } from '../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import type { Labels } from './alert.ts';
import type { Forecasts, View } from './rule.ts';

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
export function isUnused(row: FeatureRow, { forecasts, now }: View): boolean {
  if (row.inUse !== 0 || forecasts === undefined) return false;
  return unusedFeatures(forecasts, now).has(subjectKey(row));
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
  /** How many there were. */
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

/** Whether as many licenses as before last longer. @param lasts when they must expire at the earliest, epoch seconds */
export function isRenewed(row: FeatureRow, view: View, lasts: number): boolean {
  const renewal = renewalOf(row, view, lasts);
  if (renewal === undefined) return false;
  const { licenses, before } = renewal;
  return licenses >= (isKnown(before) ? before : Number.POSITIVE_INFINITY);
}

/** ` It is renewed for 4 of 10 licenses.`, if it is for some. */
export function renewedText(row: FeatureRow, view: View, lasts: number): string {
  const renewal = renewalOf(row, view, lasts);
  return renewal === undefined || isUncounted(row)
    ? ''
    : ` It is renewed for ${numberText(renewal.licenses)} of ${isKnown(renewal.before) ? numberText(renewal.before) : 'an unknown number of'} licenses.`;
}

/** The label of the day on which a license expires: another day is another alert. @param at epoch seconds */
export function expiresOn(at: number, timeZone: string): Labels {
  const expires = expiryDay(at, timeZone);
  return expires === undefined ? {} : { expires };
}
