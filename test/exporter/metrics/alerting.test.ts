import { describe, expect, it } from 'vitest';
import { createRules } from '../../../src/alerting/alerts/rules.ts';
import { collectAlerts } from '../../../src/exporter/metrics/alerting.ts';
import { renderGauges } from '../../../src/exporter/metrics/family.ts';
import { settingsOf } from '../../support/alert-views.ts';
import { sayAlerts } from '../../support/said-alerts.ts';
import {
  answer,
  createSnapshot,
  expiration,
  feature,
  good,
  NOW,
  product,
  type Scenario,
} from '../../support/scenario.ts';

/** How many series say what the engine knows of alerts. */

const analyzer = 'lic.example.com';
const DAY = 86_400;

/** A site on which every rule is evaluated and no condition is met. */
const calm: Scenario = {
  products: good(answer([product()])),
  down: good(answer([])),
  features: { '': good(answer([feature({ licenseExpiration: NOW + 400 * DAY })])) },
  expirations: { 'lic01;cdslmd': good(answer([expiration({ licenseExpiration: NOW + 400 * DAY })])) },
};

/** The series on the page, without their values. */
function seriesOf(scenario: Scenario): readonly string[] {
  const state = sayAlerts(createSnapshot(scenario), { rules: settingsOf(), analyzer, now: NOW });
  const families = collectAlerts(state, { analyzer, shard: '', shards: 1 });
  const text = Buffer.concat([...renderGauges(families)].map(({ bytes }) => bytes)).toString();
  return text.match(/^\w+\{.*\}(?= )/gm) ?? [];
}

const byAlert = (series: readonly string[]): ReadonlyMap<string, readonly string[]> =>
  Map.groupBy(series, (text) => /alertname="(\w+)"/.exec(text)?.[1] ?? '');

describe('a calm site', () => {
  const series = seriesOf(calm);
  const { '': ofNone = [], ...ofAlerts } = Object.fromEntries(byAlert(series));

  it('has one to four series of each alert, and they are always there', () => {
    const names = new Set(createRules(settingsOf()).map(({ name }) => name));
    expect(Object.keys(ofAlerts).toSorted()).toEqual([...names].toSorted());
    expect(Object.entries(ofAlerts).filter(([, { length }]) => length < 1 || length > 4)).toEqual([]);
    expect(ofNone).toEqual([`license_alerts_evaluated_timestamp_seconds{analyzer="${analyzer}"}`]);
  });

  it('has no series of an alert that fires', () => {
    const down = { ...calm, down: good(answer([{ label: 'lic01;cdslmd' }])) };
    const added = seriesOf(down).filter((text) => !series.includes(text));
    const labels = `alertname="LicenseServerDown",severity="critical",vendor_license="lic01;cdslmd"`;
    expect(added.map((text) => text.replace(`analyzer="${analyzer}",`, ''))).toEqual([
      `license_alert_firing{${labels}}`,
      `license_alert_started_timestamp_seconds{${labels}}`,
      expect.stringMatching(
        /^license_alert_facts\{.*,facts="The analyzer has received no data from lic01;cdslmd since /,
      ),
    ]);
    expect(series.filter((text) => !seriesOf(down).includes(text))).toEqual([]);
  });
});

it('is said of all alerts whether they are known, except of those about what is not configured', () => {
  const state = sayAlerts(createSnapshot(calm), { rules: settingsOf(), analyzer, now: NOW });
  const of = (notConfigured: readonly string[]): readonly string[] => {
    const families = collectAlerts(
      { ...state, notConfigured: new Set(notConfigured) },
      { analyzer, shard: '', shards: 1 },
    );
    const text = Buffer.concat([...renderGauges(families)].map(({ bytes }) => bytes)).toString();
    return [...text.matchAll(/^license_alerts_complete\{alertname="(\w+)".* [01]$/gm)].map(([, name = '']) => name);
  };
  expect(of([])).toContain('LicenseArchiveDown');
  expect(of(['LicenseArchiveDown'])).toEqual(of([]).filter((name) => name !== 'LicenseArchiveDown'));
});

describe('whether alerts are delivered', () => {
  /** The samples of one alert, with deliveries that have these counts. */
  const delivered = (...counts: readonly { errors: number; lastSuccess: number | undefined }[]): readonly string[] => {
    const state = sayAlerts(createSnapshot(calm), { rules: settingsOf(), analyzer, now: NOW });
    const deliveries = counts.map((some) => ({
      url: 'http://am:9093',
      counts: { sent: 0, dropped: 0, ...some },
      queueLength: () => 0,
    }));
    const families = collectAlerts({ ...state, deliveries }, { analyzer, shard: '', shards: 1 });
    const text = Buffer.concat([...renderGauges(families)].map(({ bytes }) => bytes)).toString();
    return text.match(/(?<=^license_alerts_delivered\{alertname="LicenseServerDown".*\} ).*/gm) ?? [];
  };

  it('is not said without an Alertmanager, and until the first delivery has ended: what was said before a restart counts', () => {
    const notYet = { errors: 0, lastSuccess: undefined };
    expect(delivered(notYet)).toEqual([]);
    expect(delivered()).toEqual([]);
    expect(delivered(notYet, { errors: 1, lastSuccess: undefined })).toEqual(['0']);
    expect(delivered({ errors: 0, lastSuccess: NOW })).toEqual(['0']);
  });
});
