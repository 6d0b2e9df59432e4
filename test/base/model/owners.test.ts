import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOwners, noOwners, type OwnerEntry } from '../../../src/base/model/owners.ts';

const entry = (vendorLicense: string, feature: string, labels: Readonly<Record<string, string>>): OwnerEntry => ({
  vendorLicense,
  feature,
  labels,
});

describe('owners', () => {
  const owners = createOwners([
    entry('lic01;cdslmd', 'solver', { owner: 'ada', team: 'cfd' }),
    entry('lic01;cdslmd', 'mesh_*', { owner: 'grace' }),
    entry('LIC01;*', '*', { owner: 'cad', site: 'munich' }),
    entry('*;mgcld', '*', { owner: '', team: 'eda' }),
    entry('*', '*', { owner: 'licensing', team: 'it' }),
  ]);

  it('name all labels, the owner first', () => {
    expect(owners.names).toEqual(['owner', 'team', 'site']);
    expect(createOwners([entry('a', '*', { team: 'x' })]).names).toEqual(['owner', 'team']);
    expect(noOwners.names).toEqual(['owner']);
    expect(noOwners.of('lic01;cdslmd', 'solver')).toEqual({});
  });

  it.each<[string, string | undefined, object]>([
    // each label by the first entry that gives it
    ['lic01;cdslmd', 'solver', { owner: 'ada', team: 'cfd', site: 'munich' }],
    ['lic01;cdslmd', 'mesh_2d', { owner: 'grace', team: 'it', site: 'munich' }],
    // features are compared with their case, as the analyzer does
    ['lic01;cdslmd', 'SOLVER', { owner: 'cad', team: 'it', site: 'munich' }],
    // an entry for features is not for the vendor license
    ['lic01;cdslmd', undefined, { owner: 'cad', team: 'it', site: 'munich' }],
    ['Lic01;CDSLMD', 'solver', { owner: 'ada', team: 'cfd', site: 'munich' }],
    // a label without a value is not given
    ['lic02;mgcld', 'base', { owner: 'licensing', team: 'eda' }],
    ['other;daemon', undefined, { owner: 'licensing', team: 'it' }],
  ])('of %s, feature %s', (vendorLicense, feature, expected) => {
    expect(owners.of(vendorLicense, feature)).toEqual(expected);
  });

  it('know a vendor license by any of its spellings', () => {
    for (const written of ['lic01;cdslmd', ' lic01 ; cdslmd', 'lic01;cdslmd;site-b', 'LIC01;*;x']) {
      expect(createOwners([entry(written, '*', { owner: 'cad' })]).of('lic01;cdslmd')).toEqual({ owner: 'cad' });
    }
  });

  it('take % as a usual character', () => {
    const percent = createOwners([entry('*', '100%', { owner: 'a' }), entry('*', '%*', { owner: 'b' })]);
    expect(['100%', '100', '%x'].map((feature) => percent.of('l;d', feature).owner)).toEqual(['a', undefined, 'b']);
  });

  it('are those of the obvious way', () => {
    const glob = (text: string, flags: string): RegExp => new RegExp(`^${text.replaceAll('*', '.*')}$`, `su${flags}`);
    const pattern = fc.constantFrom('*', 'a', 'A', 'a*', '*b', 'ab', 'b', 'a*b*');
    const labels = fc.record(
      { owner: fc.constantFrom('x', 'y', ''), team: fc.constantFrom('t', 'u', '') },
      { requiredKeys: [] },
    );
    const entries = fc.array(fc.record({ vendorLicense: pattern, feature: pattern, labels }), { maxLength: 8 });
    const name = fc.constantFrom('a', 'A', 'ab', 'b', 'aXb', 'AB');
    fc.assert(
      fc.property(entries, name, fc.option(name, { nil: undefined }), (all, vendorLicense, feature) => {
        const expected: Record<string, string> = {};
        for (const one of all) {
          const isOfFeature = feature === undefined ? one.feature === '*' : glob(one.feature, '').test(feature);
          if (!isOfFeature || !glob(one.vendorLicense, 'i').test(vendorLicense)) continue;
          for (const [key, value] of Object.entries(one.labels)) if (value !== '') expected[key] ??= value;
        }
        expect(createOwners(all).of(vendorLicense, feature)).toEqual(expected);
      }),
    );
  });
});
