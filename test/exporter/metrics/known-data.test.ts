import { describe, expect, it } from 'vitest';
import { noOwners } from '../../../src/base/model/owners.ts';
import { createExposition } from '../../../src/exporter/metrics/exposition.ts';
import { renderGauges } from '../../../src/exporter/metrics/family.ts';
import { collectors } from '../../../src/exporter/metrics/metric.ts';
import { collectPolls, collectVendorLicenses } from '../../../src/exporter/metrics/site-collector.ts';
import { isSaturated } from '../../support/alert-views.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import {
  answer,
  createSnapshot,
  expiration,
  failed,
  feature,
  good,
  NOW,
  product,
  type Scenario,
} from '../../support/scenario.ts';

/** What the metrics say about which data is known. */

const VENDOR_LICENSE = 'lic01;cdslmd';

/** Everything about one vendor license is known. */
const allKnown: Scenario = {
  products: good(answer([product()])),
  down: good(answer([])),
  features: { [VENDOR_LICENSE]: good(answer([feature()])) },
  expirations: { [VENDOR_LICENSE]: good(answer([expiration()])) },
};

const OLD = NOW - 86_400;

/** The metrics of vendor licenses and of polls as text. */
function pageOf(scenario: Scenario): string {
  const inventory = deriveInventoryNow(createSnapshot(scenario), NOW, {
    ...everything,
    usageWhenNotCurrent: 'withhold',
  });
  const families = [...collectVendorLicenses(inventory, collectors, noOwners), ...collectPolls(inventory)];
  return Buffer.concat([...renderGauges(families)].map(({ bytes }) => bytes)).toString();
}

/** Whether each data is known, by the name of the data. */
function knownOf(scenario: Scenario): Readonly<Record<string, string>> {
  const text = pageOf(scenario);
  const samples = text.matchAll(/_data_known\{(?:vendor_license="lic01;cdslmd",)?data="(\w+)"\} (\d)$/gm);
  return Object.fromEntries([
    ...samples.map(([, data = '', value = '']) => [data, value] as const),
    ['vendor_licenses', /^license_data_known\{data="vendor_licenses"\} (\d)$/m.exec(text)?.[1] ?? 'missing'],
  ]);
}

const known = { vendor_licenses: '1', server: '1', collection: '1', features: '1', usage: '1', expirations: '1' };

describe('which data is known', () => {
  it('is all of it after a complete poll', () => {
    expect(knownOf(allKnown)).toEqual(known);
  });

  const tooOld = <T>(value: T) => failed({ at: OLD, value });
  it.each<readonly [string, Scenario, Partial<typeof known>]>([
    ['GetServerDown is too old', { down: tooOld(answer([])) }, { server: '0' }],
    ['a record of GetServerDown was discarded', { down: good(answer([], { bad_record: 1 })) }, { server: '0' }],
    [
      'the data was never collected',
      { products: good(answer([product({ collectionTime: undefined })])) },
      { collection: '0' },
    ],
    [
      'GetFeatures is too old',
      { features: { [VENDOR_LICENSE]: tooOld(answer([feature()])) } },
      { features: '0', usage: '0', expirations: '0' },
    ],
    ['the usage is withheld', { products: good(answer([product({ isCurrent: false })])) }, { usage: '0' }],
    ['the server is down', { down: good(answer([{ label: VENDOR_LICENSE }])) }, { usage: '0' }],
    [
      'GetExpirationFeatures is too old',
      { expirations: { [VENDOR_LICENSE]: tooOld(answer([expiration()])) } },
      { expirations: '0' },
    ],
    [
      'GetProducts is too old, and the vendor license is only known from before',
      { products: tooOld(answer([product()])) },
      { vendor_licenses: '0', collection: '0' },
    ],
  ])('is not, if %s', (_, change, unknown) => {
    expect(knownOf({ ...allKnown, ...change })).toEqual({ ...known, ...unknown });
  });

  it('is nothing of a vendor license that is not known any more', () => {
    expect(knownOf({ ...allKnown, products: good(answer([])), features: {}, expirations: {} })).toEqual({
      vendor_licenses: '1',
    });
  });

  it('is nothing before the first poll, and says so', async () => {
    const exposition = createExposition({
      metrics: { collectors: collectors, maxSeries: 100 },
      self: {
        observeRequest: () => undefined,
        setReload: () => undefined,
        isReloadRefused: () => false,
        setSeries: () => undefined,
        render: async () => '',
        changes: () => 0,
      },
      owners: () => noOwners,
      isSaturated,
      rightsizing: () => undefined,
      latest: () => undefined,
      isOutdated: () => false,
      renew: async () => undefined,
    });
    const { body } = await exposition.page({ accept: undefined, acceptEncoding: undefined, collect: [] });
    expect(String(body)).toContain('\nlicense_data_known{data="vendor_licenses"} 0\n');
  });
});

it('counts what was not exported, or only in part, while there is any', () => {
  const page = pageOf({ ...allKnown, products: good(answer([product()], { long_name: 2, nan: 1 })) });
  expect(page.match(/^license_poll_discarded_values\{.*$/gm)).toEqual([
    'license_poll_discarded_values{endpoint="GetProducts",reason="nan"} 1',
    'license_poll_discarded_values{endpoint="GetProducts",reason="long_name"} 2',
  ]);
});
