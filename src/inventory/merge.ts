import type { FeatureRecord, ProductRecord } from '../model/records.ts';

/**
 * How records with the same labels become one. A sum with an unknown is unknown, and so is the earliest expiry of an
 * unknown one and a permanent one; the rest ignores unknowns.
 */

type Merge<T> = (a: T | undefined, b: T | undefined) => T | undefined;

const sum: Merge<number> = (a, b) => (a === undefined || b === undefined ? undefined : a + b);
const maximum: Merge<number> = (a, b) => (a === undefined ? b : b === undefined ? a : Math.max(a, b));
const minimum: Merge<number> = (a, b) => (a === undefined ? b : b === undefined ? a : Math.min(a, b));
const and: Merge<boolean> = (a, b) => (a === undefined ? b : b === undefined ? a : a && b);
const or: Merge<boolean> = (a, b) => (a === undefined ? b : b === undefined ? a : a || b);

/** Earliest expiry. Beside a date an unknown one is ignored; beside a permanent one it may be a date. */
export const earliest: Merge<number> = (a, b) => {
  const known = minimum(a, b);
  return known === Number.POSITIVE_INFINITY && (a === undefined || b === undefined) ? undefined : known;
};

/** Whether any record shows it as expired or as a warning. */
export const either = or;

export function mergeProducts(a: ProductRecord, b: ProductRecord): ProductRecord {
  const icons = [a, b].sort((x, y) => compare(iconsOf(x), iconsOf(y)))[0] ?? a;
  return {
    product: a.product,
    collectionTime: minimum(a.collectionTime, b.collectionTime),
    distinctUsers: maximum(a.distinctUsers, b.distinctUsers),
    active: sum(a.active, b.active),
    inactive: sum(a.inactive, b.inactive),
    indeterminate: sum(a.indeterminate, b.indeterminate),
    mapped: sum(a.mapped, b.mapped),
    minLicenseExpiration: earliest(a.minLicenseExpiration, b.minLicenseExpiration),
    maxAvailable: sum(a.maxAvailable, b.maxAvailable),
    mappingIcon: icons.mappingIcon,
    expiredIcon: icons.expiredIcon,
    isCurrent: and(a.isCurrent, b.isCurrent),
    logActive: maximum(a.logActive, b.logActive),
    logInactive: maximum(a.logInactive, b.logInactive),
  };
}

export function mergeFeatures(a: FeatureRecord, b: FeatureRecord): FeatureRecord {
  // attributes are not mixed: they are those of one record, the first in a fixed order
  const attributes = compare(attributesOf(a), attributesOf(b)) <= 0 ? a : b;
  return {
    ...attributes,
    licenseExpiration: earliest(a.licenseExpiration, b.licenseExpiration),
    distinctUsers: maximum(a.distinctUsers, b.distinctUsers),
    maxAvailable: sum(a.maxAvailable, b.maxAvailable),
    maxInUse: sum(a.maxInUse, b.maxInUse),
    maxBorrowed: sum(a.maxBorrowed, b.maxBorrowed),
    maxQueued: sum(a.maxQueued, b.maxQueued),
    active: sum(a.active, b.active),
    inactive: sum(a.inactive, b.inactive),
    borrowedActive: sum(a.borrowedActive, b.borrowedActive),
    borrowedInactive: sum(a.borrowedInactive, b.borrowedInactive),
    unusedReserve: sum(a.unusedReserve, b.unusedReserve),
    usedReserve: sum(a.usedReserve, b.usedReserve),
    tokenCostValue: maximum(a.tokenCostValue, b.tokenCostValue),
    available: sum(a.available, b.available),
    inUse: sum(a.inUse, b.inUse),
    activeUse: sum(a.activeUse, b.activeUse),
    inactiveUse: sum(a.inactiveUse, b.inactiveUse),
    borrowedUse: sum(a.borrowedUse, b.borrowedUse),
    borrowedActiveUse: sum(a.borrowedActiveUse, b.borrowedActiveUse),
    borrowedInactiveUse: sum(a.borrowedInactiveUse, b.borrowedInactiveUse),
    availableUser: or(a.availableUser, b.availableUser),
    logAvailable: maximum(a.logAvailable, b.logAvailable),
    logInUse: maximum(a.logInUse, b.logInUse),
    logUnusedReserve: maximum(a.logUnusedReserve, b.logUnusedReserve),
    logUsedReserve: maximum(a.logUsedReserve, b.logUsedReserve),
    logQueued: maximum(a.logQueued, b.logQueued),
    logBorrowed: maximum(a.logBorrowed, b.logBorrowed),
    logActive: maximum(a.logActive, b.logActive),
    logInactive: maximum(a.logInactive, b.logInactive),
    logBorrowedActive: maximum(a.logBorrowedActive, b.logBorrowedActive),
    logBorrowedInactive: maximum(a.logBorrowedInactive, b.logBorrowedInactive),
    showExpired: or(a.showExpired, b.showExpired),
    showWarning: or(a.showWarning, b.showWarning),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const iconsOf = ({ mappingIcon, expiredIcon }: ProductRecord): string => JSON.stringify([mappingIcon, expiredIcon]);

const attributesOf = (record: FeatureRecord): string =>
  JSON.stringify([record.licenseType, record.licenseModel, record.tokenPool, record.tokenSource, record.mappedTo]);
