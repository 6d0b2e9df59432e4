import { describe, expect, it } from 'vitest';
import { createPrices, type PriceEntry } from '../../../src/base/model/prices.ts';
import { priceEntry } from '../../support/price-entry.ts';

const entry = (vendorLicense: string, feature: string, price: number, packageName = '%'): PriceEntry =>
  priceEntry({ vendorLicense, feature, price, package: packageName });

describe('prices', () => {
  it('are those of the first entry that matches', () => {
    const prices = createPrices([
      entry('lic01;cadd', 'solver', 1),
      entry('lic01;%', '%', 2),
      entry('lic01;cadd', 'mesh', 3),
      entry('%', 'mesh', 4),
      entry('%', '%-pro', 5, 'suite'),
    ]);
    const of = (vendorLicense: string, feature: string, packageName = '') =>
      prices.of(vendorLicense, feature, packageName)?.price;
    expect(of('lic01;cadd', 'solver')).toBe(1);
    expect(of('LIC01;cadd', 'solver')).toBe(1);
    expect(of('lic01;cadd', 'Solver')).toBe(2);
    // it comes after an entry with a wildcard
    expect(of('lic01;cadd', 'mesh')).toBe(2);
    expect(of('lic02;cadd', 'mesh')).toBe(4);
    expect(of('lic02;cadd', 'cfd-pro')).toBeUndefined();
    expect(of('lic02;cadd', 'cfd-pro', 'suite')).toBe(5);
    expect(of('lic02;cadd', 'nothing')).toBeUndefined();
  });

  it('have one of a name that contains the wildcard', () => {
    const prices = createPrices([entry('lic;d', 'sim-100%', 1)]);
    expect(prices.of('lic;d', 'sim-100%', '')?.price).toBe(1);
  });

  it('ignore a third part of a vendor license', () => {
    expect(createPrices([entry('lic;d;27000', 'f', 1)]).of('lic;d', 'f', '')?.price).toBe(1);
  });

  it('are the same as those of a search through all entries', () => {
    const texts = ['a', 'b', 'ab', '%', 'a%', '%b'];
    const entries = texts.flatMap((vendorLicense, i) =>
      texts.flatMap((feature, j) =>
        texts.map((packageName, k) => entry(vendorLicense, feature, i * 36 + j * 6 + k, packageName)),
      ),
    );
    const shuffled = entries.toSorted((a, b) => ((a.price * 7919) % 216) - ((b.price * 7919) % 216));
    const prices = createPrices(shuffled);
    const names = ['a', 'b', 'ab', 'ba', 'c', 'aab'];
    for (const vendorLicense of names) {
      for (const feature of names) {
        for (const packageName of ['', ...names]) {
          const alone = shuffled.find(
            (one) => createPrices([one]).of(vendorLicense, feature, packageName) !== undefined,
          );
          expect(prices.of(vendorLicense, feature, packageName)).toBe(alone);
        }
      }
    }
  });
});
