import { describe, expect, it } from 'vitest';
import type { Labels } from '../../../src/alerting/alerts/alert.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createOwners } from '../../../src/base/model/owners.ts';
import { demoDefaults } from '../../../src/program/app/demo-analyzer.ts';
import { settingsOf } from '../../support/alert-views.ts';
import { type Contract, createContracts } from '../../support/contracts.ts';
import { isLong } from '../../support/extent.ts';
import { SITE_ZONE } from '../../support/polled-site.ts';
import { watchAlerts } from '../../support/site-alerts.ts';
import { type MessagesOptions, type SiteMessages, sendMessages } from '../../support/site-messages.ts';

/** How many alerts and messages people get from the simulated site, with the rules as they are by default. */

const MINUTE = 60;
const DAY = 86_400;
const STEP = (isLong ? 15 : 30) * MINUTE;
const ofDemo = settingsOf(demoDefaults.get('alerting.rules'));

const namesOf = (alerts: readonly Labels[]): string[] => [...new Set(alerts.map(({ alertname = '' }) => alertname))];

/** The demo starts in a morning, in one time zone or another. */
const moments: readonly (readonly [when: string, ms: number])[] = [
  ['on a Wednesday', Date.UTC(2026, 10, 18, 8, 30)],
  ['on a Saturday', Date.UTC(2026, 10, 28, 9, 20)],
  ['between the years', Date.UTC(2026, 11, 29, 9)],
  ['on a Sunday', Date.UTC(2027, 0, 10, 9, 50)],
  ['in spring', Date.UTC(2027, 3, 13, 8)],
  ['in summer', Date.UTC(2027, 6, 6, 8, 50)],
  ['in autumn', Date.UTC(2027, 8, 16, 8)],
];

describe('the demo', () => {
  it.each(isLong ? moments : moments.slice(0, 2))(
    'has fewer than ten alerts at the start and for 45 minutes: %s',
    async (_when, ms) => {
      const from = ms / 1000;
      const site = { opening: createLocalTime(SITE_ZONE).dayOf(from) };
      const firing = await watchAlerts({ from, seconds: 46 * MINUTE, interval: MINUTE, rules: ofDemo, site });
      expect(firing).toHaveLength(46);
      for (const alerts of firing) expect(alerts.length).toBeLessThan(10);
      for (const name of ['LicenseServerDown', 'LicenseExpiringSoon', 'LicenseFeatureSaturated']) {
        expect(namesOf(firing[0] ?? [])).toContain(name);
      }
    },
  );
});

/** A Monday, 0:00 in Berlin. */
const monday = Date.UTC(2026, 10, 15, 23) / 1000;

/** Six of ten contracts end within two months, which is more than most companies have, and three are renewed this week. */
const contracts: readonly Contract[] = [
  { vendorLicense: 0, endsAfter: 14, renewedAfter: 4.4 },
  { vendorLicense: 2, endsAfter: 24, renewedAfter: 2.4, as: 'beside' },
  { vendorLicense: 3, endsAfter: 31 },
  { vendorLicense: 4, endsAfter: 45 },
  { vendorLicense: 5, endsAfter: 61 },
  { vendorLicense: 6, endsAfter: 12, renewedAfter: 1.4, as: 'beside' },
];
const owners = createOwners([
  { vendorLicense: 'sim-lic01;*', feature: '*', labels: { owner: 'cad-team' } },
  { vendorLicense: 'sim-lic04;*', feature: '*', labels: { owner: 'eda' } },
]);

describe('seven days of the healthy site of 200 features', () => {
  const sendWeek = (more: Partial<MessagesOptions> = {}): Promise<SiteMessages> =>
    sendMessages({
      ...{ from: monday, seconds: 7 * DAY, interval: STEP, rules: settingsOf(), site: { isHealthy: true } },
      ...more,
    });

  it('are without an alert, and without a message', async () => {
    const { alerts, messages, evaluations } = await sendWeek();
    expect(evaluations).toBe((7 * DAY) / STEP);
    expect(alerts).toEqual([]);
    expect(messages).toEqual([]);
  });

  it('have fewer than ten alerts, none of them critical, and fewer than five messages a day while contracts end', async () => {
    const change = createContracts(contracts, monday, SITE_ZONE);
    const { alerts, messages } = await sendWeek({ owners, change, interval: 30 * MINUTE });
    expect(alerts.filter(({ severity }) => severity === 'critical')).toEqual([]);
    expect(alerts.length).toBeLessThan(10);
    const days = Array.from(
      { length: 7 },
      (_, day) => messages.filter(({ at }) => Math.floor((at - monday) / DAY) === day).length,
    );
    expect(Math.max(...days)).toBeLessThan(5);
    // the first digest of each owner, and one on each day on which licenses have got nearer to their end
    expect(days).toEqual([3, 0, 2, 0, 0, 0, 0]);
    expect(new Set(messages.map(({ receiver }) => receiver))).toEqual(new Set(['license-digest']));
  });
});
