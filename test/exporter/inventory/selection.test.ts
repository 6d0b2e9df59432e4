import { describe, expect, it } from 'vitest';
import { parseVendorLicense } from '../../../src/base/model/vendor-license.ts';
import { createSelection, shardOf } from '../../../src/exporter/inventory/selection.ts';

const everything = { include: [], exclude: [] };

describe('shardOf', () => {
  it.each([
    ['lic01;cdslmd', 2, 1],
    ['lic01;cdslmd', 3, 0],
    ['lic02;mgcld', 2, 1],
    ['lic02;mgcld', 3, 2],
  ])('%s modulo %i is %i', (vendorLicense, total, expected) => {
    expect(shardOf(vendorLicense, total)).toBe(expected);
  });
});

describe('createSelection', () => {
  it('owns everything by default', () => {
    const { ownsVendorLicense, ownsFeature } = createSelection({ shard: { index: 0, total: 1 }, ...everything });
    expect([ownsVendorLicense('a;b'), ownsFeature('f')]).toEqual([true, true]);
  });

  it('gives each vendor license to exactly one shard', () => {
    const shards = [0, 1, 2].map((index) => createSelection({ shard: { index, total: 3 }, ...everything }));
    for (let i = 0; i < 100; i += 1) {
      expect(shards.filter((shard) => shard.ownsVendorLicense(`lic${i};d`))).toHaveLength(1);
    }
  });

  it('keeps what is included and drops what is excluded', () => {
    const { ownsVendorLicense, ownsFeature } = createSelection({
      shard: { index: 0, total: 1 },
      include: [/^eu-/],
      exclude: [/test/, /^OLD_/],
    });
    expect(['eu-1;d', 'us-1;d', 'eu-test;d'].map(ownsVendorLicense)).toEqual([true, false, false]);
    expect(['NEW', 'OLD_X'].map(ownsFeature)).toEqual([true, false]);
  });
});

describe('parseVendorLicense', () => {
  it.each([
    ['lic01;cdslmd', { vendorLicense: 'lic01;cdslmd', server: 'lic01', daemon: 'cdslmd', qualifier: '' }],
    [' lic01 ; cdslmd ; x ; y', { vendorLicense: 'lic01;cdslmd', server: 'lic01', daemon: 'cdslmd', qualifier: 'x;y' }],
    ['lic01', { vendorLicense: 'lic01', server: 'lic01', daemon: '', qualifier: '' }],
    ['lic01;', { vendorLicense: 'lic01;', server: 'lic01', daemon: '', qualifier: '' }],
    ['', { vendorLicense: '', server: '', daemon: '', qualifier: '' }],
  ])('%j', (raw, expected) => {
    expect(parseVendorLicense(raw)).toEqual(expected);
  });
});
