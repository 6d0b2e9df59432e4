import { describe, expect, it } from 'vitest';
import { rules } from '../../src/config/sections/alert-rules.ts';
import { type RuleOptions, usualOwners } from '../../src/rules/alert.ts';
import { createRuleFile, type RuleFile } from '../../src/rules/rule-file.ts';
import {
  during,
  exceptDuring,
  feature,
  featureLabels,
  onlyWhile,
  type SeriesOf,
  vendorLicense,
} from '../support/exporter-series.ts';
import { peer } from '../support/peers.ts';
import { createScenarios, one } from '../support/rule-scenarios.ts';

/** The settings of the engine make the rules for Prometheus: thresholds, durations, overrides, and links. */

const scenario = createScenarios();

/** The rules with these settings. */
const rulesWith = (settings: object, more: Partial<RuleOptions> = {}): RuleFile =>
  createRuleFile({
    rules: rules.parse(settings),
    ignore: [],
    unknownHold: 3600,
    owners: usualOwners,
    timeZone: 'UTC',
    job: 'license-exporter',
    runbookBaseUrl: undefined,
    alertmanagerUrl: undefined,
    ...more,
  });

const DAY = 86_400;
const up = (name: string): string => `license_server_up{vendor_license="${name}"}`;
const down = (name: string): string => `LicenseServerDown severity=critical vendor_license=${name}`;
const labelsOf = (name: string, vendor = 'v;d'): string => featureLabels(name, '1', vendor);
const alertOf = (alert: string, name: string, vendor = 'v;d'): string =>
  `${alert} feature=${name} severity=warning vendor_license=${vendor} version=1`;

/** One file of rules with overrides of every kind. */
const overridden = rulesWith(
  {
    LicenseServerDown: {
      icon_pattern: '^red',
      overrides: [
        { vendor_license: '^slow;', for: '10m' },
        { vendor_license: '^kept;', keep_firing_for: '20m' },
        { vendor_license: '^off;', enabled: false },
        // the first one that sets a value wins
        { vendor_license: '^(off|slow);', enabled: true, for: '20m' },
        { vendor_license: '^yellow;', icon_pattern: 'yellow|red' },
        { vendor_license: '^blue;', icon_pattern: 'blue' },
      ],
    },
    LicenseFeatureSaturated: {
      overrides: [
        { feature: '^low$', raise: 0.7, clear: 0.6 },
        { feature: '^large$', vendor_license: '^w;', min_licenses: 20 },
        { feature: '^long$', window: '30m' },
        { feature: '^at "95%"', enabled: false },
      ],
    },
    LicenseRequestsQueued: { above: 2, enabled: false, overrides: [{ feature: 'Q', enabled: true }] },
    LicenseExpiringSoon: {
      overrides: [{ feature: '^early$', info: '200d', warning: '120d' }],
    },
    LicenseExpired: { within: '2d' },
    LicenseRedundancyLost: { enabled: false },
    LicenseVendorLicenseVanished: { within: '1h' },
  },
  { unknownHold: 1800, ignore: [[{ label: 'vendor_license', operator: '=', value: 'ignored;d' }]] },
);
const over = (minutes: number, series: SeriesOf) => one(minutes, series, { rules: overridden });

describe.runIf(peer('promtool'))('overrides', () => {
  scenario(
    'of durations, of whether a rule is enabled, and what is ignored, apply to their vendor license',
    over(60, {
      ...vendorLicense('slow;d'),
      ...vendorLicense('kept;d'),
      ...vendorLicense('off;d'),
      ...vendorLicense('ignored;d'),
      [up('v;d')]: exceptDuring(5, 29),
      [up('slow;d')]: exceptDuring(5, 29),
      [up('kept;d')]: exceptDuring(5, 29),
      [up('off;d')]: exceptDuring(5, 29),
      [up('ignored;d')]: exceptDuring(5, 29),
    }),
    { [down('v;d')]: '5-34', [down('slow;d')]: '15-34', [down('kept;d')]: '5-49' },
  );
  scenario(
    'of the icon of a server that is down',
    over(20, {
      ...vendorLicense('yellow;d'),
      ...vendorLicense('red;d'),
      ...vendorLicense('blue;d'),
      ...vendorLicense('off;d'),
      [up('v;d')]: 1,
      [up('yellow;d')]: 1,
      [up('red;d')]: 1,
      [up('blue;d')]: 1,
      [up('off;d')]: 1,
      'license_vendor_license_icon_info{vendor_license="red;d",mapping_icon="red.png",expired_icon=""}': 1,
      // it has another pattern
      'license_vendor_license_icon_info{vendor_license="blue;d",mapping_icon="red.png",expired_icon=""}': 1,
      // the rule is not enabled for it
      'license_vendor_license_icon_info{vendor_license="off;d",mapping_icon="red.png",expired_icon=""}': 1,
      'license_vendor_license_icon_info{vendor_license="v;d",mapping_icon="yellow.png",expired_icon=""}': 1,
      'license_vendor_license_icon_info{vendor_license="yellow;d",mapping_icon="yellow.png",expired_icon=""}': 1,
    }),
    { [down('yellow;d')]: '0-20', [down('red;d')]: '0-20' },
  );
  scenario(
    'of saturation apply to their feature',
    over(60, {
      ...vendorLicense('w;d'),
      ...feature(labelsOf('low'), { inUse: (minute) => (minute < 20 ? 7 : 6) }),
      ...feature(labelsOf('other'), { inUse: 7 }),
      ...feature(labelsOf('large'), { inUse: 10 }),
      ...feature(labelsOf('large', 'w;d'), { inUse: 10 }),
      ...feature(labelsOf('long'), { inUse: (minute) => (during(20, 40)(minute) ? 10 : 0) }),
      ...feature(labelsOf('short'), { inUse: (minute) => (during(20, 40)(minute) ? 10 : 0) }),
      ...feature(labelsOf('at \\"95%\\"'), { inUse: 10 }),
    }),
    {
      [alertOf('LicenseFeatureSaturated', 'low')]: '5-60',
      [alertOf('LicenseFeatureSaturated', 'large')]: '5-60',
      [alertOf('LicenseFeatureSaturated', 'short')]: '33-52',
    },
  );
  scenario(
    'can enable a rule for some features',
    over(30, {
      ...feature(labelsOf('Q1'), { queued: 3 }),
      ...feature(labelsOf('Q2'), { queued: 2 }),
      ...feature(labelsOf('other'), { queued: 3 }),
    }),
    { [alertOf('LicenseRequestsQueued', 'Q1')]: '10-30' },
  );
  scenario(
    'of expiries reach farther than the defaults',
    over(30, {
      ...feature(labelsOf('early'), { expires: 100 * DAY }),
      ...feature(labelsOf('earlier', 'v;d'), { expires: 100 * DAY }),
      ...feature(labelsOf('recent'), { expires: -DAY }),
      ...feature(labelsOf('past'), { expires: -3 * DAY }),
    }),
    {
      [alertOf('LicenseExpiringSoon', 'early')]: '15-30',
      [alertOf('LicenseExpired', 'recent').replace('warning', 'critical')]: '10-30',
    },
  );
  scenario(
    'of the time without data, and of the end of LicenseVendorLicenseVanished',
    over(130, {
      ...onlyWhile((minute) => minute < 20, { ...vendorLicense('w;d'), [up('v;d')]: 0 }),
      'license_vendor_license_data_known{vendor_license="v;d",data="server"}': exceptDuring(20, 130),
    }),
    {
      [down('v;d')]: '0-54',
      'LicenseVendorLicenseVanished severity=warning vendor_license=w;d': '35-79',
    },
  );
});

