import { describe, expect, it } from 'vitest';
import { createSaturation } from '../../../src/alerting/alerts/saturation.ts';
import type { FeatureRecord } from '../../../src/base/model/records.ts';
import type { FeatureRow } from '../../../src/exporter/inventory/feature-row.ts';
import { SATURATED } from '../../../src/site/grafana/answers/feature-use.ts';
import { evaluateRule, isSaturated, ruleOf, settingsOf, viewOf } from '../../support/alert-views.ts';
import { answer, createSnapshot, feature, good, product } from '../../support/scenario.ts';

const viewWith = (records: readonly Partial<FeatureRecord>[]) =>
  viewOf(createSnapshot({ products: good(answer([product()])), features: { '': good(answer(records.map(feature))) } }));

const rowOf = (record: Partial<FeatureRecord>): FeatureRow => viewWith([record]).inventory.features[0] as FeatureRow;

describe('a feature is saturated now', () => {
  it.each([
    [{ inUse: 19, maxAvailable: 20 }, true],
    [{ inUse: 18, maxAvailable: 20 }, false],
    [{ inUse: 25, maxAvailable: 20 }, true],
    [{ inUse: 2, maxAvailable: 2 }, true],
    [{ inUse: 1, maxAvailable: 1 }, false],
    [{ inUse: 0, maxAvailable: 0 }, undefined],
    [{ inUse: undefined, maxAvailable: 20 }, undefined],
    [{ inUse: 20, maxAvailable: undefined }, undefined],
    [{ inUse: 20, maxAvailable: 99_999 }, undefined],
  ])('%j: %s', (record, expected) => {
    expect(isSaturated(rowOf(record))).toBe(expected);
  });

  it.each([[{}], [{ raise: 0.7, clear: 0.6, min_licenses: 3 }]])(
    'if its alert says so of it at once: %j',
    (settings) => {
      const rules = { LicenseFeatureSaturated: settings };
      const isFull = createSaturation(settingsOf(rules));
      for (const maxAvailable of [1, 2, 3, 20]) {
        for (let inUse = 0; inUse <= 21; inUse += 1) {
          const record = { inUse, maxAvailable };
          const { findings } = evaluateRule(ruleOf('LicenseFeatureSaturated/info', rules), viewWith([record]));
          expect([record, isFull(rowOf(record))]).toEqual([record, findings.some(({ isRaised }) => isRaised)]);
        }
      }
    },
  );

  it('by the settings and overrides of its alert, also while that is off', () => {
    const rules = settingsOf({
      LicenseFeatureSaturated: {
        enabled: false,
        raise: 0.8,
        clear: 0.7,
        overrides: [
          { feature: 'small', min_licenses: 1 },
          { vendor_license: 'lic01;cdslmd', feature: 'calm', raise: 1, enabled: false },
        ],
      },
    });
    const isFull = createSaturation(rules);
    const of = (name: string, inUse: number, maxAvailable: number) =>
      isFull(rowOf({ feature: name, inUse, maxAvailable }));
    expect([of('base', 8, 10), of('base', 7, 10), of('base', 1, 1)]).toEqual([true, false, false]);
    expect([of('small', 1, 1), of('calm', 9, 10), of('calm', 10, 10)]).toEqual([true, false, true]);
  });

  it('from the share that colors begin with, if nothing is set', () => {
    expect(settingsOf().LicenseFeatureSaturated.base.raise).toBe(SATURATED);
  });
});
