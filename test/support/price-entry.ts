import type { PriceEntry } from '../../src/base/model/prices.ts';

/** An entry of a price file: 100 EUR a year for every feature, but for what a test sets. */
export const priceEntry = (fields: Partial<PriceEntry> = {}): PriceEntry => ({
  vendorLicense: '%',
  feature: '%',
  package: '%',
  price: 100,
  currency: 'EUR',
  per: 'year',
  renewal: undefined,
  noticeDays: undefined,
  note: '',
  ...fields,
});
