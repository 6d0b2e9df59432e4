import { describe, expect, it } from 'vitest';
import { recordFields } from '../../src/base/query-api/records.ts';
import { createSite } from './site.ts';

type Feature = Readonly<Record<string, number | string>>;

const size = { vendorLicenses: 3, features: 40 };
const parse = (body: Buffer): Feature[] => JSON.parse(body.toString().replaceAll(':NaN', ':null'))[0];

describe('the site of the benchmarks', () => {
  it('has every field of the contract, and the size of a record that the goals assume', () => {
    const body = createSite(size).features('%');
    for (const record of parse(body)) expect(Object.keys(record)).toEqual(Object.keys(recordFields.GetFeatures));
    expect(body.length / 120).toBeGreaterThan(850);
    expect(body.length / 120).toBeLessThan(930);
    expect(body.includes('"LogQueued":NaN')).toBe(true);
  });

  it('changes the usage of every 20th record', () => {
    const site = createSite(size);
    for (let change = 0; change < 45; change += 1) {
      const before = parse(site.features('%'));
      site.change();
      const after = parse(site.features('%'));
      const changed = after.flatMap((record, i) => (record['InUse'] === before[i]?.['InUse'] ? [] : [i]));
      expect(changed).toEqual(Array.from({ length: 6 }, (_, i) => (change % 20) + 20 * i));
    }
  });

  it('sends the records of one vendor license, and sums up what it sends', () => {
    const site = createSite(size);
    site.change();
    const whole = parse(site.features('%'));
    expect(site.vendorLicenses.flatMap((name) => parse(site.features(name)))).toEqual(whole);
    const sum = whole.reduce((total, record) => total + Number(record['InUse']), 0);
    expect(site.totals()['license_feature_in_use']).toEqual({ count: 120, sum });
  });
});
