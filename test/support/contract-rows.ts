import { createLocalTime } from '../../src/base/model/local-time.ts';
import { createOwners } from '../../src/base/model/owners.ts';
import { createPrices, type PriceEntry } from '../../src/base/model/prices.ts';
import type { FeatureRow } from '../../src/exporter/inventory/feature-row.ts';
import type { Inventory } from '../../src/exporter/inventory/inventory.ts';
import type { ContractOptions } from '../../src/insight/contracts/contract-calendar.ts';
import { TODAY } from './advice-table.ts';

/** Rows and options of contract calendars that tests make by hand. */

const berlin = createLocalTime('Europe/Berlin');

/** In the afternoon of the day of every pass: 2026-11-18. */
export const NOON = TODAY * 86_400 + 50_000;

/** The last second of a local day some days from then on. */
export const endOf = (days: number): number => berlin.startOf(TODAY + days + 1) - 1;

/** 20 licenses of a feature that expire in 100 days, on 2027-02-26. */
export const contractRow = (fields: Partial<FeatureRow> = {}): FeatureRow =>
  ({
    vendorLicense: 'lic01;cadd',
    feature: 'solver',
    version: '1',
    package: '',
    featureType: 'feature',
    licenseType: 'floating',
    licenseModel: 'concurrent',
    maxAvailable: 20,
    expiration: endOf(100),
    tokenPool: '',
    tokenSource: '',
    tokenCostValue: 0,
    isReported: true,
    ...fields,
  }) as FeatureRow;

export const contractInventory = (rows: readonly FeatureRow[]): Inventory =>
  ({ features: rows, at: NOON }) as unknown as Inventory;

/** All owners for 18 months, with prices that are shown. */
export const contractOptions = (
  entries: readonly PriceEntry[] = [],
  fields: Partial<ContractOptions> = {},
): ContractOptions => ({
  owners: createOwners([{ vendorLicense: 'lic01;cadd', feature: '*', labels: { owner: 'cad' } }]),
  isOwnerAsked: () => true,
  onRow: () => undefined,
  prices: createPrices(entries),
  showsPrices: true,
  advice: undefined,
  localTime: berlin,
  now: NOON,
  months: 18,
  ...fields,
});
