import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { RuleFile } from '../../../../src/alerting/alerts/prometheus/rule-file.ts';
import { engineNames } from '../../../../src/alerting/alerts/rules.ts';
import { catalogue } from '../../../../src/exporter/metrics/catalogue.ts';
import { during } from '../../../support/exporter-series.ts';
import { peer } from '../../../support/peers.ts';
import { namesIn } from '../../../support/promql.ts';
import { type Exporter, outcome } from '../../../support/rule-timeline.ts';

/** The plain rules for those who want thresholds in Prometheus. */

const file = join(import.meta.dirname, '../../../../deploy/prometheus/plain-rules.yml');
const rules: RuleFile = parse(readFileSync(file, 'utf8'));
const all = rules.groups.flatMap((group) => group.rules);

const DAY = 86_400;
const ofFeature = 'vendor_license="lic01;cdslmd",feature="spice",version="1.0",package="",feature_type="feature"';

/** An exporter that reports one feature. */
const exporter = (instance: string): Exporter => ({
  instance,
  series: {
    // down from minute 10 to 29
    'license_server_up{vendor_license="lic01;cdslmd"}': (minute) => (during(10, 29)(minute) ? 0 : 1),
    [`license_feature_expiration_timestamp_seconds{${ofFeature}}`]: 30 * DAY + 1800,
    [`license_feature_expiration_timestamp_seconds{${ofFeature.replace('spice', 'permanent')}}`]:
      Number.POSITIVE_INFINITY,
    [`license_feature_max_available{${ofFeature}}`]: 20,
    [`license_feature_in_use{${ofFeature}}`]: (minute) => (during(40, 79)(minute) ? 19 : 18),
    [`license_feature_max_queued{${ofFeature}}`]: (minute) => (during(20, 39)(minute) ? 2 : 0),
    // its first denial is in minute 70, and another one in minute 90
    'license_feature_denials_total{vendor_license="lic01;cdslmd",feature="spice",package="",feature_type="feature",cause="all_in_use"}':
      (minute) => (minute < 70 ? undefined : minute < 90 ? 1 : 2),
    'license_poll_success{endpoint="GetUsers"}': (minute) => (during(50, 69)(minute) ? 0 : 1),
  },
});

const subject = 'feature=spice vendor_license=lic01;cdslmd';
const expected = {
  'PlainLicenseServerDown severity=critical vendor_license=lic01;cdslmd': '15-29',
  [`PlainLicenseSaturated ${subject} severity=warning version=1.0`]: '55-79',
  [`PlainLicenseQueued ${subject} severity=warning version=1.0`]: '30-39',
  [`PlainLicenseExpiring ${subject} severity=warning version=1.0`]: '46-160',
  [`PlainLicenseDenied ${subject} severity=warning`]: '70-149',
};
const sorted = (firing: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(firing).map(([name, when]) => [name.split(' ').sort().join(' '), when]));

describe('the plain rules', () => {
  it('read metrics that exist, and have names of their own', () => {
    const expressions = all.map(({ expr }) => expr);
    expect(expressions).toHaveLength(6);
    const metrics = expressions.flatMap((expr) => namesIn(expr).selectors.map(({ metric }) => metric));
    expect(metrics.length).toBeGreaterThan(6);
    expect(metrics.filter((name) => !(name in catalogue))).toEqual([]);
    const relayed = new Set<string>(engineNames);
    expect(all.filter((rule) => 'alert' in rule && relayed.has(rule.alert))).toEqual([]);
  });
});

describe.runIf(peer('promtool'))('the plain rules in Prometheus', () => {
  it('are accepted', () => {
    expect(execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toContain('6 rules found');
  });

  it('fire at their thresholds, once for two replicas', async () => {
    const found = await outcome({ minutes: 160, rules, exporters: [exporter('e1'), exporter('e2')] });
    const polls = Object.fromEntries(
      ['e1', 'e2'].map((name) => [
        `PlainLicensePollFailing endpoint=GetUsers instance=${name} severity=warning`,
        '60-69',
      ]),
    );
    expect(sorted(found.firing)).toEqual(sorted({ ...expected, ...polls }));
  });

  it('end when data is missing, which license-alerts.yml does not', async () => {
    const { instance = '', series } = exporter('e1');
    const lost: Exporter = { instance, series, isScraped: (minute) => minute < 20 };
    const { firing } = await outcome({ minutes: 60, rules, exporters: [lost] });
    expect(sorted(firing)).toEqual(
      sorted({ 'PlainLicenseServerDown severity=critical vendor_license=lic01;cdslmd': '15-19' }),
    );
  });
});
