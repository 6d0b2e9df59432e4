import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOwners, noOwners } from '../../../src/base/model/owners.ts';
import type { FeatureRecord } from '../../../src/base/model/records.ts';
import { WHOLE } from '../../../src/base/model/snapshot.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import { figuresOf } from '../../../src/site/grafana/answers/site-figures.ts';
import { findFeatures, wordsOf } from '../../../src/site/pages/search.ts';
import { usageHtml } from '../../../src/site/pages/vendor-license-list.ts';
import { isSaturated } from '../../support/alert-views.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { answer, createSnapshot, feature, good, NOW, product, type Scenario } from '../../support/scenario.ts';

const DAY = 86_400;

const inventoryOf = (parts: Scenario): Inventory =>
  deriveInventoryNow(createSnapshot(parts), NOW, { ...everything, usageWhenNotCurrent: 'withhold' });

const siteOf = (listed: readonly Partial<FeatureRecord>[], more: Scenario = {}): Inventory =>
  inventoryOf({
    products: good(answer([product(), product({ product: 'lic02;mlm' })])),
    down: good(answer([])),
    features: { [WHOLE]: good(answer(listed.map(feature))) },
    ...more,
  });

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const records = fc.array(
  fc.record({
    serverName: fc.constantFrom('lic01', 'lic02'),
    maxAvailable: some(fc.constantFrom(0, 1, 20, 99_999)),
    inUse: some(fc.constantFrom(0, 1, 19, 20)),
    maxQueued: some(fc.constantFrom(0, 2)),
    licenseExpiration: some(
      fc.constantFrom(NOW - DAY, NOW + DAY, NOW + 29 * DAY, NOW + 31 * DAY, Number.POSITIVE_INFINITY),
    ),
  }),
  { maxLength: 30 },
);

describe('the figures of a site', () => {
  it('are those of a count over all features', async () => {
    await fc.assert(
      fc.asyncProperty(records, async (made) => {
        const named = made.map((record, i) => ({
          ...record,
          feature: `f${i}`,
          daemon: record.serverName === 'lic01' ? 'cdslmd' : 'mlm',
        }));
        const { sums, vendorLicenses, short, shortCount, expiring, expired } = await figuresOf(
          siteOf(named),
          isSaturated,
        );
        const counts = (is: (record: (typeof named)[number]) => boolean): number => named.filter(is).length;
        const isUnlimited = ({ maxAvailable }: (typeof named)[number]): boolean => maxAvailable === 99_999;
        const isCounted = ({ inUse, maxAvailable }: (typeof named)[number]): boolean =>
          inUse !== undefined && maxAvailable !== undefined && maxAvailable !== 99_999;
        const isFull = (record: (typeof named)[number]): boolean =>
          isCounted(record) &&
          (record.maxAvailable ?? 0) >= 2 &&
          (record.inUse ?? 0) / (record.maxAvailable ?? 1) >= 0.95;
        const waits = ({ maxQueued }: (typeof named)[number]): boolean => (maxQueued ?? 0) > 0;
        const ends = ({ licenseExpiration }: (typeof named)[number]): number => licenseExpiration ?? Number.NaN;
        expect(sums).toEqual({
          features: named.length,
          saturated: counts(isFull),
          waiting: named.reduce((sum, { maxQueued }) => sum + (maxQueued ?? 0), 0),
          withoutUsage: counts(({ inUse }) => inUse === undefined),
          withoutShare: counts((record) => !isCounted(record) && record.maxAvailable !== 99_999),
          withoutQueue: counts(({ maxQueued }) => maxQueued === undefined),
          inUse: named.filter(isCounted).reduce((sum, { inUse }) => sum + (inUse ?? 0), 0),
          bought: named.filter(isCounted).reduce((sum, { maxAvailable }) => sum + (maxAvailable ?? 0), 0),
          uncounted: counts(isUnlimited),
          uncountedInUse: named.filter(isUnlimited).reduce((sum, { inUse }) => sum + (inUse ?? 0), 0),
          uncountedWithoutUsage: counts((record) => isUnlimited(record) && record.inUse === undefined),
          counted: counts((record) => !isUnlimited(record)),
          licenses: named
            .filter((record) => !isUnlimited(record))
            .reduce((sum, { maxAvailable }) => sum + (maxAvailable ?? 0), 0),
          withoutLicenses: counts(({ maxAvailable }) => maxAvailable === undefined),
          expired: counts((record) => ends(record) <= NOW),
          permanent: counts((record) => ends(record) === Number.POSITIVE_INFINITY),
          within30Days: counts((record) => ends(record) > NOW && ends(record) <= NOW + 30 * DAY),
          withoutExpiry: counts(({ licenseExpiration }) => licenseExpiration === undefined),
          nextExpiry: Math.min(...named.map(ends).filter((end) => end > NOW), Number.POSITIVE_INFINITY),
        });
        expect(vendorLicenses.reduce((sum, { features }) => sum + features, 0)).toBe(named.length);
        expect(shortCount).toBe(counts((record) => isFull(record) || waits(record)));
        expect(short).toHaveLength(Math.min(15, shortCount));
        expect(expiring.map(({ expiration }) => expiration)).toEqual(
          named
            .map(ends)
            .filter((end) => end > NOW && end < Number.POSITIVE_INFINITY)
            .sort((a, b) => a - b)
            .slice(0, 15),
        );
        expect(expired).toHaveLength(Math.min(5, sums.expired));
      }),
    );
  });

  it('list a server that is down first, and withhold the usage of its features', async () => {
    const inventory = siteOf(
      [
        { feature: 'a', inUse: 10, maxAvailable: 10 },
        { feature: 'b', serverName: 'lic02', daemon: 'mlm' },
      ],
      {
        down: good(answer([{ label: 'lic02;mlm' }])),
      },
    );
    const { vendorLicenses, sums } = await figuresOf(inventory, isSaturated);
    expect(
      vendorLicenses.map(({ row, state, saturated, withoutUsage }) => [
        row.vendorLicense,
        state,
        saturated,
        withoutUsage,
      ]),
    ).toEqual([
      ['lic02;mlm', 'down', 0, 1],
      ['lic01;cdslmd', 'up', 1, 0],
    ]);
    expect(sums.withoutUsage).toBe(1);
  });

  it('are computed once for an inventory', () => {
    const inventory = siteOf([{}]);
    expect(figuresOf(inventory, isSaturated)).toBe(figuresOf(inventory, isSaturated));
  });
});

