import { describe, expect, it } from 'vitest';
import { type ExpirySelection, readExpiries } from '../../../src/alerting/expiries/expiry.ts';
import { ExpiriesUnknown } from '../../../src/alerting/expiries/unknown-expiry.ts';
import { createOwners } from '../../../src/base/model/owners.ts';
import type { FeatureRecord } from '../../../src/base/model/records.ts';
import type { PolledEndpoint } from '../../../src/base/model/snapshot.ts';
import { unknown } from '../../../src/base/model/unknown.ts';
import { expiryRows } from '../../../src/site/pages/expiries/route.ts';
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

const DAY = 86_400;
const policy = { ...everything, usageWhenNotCurrent: 'withhold' } as const;
const owners = createOwners([
  { vendorLicense: 'lic01;cdslmd', feature: 'mesh', labels: { owner: 'cae', site: 'paris' } },
  { vendorLicense: 'lic0*', feature: '*', labels: { owner: 'cad' } },
]);
const all: ExpirySelection = {
  owners,
  isOwnerAsked: () => true,
  from: Number.NEGATIVE_INFINITY,
  to: Number.POSITIVE_INFINITY,
};

async function read(scenario: Scenario, selection: Partial<ExpirySelection> = {}, off: readonly PolledEndpoint[] = []) {
  const inventory = deriveInventoryNow({ ...createSnapshot(scenario), off }, NOW, policy);
  const known = await readExpiries(inventory, { ...all, ...selection });
  return { ...known, names: known.expiries.map(({ feature: name }) => name) };
}

/** Features of lic01;cdslmd whose expiries are in GetExpirationFeatures too, and one of another vendor license. */
const site = (...features: readonly Partial<FeatureRecord>[]): Scenario => ({
  products: good(answer([product(), product({ product: 'lic02;mgcld' })])),
  features: {
    '': good(
      answer([
        ...features.map(feature),
        feature({ feature: 'other', serverName: 'lic02', daemon: 'mgcld', licenseExpiration: NOW + 50 * DAY }),
      ]),
    ),
  },
  expirations: {
    'lic01;cdslmd': good(
      answer(
        features
          .map(feature)
          .map(({ feature: name, licenseExpiration }) => expiration({ feature: name, licenseExpiration })),
      ),
    ),
    'lic02;mgcld': good(answer([])),
  },
});