describe.runIf(peer('promtool'))('links', () => {
  const down = 'LicenseServerDown severity=critical vendor_license=v;d';

  scenario(
    'case 7: lead to the runbooks of the configuration, and to a new silence',
    {
      ...one(
        20,
        { [up('v;d')]: 0, ...feature(labelsOf('a "+" b'.replaceAll('"', '\\"')), { inUse: 10 }) },
        {
          rules: rulesWith(
            {},
            { runbookBaseUrl: 'https://wiki.example.com/r', alertmanagerUrl: 'https://am.example.com/x' },
          ),
        },
      ),
      texts: [
        ['LicenseServerDown', 10],
        ['LicenseFeatureSaturated', 10],
      ],
    },
    { [down]: '0-20', [alertOf('LicenseFeatureSaturated', 'a "+" b')]: '5-20' },
    {
      [down]: {
        runbook_url: 'https://wiki.example.com/r#licenseserverdown',
        silence_url: `https://am.example.com/x/#/silences/new?filter=${encodeURIComponent('{alertname="LicenseServerDown",severity="critical",analyzer="a1",vendor_license="v;d"}')}`,
      },
      [alertOf('LicenseFeatureSaturated', 'a "+" b')]: {
        silence_url: `https://am.example.com/x/#/silences/new?filter=${encodeURIComponent(
          '{alertname="LicenseFeatureSaturated",severity="warning",analyzer="a1",vendor_license="v;d",feature="a \\"+\\" b",version="1"}',
        )}`,
      },
    },
  );
});

describe('settings that Prometheus cannot evaluate', () => {
  it.each([
    [
      {
        LicenseServerDown: {
          overrides: [
            { vendor_license: '^a', for: '1m' },
            { vendor_license: '^(?!b)', for: '2m' },
          ],
        },
      },
      'alerting.rules.LicenseServerDown.overrides[1].vendor_license: Prometheus cannot evaluate ^(?!b), because its regular expressions have no lookahead or lookbehind; write it without',
    ],
    [
      { LicenseServerDown: { icon_pattern: '(red)\\1' } },
      'alerting.rules.LicenseServerDown.icon_pattern: Prometheus cannot evaluate (red)\\1, because its regular expressions have no back-reference; write it without',
    ],
    [
      { LicenseFeatureSaturated: { overrides: [{ feature: '(?<name>a)', raise: 0.99 }] } },
      'alerting.rules.LicenseFeatureSaturated.overrides[0].feature: Prometheus cannot evaluate (?<name>a), because its regular expressions have no named group; write it without',
    ],
  ])('%j are refused', (settings, message) => {
    expect(() => rulesWith(settings)).toThrow(message);
  });

  it('an escaped backslash is no back-reference', () => {
    expect(() =>
      rulesWith({ LicenseFeatureSaturated: { overrides: [{ feature: 'a\\\\1', raise: 0.99 }] } }),
    ).not.toThrow();
  });
});

describe('a rule that is not enabled', () => {
  it('is not in the file', () => {
    const { groups } = rulesWith({ LicenseWatchdog: { enabled: false }, LicenseServerDown: { enabled: false } });
    const alerts = groups.flatMap(({ rules }) => rules.flatMap((rule) => ('alert' in rule ? [rule.alert] : [])));
    expect(alerts).toContain('LicenseExporterDown');
    expect(alerts).not.toContain('LicenseWatchdog');
    expect(alerts).not.toContain('LicenseServerDown');
  });
});