describe('the filter', () => {
  const inventory = siteOf([
    { feature: 'Synth', maxQueued: 1 },
    { feature: 'synth_pro', package: 'suite', inUse: 9 },
    { feature: 'layout', inUse: 10 },
    { feature: 'layout', serverName: 'lic02', daemon: 'mlm' },
  ]);
  const owners = createOwners([{ vendorLicense: '*', feature: 'lay*', labels: { owner: 'CAD team' } }]);
  const find = (text: string, vendorLicense?: string, mapping = noOwners) =>
    findFeatures(inventory, wordsOf(text), vendorLicense, mapping);
  const names = async (found: ReturnType<typeof find>) =>
    (await found).features.map((item) => `${item.vendorLicense} ${item.feature}`);

  it.each<[text: string, found: string[]]>([
    ['SYNTH', ['lic01;cdslmd Synth', 'lic01;cdslmd synth_pro']],
    ['cdslmd layout', ['lic01;cdslmd layout']],
    ['suite synth', ['lic01;cdslmd synth_pro']],
    ['lic02;mlm', ['lic02;mlm layout']],
    ['nothing', []],
    ['team', ['lic01;cdslmd layout', 'lic02;mlm layout']],
  ])('%s', async (text, found) => {
    expect(await names(find(text, undefined, owners))).toEqual(found);
  });

  it('knows no owners without a mapping, and stays in a vendor license', async () => {
    expect(await names(find('team'))).toEqual([]);
    expect(await names(find('', 'lic02;mlm'))).toEqual(['lic02;mlm layout']);
  });

  it('lists 100 and counts all', async () => {
    const many = siteOf(Array.from({ length: 120 }, (_, i) => ({ feature: `f${i}` })));
    const found = await findFeatures(many, ['f'], undefined, noOwners);
    expect([found.features.length, found.count]).toEqual([100, 120]);
  });
});

describe('the licenses of a vendor license', () => {
  const textOf = async (listed: readonly Partial<FeatureRecord>[]): Promise<string> => {
    const { vendorLicenses } = await figuresOf(siteOf(listed), isSaturated);
    const figures = vendorLicenses.find(({ row }) => row.vendorLicense === 'lic01;cdslmd');
    return figures === undefined
      ? ''
      : usageHtml(figures)
          .toString()
          .replace(/<[^>]*>/g, '');
  };

  it('are in words, also if none of them is counted', async () => {
    expect(await textOf([{ inUse: 12, maxAvailable: 1234 }])).toContain('12 of 1,234 licenses in use');
    const unlimited = { feature: 'u', inUse: 12, maxAvailable: 99_999, licenseType: 'uncounted' };
    expect(await textOf([unlimited])).toBe('12 in use, uncounted');
    expect(await textOf([unlimited, { inUse: 3, maxAvailable: 8 }])).toBe('3 of 8 licenses in use and 12 uncounted');
    expect(await textOf([])).toBe('no feature is known');
  });

  it('are said to be over where more are in use than there are', async () => {
    expect(await textOf([{ inUse: 120, maxAvailable: 100 }])).toBe('120 in use of 100 licenses (20 over)');
    expect(await textOf([{ inUse: 2, maxAvailable: 0 }])).toBe('2 in use of 0 licenses (2 over)');
  });
});
