import { describe, expect, it } from 'vitest';
import { alertRules } from '../../src/config/sections/alert-rules.ts';
import {
  exceptDuring,
  feature,
  featureLabels,
  type SeriesOf,
  type ValueOf,
  vendorLicense,
} from '../support/exporter-series.ts';
import { peer } from '../support/peers.ts';
import { createScenarios, one } from '../support/rule-scenarios.ts';
import { createTimelines, type Exporter } from '../support/rule-timeline.ts';

/** While the engine of the exporter delivers an alert, the rule of the same name is silent, and no other one. */

const add = createTimelines();
const scenario = createScenarios(add);

/** The engine evaluates them too, but their rules compare the past of Prometheus, or are about one process. They have no gate. */
const withoutGate = [
  'LicenseVendorLicenseVanished',
  'LicenseFeatureVanished',
  'LicenseCapacityDropped',
  'LicenseExporterSeriesLimit',
  'LicenseExporterConfigReloadFailed',
];
/** The alerts that the engine evaluates too. */
const engines = Object.entries(alertRules)
  .filter(([alert, rule]) => !('needs' in rule) && !withoutGate.includes(alert))
  .map(([alert]) => alert);

const active = (alert: string): string => `license_exporter_alerting_active{alertname="${alert}"}`;
const DAY = 86_400;
const HISTORY = 'vendor_license="v;d",feature="a",package="",feature_type="feature"';
const source = (name: string): string => `source="${name}",manager="flexnet"`;

/** A site with most alerts. */
const busy: SeriesOf = {
  ...vendorLicense('v;d'),
  'license_server_up{vendor_license="v;d"}': 0,
  ...feature(featureLabels('a'), { inUse: 10, queued: 1, expires: -DAY }),
  ...feature(featureLabels('b'), { expires: 3 * DAY }),
  ...feature(featureLabels('c'), { expires: 20 * DAY }),
  ...feature(featureLabels('d'), { expires: 50 * DAY }),
  [`license_feature_history_denials{${HISTORY}}`]: 4,
  [`license_feature_history_timestamp_seconds{${HISTORY}}`]: 0,
  license_rightsizing_last_success_timestamp_seconds: 0,
  [`license_feature_runs_out_timestamp_seconds{${HISTORY}}`]: 60 * DAY,
  [`license_source_failed_readings{${source('s1')}}`]: 2,
  [`license_source_failed_readings{${source('s2')}}`]: 0,
  [`license_source_member_up{${source('s2')},server="a"}`]: 1,
  [`license_source_member_up{${source('s2')},server="b"}`]: 0,
  license_exporter_time_seconds: 7200,
  license_history_last_sample_timestamp_seconds: 0,
  license_history_sample_interval_seconds: 60,
  'license_poll_success{endpoint="GetFeatures"}': 0,
  'license_poll_field_missing{endpoint="GetFeatures",field="InUse"}': 1,
  'license_poll_discarded_values{endpoint="GetFeatures",reason="bad_record"}': 20,
  'license_poll_records{endpoint="GetFeatures"}': 80,
};

/** What would explain the alerts of another site is on an analyzer of its own. */
interface Site {
  /** The alerts that it is about; all others if missing. */
  readonly alerts?: readonly string[];
  readonly series: SeriesOf;
}

/** Together, all alerts of the engine fire. */
const sites: readonly Site[] = [
  { series: busy },
  {
    alerts: ['LicenseCollectionStale', 'LicenseAnalyzerUnreachable'],
    series: {
      ...vendorLicense('v;d'),
      'license_server_up{vendor_license="v;d"}': 1,
      'license_vendor_license_last_collection_timestamp_seconds{vendor_license="v;d"}': -DAY,
      license_up: 0,
    },
  },
  { alerts: ['LicenseAnalyzerAuthFailing'], series: { license_upstream_authenticated: 0 } },
  { alerts: ['LicenseProductsEmpty'], series: { 'license_poll_records{endpoint="GetProducts"}': 0 } },
];
const isAbout = (alert: string, { alerts }: Site): boolean =>
  alerts?.includes(alert) ?? !sites.some((site) => site.alerts?.includes(alert));

/** An exporter for each site, whose engine has these gates. */
const gated = (gates: (alert: string) => ValueOf, chosen = sites): Exporter[] =>
  chosen.map(({ series }) => ({
    instance: `e${sites.findIndex((site) => site.series === series)}`,
    analyzer: `b${sites.findIndex((site) => site.series === series)}`,
    series: { ...series, ...Object.fromEntries(engines.map((alert) => [active(alert), gates(alert)])) },
  }));

const minutes = 16;
const alertOf = (name: string): string => name.split(' ')[0] ?? '';
const ungated = add({ minutes, exporters: gated(() => 0) });

describe.runIf(peer('promtool'))('without an active engine', () => {
  it('the rules have all alerts', { timeout: 300_000 }, async () => {
    const { firing } = await ungated();
    expect([...new Set(Object.keys(firing).map(alertOf))].sort()).toEqual([...engines].sort());
  });
});

describe.runIf(peer('promtool')).each(engines)('%s', (alert) => {
  const about = sites.filter((site) => isAbout(alert, site));
  const own = add({ minutes, exporters: gated((name) => Number(name === alert), about) });
  // the engine of another analyzer has nothing to do with it
  const others = add({
    minutes,
    exporters: [
      ...gated((name) => Number(name !== alert), about),
      { instance: 'other', analyzer: 'other', series: { ...vendorLicense('v;d'), [active(alert)]: 1 } },
    ],
  });

  it('is silenced by its own gate, which silences no other alert', { timeout: 300_000 }, async () => {
    const analyzers = about.map((site) => `analyzer=b${sites.indexOf(site)}`);
    const expected = Object.entries((await ungated()).firing).filter(
      ([name]) => alertOf(name) !== alert && analyzers.some((analyzer) => name.includes(analyzer)),
    );
    expect((await own()).firing).toEqual(Object.fromEntries(expected));
  });

  it('is silenced by no other gate', { timeout: 300_000 }, async () => {
    const expected = Object.entries((await ungated()).firing).filter(([name]) => alertOf(name) === alert);
    expect((await others()).firing).toEqual(Object.fromEntries(expected));
  });
});

describe.runIf(peer('promtool'))('a gate that opens or closes', () => {
  const down = 'LicenseServerDown severity=critical vendor_license=v;d';

  scenario(
    'lets the rule take over when the deliveries of the engine fail',
    one(40, { 'license_server_up{vendor_license="v;d"}': 0, [active('LicenseServerDown')]: exceptDuring(20, 40) }),
    { [down]: '20-40' },
  );
  scenario(
    'ends the alert of the rule 5 minutes after the engine delivers it',
    one(40, { 'license_server_up{vendor_license="v;d"}': 0, [active('LicenseServerDown')]: exceptDuring(0, 19) }),
    { [down]: '0-24' },
  );
});
