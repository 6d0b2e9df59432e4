import type { Forecast, Forecasts } from '../../src/alerting/alerts/rule.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { NOW } from './scenario.ts';

/** What right-sizing expects, for tests that need no pass. */

export const { dayOf, startOf } = createLocalTime('Europe/Berlin');

/** A feature that runs out in two months. */
export const forecast = (fields: Partial<Forecast> = {}): Forecast => {
  const { confirmedRunsOut: day = dayOf(NOW) + 60 } = fields;
  return {
    vendorLicense: 'lic01;cdslmd',
    feature: 'base',
    package: '',
    featureType: 'feature',
    state: 'fine',
    bought: 10,
    count: undefined,
    needed: undefined,
    enough: undefined,
    recentPeak: undefined,
    confirmedRunsOut: day,
    runsOut: { day, earliest: day - 30, latest: day + 90 },
    unusedSince: undefined,
    isNeverUsed: false,
    days: 365,
    ...fields,
  };
};

/** The results of a pass an hour ago. */
export const forecasts = (rows: readonly Forecast[], fields: Partial<Forecasts> = {}): Forecasts => ({
  computedAt: NOW - 3600,
  rows,
  startOf,
  ...fields,
});
