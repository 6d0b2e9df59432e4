import { describe, expect, it } from 'vitest';
import type { Forecast, Forecasts } from '../../../src/alerting/alerts/rule.ts';
import { evaluate, ruleOf } from '../../support/alert-views.ts';
import { dayOf, forecast, forecasts, startOf } from '../../support/forecasts.ts';
import { answer, failed, feature, good, NOW, product, type Scenario } from '../../support/scenario.ts';

/** Licenses that run out: thresholds on both sides, texts, and what is unknown. */

const DAY = 86_400;
const LIC = 'lic01;cdslmd';
const ID = 'LicenseRunsOut/warning';
const products = good(answer([product(), product({ product: 'lic02;mgcld' })]));

const evaluateAll = (rows: readonly Forecast[], settings: unknown = {}, fields: Partial<Forecasts> = {}) =>
  evaluate(ID, { products }, { settings, forecasts: forecasts(rows, fields) });

/** At this time from now, to the second. */
const inSeconds = (left: number, settings: unknown = {}) =>
  evaluateAll([forecast({ confirmedRunsOut: 1 })], settings, { startOf: () => NOW + left }).findings.map(
    ({ isRaised }) => isRaised,
  );

describe('LicenseRunsOut', () => {
  it.each([
    [-DAY, [true]],
    [0, [true]],
    [120 * DAY, [true]],
    [120 * DAY + 1, [false]],
    [180 * DAY, [false]],
    [180 * DAY + 1, []],
  ])('%d s left', (left, expected) => {
    expect(inSeconds(left)).toEqual(expected);
  });

  it('takes another lead for some features, and leaves some out', () => {
    const settings = {
      LicenseRunsOut: {
        overrides: [
          { feature: '^early$', lead: '300d' },
          { feature: '^project_', enabled: false },
        ],
      },
    };
    const day = dayOf(NOW) + 200;
    const rows = ['early', 'project_x', 'base'].map((each) => forecast({ feature: each, confirmedRunsOut: day }));
    const { findings } = evaluateAll(rows, settings);
    expect(findings.map(({ labels: found, isRaised }) => [found.feature, isRaised])).toEqual([['early', true]]);
  });

  it('fires at once, and is kept for a day', () => {
    expect(ruleOf(ID).durations({})).toMatchObject({ for: 0, keepFiringFor: DAY });
  });

  it('says in which month, with its range, and what that means', () => {
    const day = dayOf(NOW) + 45;
    const runsOut = { day, earliest: day - 60, latest: day + 180 };
    const one = forecast({ package: 'suite', confirmedRunsOut: day, runsOut });
    const [finding] = evaluateAll([one]).findings;
    expect(finding?.labels).toEqual({
      alertname: 'LicenseRunsOut',
      severity: 'warning',
      vendor_license: LIC,
      feature: 'base',
      package: 'suite',
      feature_type: 'feature',
    });
    expect(finding?.value).toBe(startOf(day));
    expect(finding?.annotations).toMatchObject({
      summary:
        'base (package suite) of lic01;cdslmd is expected to run out of licenses about 2027-03 (2026-12 to 2027-08).',
      description:
        'Once they run out, all licenses are expected to be in use at some moment in about one week of four. First step: Find out why the use grows, and order more licenses in time.',
    });
    const summaryOf = (fields: Partial<Forecast>) =>
      evaluateAll([{ ...one, ...fields }]).findings[0]?.annotations.summary;
    expect(summaryOf({ runsOut: { ...runsOut, latest: undefined } })).toBe(
      'base (package suite) of lic01;cdslmd is expected to run out of licenses about 2027-03 (2026-12 or later).',
    );
    // growth was not proven last night, but on the nights before
    expect(summaryOf({ runsOut: undefined })).toBe(
      'base (package suite) of lic01;cdslmd is expected to run out of licenses about 2027-03.',
    );
  });

  const labels = {
    alertname: 'LicenseRunsOut',
    severity: 'warning',
    vendor_license: LIC,
    feature: 'base',
    feature_type: 'feature',
  };

  it('ends when a pass gives no date any more, or does not name the feature', () => {
    for (const rows of [[], [forecast({ confirmedRunsOut: undefined })]]) {
      const { findings, isUnknown, hasNoData } = evaluateAll(rows);
      expect({ findings, isUnknown: isUnknown(labels), hasNoData }).toEqual({
        findings: [],
        isUnknown: false,
        hasNoData: false,
      });
    }
  });

  it('is unknown of a feature whose data are not enough any more', () => {
    const rows = [forecast({ state: 'not enough data', confirmedRunsOut: undefined, runsOut: undefined })];
    const { findings, isUnknown, unknownAbout, hasNoData } = evaluateAll(rows);
    expect([findings, isUnknown(labels), isUnknown({ ...labels, feature: 'other' })]).toEqual([[], true, false]);
    // nothing fires of it that is not said
    expect([unknownAbout.size, hasNoData]).toEqual([0, false]);
  });

  it.each([
    ['before the first pass, and without right-sizing', undefined],
    ['two days after the last good pass', forecasts([forecast()], { computedAt: NOW - 2 * DAY })],
  ])('is unknown %s', (_, found) => {
    const { findings, isUnknown, hasNoData } = evaluate(ID, { products }, { forecasts: found });
    expect({ findings, isUnknown: isUnknown(labels), hasNoData }).toEqual({
      findings: [],
      isUnknown: true,
      hasNoData: true,
    });
    expect(evaluateAll([forecast()], {}, { computedAt: NOW - 2 * DAY + 1 }).findings).toHaveLength(1);
  });

  it('is not about a vendor license that is gone since the pass, but unknown while the list is', () => {
    const found = forecasts([forecast({ vendorLicense: 'gone;d' })]);
    const gone = { ...labels, vendor_license: 'gone;d' };
    const known = evaluate(ID, { products }, { forecasts: found });
    expect([known.findings, known.isUnknown(gone)]).toEqual([[], false]);
    const unknown = evaluate(ID, { products: failed() }, { forecasts: found });
    expect([unknown.findings, unknown.isUnknown(gone), unknown.hasNoData]).toEqual([[], true, true]);
  });

  it('is not about a feature that is gone since the pass', () => {
    const one = forecast({ confirmedRunsOut: dayOf(NOW) + 45 });
    const listing = (...names: readonly string[]): Scenario => ({
      products,
      down: good(answer([])),
      features: { '': good(answer(names.map((name) => feature({ feature: name })))) },
    });
    const found = (now: Scenario) =>
      evaluate(ID, now, { forecasts: forecasts([one]), before: listing('base', 'other') }).findings.length;
    expect([found(listing('base', 'other')), found(listing('other'))]).toEqual([1, 0]);
  });

  it('reads 20,000 features in slices', () => {
    const rule = ruleOf(ID);
    const rows = Array.from({ length: 20_000 }, (_, i) => forecast({ feature: `f${i}` }));
    const steps = rule.evaluate({
      now: NOW,
      inventory: { vendorLicenses: [], knowledge: { products: true } } as never,
      authenticated: true,
      sources: undefined,
      recording: undefined,
      forecasts: forecasts(rows),
      denied: undefined,
      past: {} as never,
      isSeriesLimited: undefined,
      isReloadRefused: false,
      timeZone: 'Europe/Berlin',
    });
    let count = 0;
    while (!steps.next().done) count += 1;
    expect(count).toBe(20);
  });
});
