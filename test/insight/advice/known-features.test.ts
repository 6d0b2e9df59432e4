import { describe, expect, it } from 'vitest';
import type { FeatureRecord, ProductRecord } from '../../../src/base/model/records.ts';
import { unknown } from '../../../src/base/model/unknown.ts';
import { type KnownFeature, knownFeaturesOf } from '../../../src/insight/advice/pass/known-features.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { answer, createSnapshot, failed, feature, good, NOW, product, type Scenario } from '../../support/scenario.ts';

const policy = { ...everything, usageWhenNotCurrent: 'withhold' } as const;

const knownOf = (scenario: Scenario) => knownFeaturesOf(deriveInventoryNow(createSnapshot(scenario), NOW, policy));

const site = (features: readonly Partial<FeatureRecord>[], of: Partial<ProductRecord> = {}): Scenario => ({
  products: good(answer([product(of)])),
  down: good(answer([])),
  features: { '': good(answer(features.map(feature))) },
});

function only(features: readonly Partial<FeatureRecord>[], of?: Partial<ProductRecord>): KnownFeature {
  const all = [...knownOf(site(features, of)).features.values()];
  if (all.length !== 1 || all[0] === undefined) throw new Error(`${all.length} features`);
  return all[0];
}

describe('what is known of a feature now', () => {
  it('is the sum over its versions', () => {
    const both = [
      { version: '1', maxAvailable: 4 },
      { version: '2', maxAvailable: 3 },
    ];
    expect(only(both)).toMatchObject({ bought: 7, exclusion: undefined });
    expect(only([...both, { version: '3', maxAvailable: undefined }]).bought).toBe(unknown);
  });

  it('has reserved licenses as far as they are known', () => {
    const both = [
      { unusedReserve: 2, usedReserve: undefined },
      { version: '2', unusedReserve: 1, usedReserve: 4 },
    ];
    expect(only([...both, { version: '3', unusedReserve: undefined, usedReserve: undefined }]).reserved).toBe(7);
  });

  it('does not include a number that is not current', () => {
    expect(only([{ maxAvailable: 4 }], { isCurrent: false }).bought).toBe(unknown);
    const down = { ...site([{ maxAvailable: 4 }]), down: good(answer([{ label: 'lic01;cdslmd' }])) };
    expect([...knownOf(down).features.values()][0]?.bought).toBe(unknown);
    expect(only([{ maxAvailable: 4 }]).bought).toBe(4);
  });

  it.each<[string | undefined, readonly Partial<FeatureRecord>[]]>([
    [undefined, [{}]],
    ['has uncounted licenses', [{ maxAvailable: 99_999 }]],
    ['has uncounted licenses', [{ maxAvailable: 2 }, { version: '2', licenseType: 'uncounted' }]],
    ['is node-locked', [{ licenseType: 'node-locked' }]],
    [undefined, [{ licenseType: 'node-locked' }, { version: '2' }]],
    ['is a component of a package', [{ featureType: 'component', package: 'suite' }]],
    ['has licenses for named users', [{ licenseModel: 'named' }]],
    ['takes tokens of pool', [{ licenseModel: 'token', tokenPool: 'pool' }]],
    ['takes tokens', [{ licenseModel: 'token', tokenCostValue: undefined }]],
    ['takes tokens', [{ licenseModel: 'token', tokenCostValue: 3 }]],
    [undefined, [{ licenseModel: 'token', tokenCostValue: 0 }]],
  ])('excludes it from advice: %s', (exclusion, features) => {
    expect(only(features).exclusion).toBe(exclusion);
  });

  it('is complete only while the analyzer answers', () => {
    expect(knownOf(site([{}])).isComplete('gone;d')).toBe(true);
    expect(knownOf({ ...site([{}]), features: { '': failed() } }).isComplete('gone;d')).toBe(false);
    expect(knownOf({ ...site([{}]), products: failed() }).isComplete('gone;d')).toBe(false);
  });

  it('is not complete for a vendor license that was never collected', () => {
    const of = (collectionTime: number | undefined): readonly boolean[] => {
      const known = knownOf(site([], { collectionTime }));
      return [known.isComplete('lic01;cdslmd'), known.isCollected('lic01;cdslmd')];
    };
    expect([of(NOW - 60), of(undefined)]).toEqual([
      [true, true],
      [false, false],
    ]);
  });
});
