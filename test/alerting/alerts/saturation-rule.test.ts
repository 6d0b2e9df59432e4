import { describe, expect, it } from 'vitest';
import type { FeatureRecord } from '../../../src/base/model/records.ts';
import { evaluateRule, ruleOf, viewOf } from '../../support/alert-views.ts';
import { answer, createSnapshot, feature, good, NOW, product } from '../../support/scenario.ts';

const id = 'LicenseFeatureSaturated/info';

/** Evaluates one rule every 30 seconds, and says what it finds each time. */
function run(records: readonly (Partial<FeatureRecord> & { isCurrent?: boolean })[], settings: unknown = {}) {
  const rule = ruleOf(id, { LicenseFeatureSaturated: settings });
  return records.map(({ isCurrent = true, ...fields }, i) => {
    const now = NOW + i * 30;
    const products = good(answer([product({ isCurrent })]), now);
    const snapshot = createSnapshot({ products, features: { '': good(answer([feature(fields)]), now) } });
    const { findings, isUnknown } = evaluateRule(rule, viewOf(snapshot, now));
    const about = { vendor_license: 'lic01;cdslmd', feature: 'base', version: '1.0', feature_type: 'feature' };
    if (findings.length === 0) return isUnknown(about) ? 'unknown' : 'false';
    return findings[0]?.isRaised ? 'raised' : 'not cleared';
  });
}

const times = (count: number, inUse: number | undefined) =>
  Array.from({ length: count }, () => ({ inUse, maxAvailable: 100 }));

describe('saturation is averaged', () => {
  it('so that a short peak raises nothing', () => {
    expect(new Set(run([...times(20, 50), ...times(4, 100), ...times(20, 50)]))).toEqual(new Set(['false']));
  });

  it('so that a dip every fourteen minutes ends nothing', () => {
    const dips = [...times(28, 100), ...times(1, 0), ...times(28, 100), ...times(1, 0), ...times(20, 100)];
    expect(new Set(run(dips))).toEqual(new Set(['raised']));
  });

  it('and ends when the average is below the lower threshold', () => {
    const states = run([...times(20, 100), ...times(20, 60)]);
    // 18 × 1 + 2 × 0.6 of 20 are 0.96, and 15 × 1 + 5 × 0.6 are 0.9
    expect(states.slice(21, 26)).toEqual(['raised', 'not cleared', 'not cleared', 'not cleared', 'false']);
  });

  it('over the window that is set for the feature', () => {
    const settings = { overrides: [{ feature: 'base', window: '2m' }] };
    expect(run([...times(20, 0), ...times(4, 100)], settings).at(-1)).toBe('raised');
    expect(run([...times(20, 0), ...times(4, 100)]).at(-1)).toBe('false');
  });

  it('without what is not known', () => {
    expect(run([...times(1, 100), ...times(5, undefined), ...times(1, 100)])).toEqual([
      'raised',
      ...Array.from({ length: 5 }, () => 'unknown'),
      'raised',
    ]);
    const withheld = times(9, 0).map((fields) => ({ ...fields, isCurrent: false }));
    expect(run([...withheld, ...times(1, 100)]).at(-1)).toBe('raised');
  });
});

it('features with few licenses are ignored', () => {
  const only = (maxAvailable: number, settings = {}) => run([{ inUse: maxAvailable, maxAvailable }], settings);
  expect([only(1), only(2), only(1, { min_licenses: 1 }), only(9, { min_licenses: 10 })]).toEqual([
    ['false'],
    ['raised'],
    ['raised'],
    ['false'],
  ]);
});

it('uncounted licenses are never all in use', () => {
  expect(run([{ inUse: 99_999, maxAvailable: 99_999 }])).toEqual(['false']);
  expect(run([{ inUse: 10, maxAvailable: 10, licenseType: 'uncounted' }])).toEqual(['false']);
});