describe('expiries', () => {
  it('are listed by date, with owner and number of licenses', async () => {
    const { expiries, unknown: others } = await read(
      site(
        { feature: 'late', licenseExpiration: NOW + 99 * DAY, maxAvailable: 99_999 },
        { feature: 'over', licenseExpiration: NOW - DAY, maxAvailable: undefined },
        { feature: 'mesh', licenseExpiration: NOW + DAY },
      ),
    );
    expect(others).toEqual([]);
    expect(expiries.map(({ feature: name, licenses, expiration: at, owner }) => [name, licenses, at, owner])).toEqual([
      ['over', unknown, NOW - DAY, 'cad'],
      ['mesh', 10, NOW + DAY, 'cae'],
      ['other', 10, NOW + 50 * DAY, 'cad'],
      ['late', 'uncounted', NOW + 99 * DAY, 'cad'],
    ]);
  });

  it('do not include permanent licenses, and dates that no calendar can show', async () => {
    const never = [Number.POSITIVE_INFINITY, Date.UTC(10_000, 0) / 1000];
    const { names, unknown: others } = await read(
      site(...never.map((licenseExpiration, at) => ({ feature: `f${at}`, licenseExpiration }))),
    );
    expect(names).toEqual(['other']);
    expect(others).toEqual([]);
  });

  it('include the begin of a time range, and not its end', async () => {
    const features = [0, 1, 2].map((days) => ({ feature: `${days}`, licenseExpiration: NOW + days * DAY }));
    expect((await read(site(...features), { from: NOW, to: NOW + 2 * DAY })).names).toEqual(['0', '1']);
  });

  it('that are not known are counted', async () => {
    const { names, unknown: others } = await read(
      site(
        { feature: 'a', licenseExpiration: undefined },
        { feature: 'mesh', licenseExpiration: undefined },
        { feature: 'c', licenseExpiration: NOW },
      ),
    );
    expect(names).toEqual(['c', 'other']);
    expect(others).toEqual([{ vendorLicense: 'lic01;cdslmd', reason: '2 features have no known expiry' }]);
    const ofCae = await read(site({ feature: 'a', licenseExpiration: undefined }, { feature: 'mesh' }), {
      isOwnerAsked: (owner) => owner === 'cae',
    });
    expect(ofCae).toMatchObject({ names: ['mesh'], unknown: [] });
  });

  it('of a vendor license whose poll fails are listed as far as known, and named as not all known', async () => {
    const scenario = site({ feature: 'a' });
    const { names, unknown: others } = await read({
      ...scenario,
      expirations: { ...scenario.expirations, 'lic01;cdslmd': failed() },
    });
    expect(names).toEqual(['a', 'other']);
    expect(others).toEqual([
      { vendorLicense: 'lic01;cdslmd', reason: 'GetExpirationFeatures of lic01;cdslmd: too slow' },
    ]);
  });

  it('of a vendor license that was never polled or never collected are not known', async () => {
    const scenario = site({ feature: 'a' });
    const { unknown: others } = await read({
      ...scenario,
      products: good(answer([product({ collectionTime: undefined }), product({ product: 'lic02;mgcld' })])),
      expirations: { 'lic01;cdslmd': good(answer([])) },
    });
    expect(others).toEqual([
      { vendorLicense: 'lic01;cdslmd', reason: 'the license server was never collected' },
      { vendorLicense: 'lic02;mgcld', reason: 'GetExpirationFeatures of lic02;mgcld has not been polled yet' },
    ]);
  });

  it('are not known to the owners of what is missing only', async () => {
    const scenario: Scenario = { ...site({ feature: 'a' }), features: { '': failed() } };
    const unknownTo = async (asked: string | undefined) =>
      (await read(scenario, { isOwnerAsked: (owner) => owner === asked })).unknown.map(
        ({ vendorLicense }) => vendorLicense,
      );
    expect(await unknownTo('cad')).toEqual(['lic01;cdslmd', 'lic02;mgcld']);
    // it owns one feature there
    expect(await unknownTo('cae')).toEqual(['lic01;cdslmd']);
    expect(await unknownTo(undefined)).toEqual([]);
  });

  it('come from GetFeatures alone if GetExpirationFeatures is off', async () => {
    const { expirations: _, ...scenario } = site({ feature: 'a' });
    expect(await read(scenario, {}, ['GetExpirationFeatures'])).toMatchObject({ names: ['a', 'other'], unknown: [] });
  });

  it.each<[string, Scenario, readonly PolledEndpoint[], string]>([
    ['nothing was polled', {}, [], 'GetExpirationFeatures has not been polled yet'],
    ['the poll of vendor licenses fails', { products: failed() }, [], 'GetProducts: too slow'],
    [
      'each poll fails',
      { ...site(), features: { '': failed() }, expirations: { 'lic01;cdslmd': failed() } },
      [],
      'GetExpirationFeatures of lic01;cdslmd: too slow',
    ],
    [
      'both endpoints are off',
      { products: good(answer([product()])) },
      ['GetFeatures', 'GetExpirationFeatures'],
      'neither GetExpirationFeatures nor GetFeatures is polled: they are off or absent',
    ],
  ])('are an error, not an empty list, if %s', async (_, scenario, off, message) => {
    await expect(read(scenario, {}, off)).rejects.toThrow(new ExpiriesUnknown(message));
  });

  it('do not exist on a site that is known to be empty', async () => {
    expect(await read({ products: good(answer([])) })).toMatchObject({ expiries: [], unknown: [] });
  });

  it('are rows with all labels of owners, and what is not known is first', async () => {
    const known = await read(site({ feature: 'mesh', licenseExpiration: NOW + 1.5 * DAY }));
    const others = [{ vendorLicense: 'lic01;cdslmd', reason: 'too slow' }];
    const { columns, rows } = expiryRows({ ...known, unknown: others }, { owners, now: NOW, timeZone: 'UTC' });
    const objects = [...rows].map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
    expect(objects[0]).toMatchObject({
      vendor_license: 'lic01;cdslmd',
      feature: null,
      expires: null,
      owner: 'cad',
      note: 'expiries are not all known: too slow',
    });
    expect(objects[1]).toEqual({
      vendor_license: 'lic01;cdslmd',
      feature: 'mesh',
      version: '1.0',
      package: '',
      feature_type: 'feature',
      licenses: 10,
      expires: new Date((NOW + 1.5 * DAY) * 1000).toISOString().slice(0, 10),
      days_left: 1.5,
      owner: 'cae',
      site: 'paris',
      note: null,
    });
    expect(objects).toHaveLength(3);
  });
});
