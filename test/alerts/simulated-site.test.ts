import { describe, expect, it } from 'vitest';
import type { Labels } from '../../src/alerts/alert.ts';
import { demoDefaults } from '../../src/app/own-analyzer.ts';
import { settingsOf } from '../support/alert-views.ts';
import { watchAlerts } from '../support/site-alerts.ts';

/** How many alerts people get from the simulated site, with the rules as they are by default. */

const MINUTE = 60;
const DAY = 86_400;
const ofDemo = settingsOf(demoDefaults.get('alerting.rules'));

const namesOf = (alerts: readonly Labels[]): string[] => [...new Set(alerts.map(({ alertname = '' }) => alertname))];

describe('the demo', () => {
  it.each([
    ['on the morning of a working day', Date.UTC(2026, 10, 18, 8, 30)],
    ['in the afternoon', Date.UTC(2026, 10, 24, 14)],
    ['at night', Date.UTC(2026, 11, 3, 1)],
    ['on a Sunday', Date.UTC(2027, 0, 10, 11)],
    ['in spring', Date.UTC(2027, 3, 13, 9)],
    ['in summer', Date.UTC(2027, 6, 6, 8, 50)],
    ['in autumn', Date.UTC(2027, 8, 16, 13, 30)],
  ])('has fewer than ten alerts at the start and for 45 minutes: %s', { timeout: 120_000 }, async (_when, ms) => {
    const from = ms / 1000;
    const firing = await watchAlerts({ from, seconds: 46 * MINUTE, interval: MINUTE, rules: ofDemo });
    expect(firing).toHaveLength(46);
    for (const alerts of firing) expect(alerts.length).toBeLessThan(10);
    for (const name of ['LicenseServerDown', 'LicenseExpiringSoon', 'LicenseFeatureSaturated']) {
      expect(namesOf(firing[0] ?? [])).toContain(name);
    }
  });
});

describe('the healthy site of 200 features', () => {
  it('has no critical alert and fewer than ten others in seven days', { timeout: 180_000 }, async () => {
    const firing = await watchAlerts({
      from: Date.UTC(2026, 10, 15, 23) / 1000,
      seconds: 7 * DAY,
      interval: 15 * MINUTE,
      rules: settingsOf(),
      site: { isHealthy: true },
    });
    expect(firing).toHaveLength(672);
    const seen = new Map(firing.flat().map((labels) => [JSON.stringify(labels), labels]));
    expect([...seen.values()].filter(({ severity }) => severity === 'critical')).toEqual([]);
    expect(seen.size).toBeLessThan(10);
  });
});
