import { describe, expect, it } from 'vitest';
import {
  alertsForPrometheus,
  createRuleFile,
  type RuleOptions,
  usualOwners,
} from '../../../../src/alerting/alerts/prometheus/rule-file.ts';
import { ruleSettings } from '../../../../src/alerting/alerts/rules.ts';
import { namesIn } from '../../../support/promql.ts';

/** The settings make the rules for Prometheus: which alerts, durations, labels, and links. */

/** The rules with these settings. */
function rulesWith(written: object, more: Partial<RuleOptions> = {}) {
  const { groups } = createRuleFile({
    ...alertsForPrometheus(ruleSettings.parse(written), 'license-exporter'),
    owners: usualOwners,
    targetLabels: [],
    runbookBaseUrl: 'https://wiki.example.com/runbooks.md',
    externalUrl: undefined,
    ...more,
  });
  const all = groups.flatMap((group) => group.rules);
  const alerts = new Map(all.flatMap((rule) => ('alert' in rule ? [[rule.alert, rule] as const] : [])));
  const said = all.find((rule) => 'record' in rule && rule.record === 'license:alert_said');
  return { alerts, labels: namesIn(said?.expr ?? '').grouping };
}

describe('which alerts Prometheus has', () => {
  it('those that are enabled for at least one vendor license or feature', () => {
    const { alerts } = rulesWith({
      LicenseServerDown: { enabled: false },
      LicenseRequestsQueued: { enabled: false, overrides: [{ feature: 'Q', enabled: true }] },
      LicenseWatchdog: { enabled: false },
    });
    expect(alerts.has('LicenseServerDown')).toBe(false);
    expect(alerts.has('LicenseRequestsQueued')).toBe(true);
    expect(alerts.has('LicenseWatchdog')).toBe(false);
    expect(alerts.has('LicenseExporterDown')).toBe(true);
  });

  it('an alert that is relayed has no duration of Prometheus, one of its own has that of the settings', () => {
    const { alerts } = rulesWith({
      LicenseExpired: { for: '20m', keep_firing_for: '20m' },
      LicensePollStale: { for: '90m', keep_firing_for: '0s' },
    });
    expect(alerts.get('LicenseExpired')).not.toHaveProperty('for');
    expect(alerts.get('LicenseExpired')).not.toHaveProperty('keep_firing_for');
    expect(alerts.get('LicensePollStale')).toMatchObject({ for: '90m' });
    expect(alerts.get('LicensePollStale')).not.toHaveProperty('keep_firing_for');
  });
});

describe('the labels of alerts', () => {
  it('are those that identify them, of owners, and of targets that are kept, each once', () => {
    const { labels } = rulesWith({}, { owners: ['owner', 'cluster'], targetLabels: ['cluster', 'namespace'] });
    expect(labels).toEqual([...new Set(labels)]);
    expect(labels.slice(-3)).toEqual(['owner', 'cluster', 'namespace']);
    expect(labels).toEqual(expect.arrayContaining(['alertname', 'severity', 'vendor_license', 'analyzer', 'shard']));
  });

  it('of an alert that is relayed are the same as those that the exporter sends', () => {
    const { alerts } = rulesWith({});
    expect(alerts.get('LicenseServerDown')?.labels).toEqual({ source: 'license-exporter', facts: '' });
  });
});

describe('links', () => {
  it('lead to the runbooks', () => {
    const { alerts } = rulesWith({}, { runbookBaseUrl: 'https://wiki.example.com/r' });
    for (const [name, { annotations }] of alerts)
      expect(annotations.runbook_url).toBe(`https://wiki.example.com/r#${name.toLowerCase()}`);
  });

  it('to pages of the exporter are addresses where its address is known', () => {
    const textsOf = (externalUrl: string | undefined) =>
      ['LicenseSourceDown', 'LicenseServerDown'].map((name) => {
        const { description = '' } = rulesWith({}, { externalUrl }).alerts.get(name)?.annotations ?? {};
        return description;
      });
    const [source, server] = textsOf('https://licenses.example.com');
    expect(source).toMatch(/ First step: Open https:\/\/licenses\.example\.com\/sources, which shows/);
    expect(server).toMatch(/ https:\/\/licenses\.example\.com\/alerts has the figures\.$/);
    expect(textsOf('https://licenses.example.com').join()).not.toContain('the page');
    expect(textsOf(undefined).join()).toMatch(
      /the page \/sources of the exporter.* The page \/alerts of the exporter has/,
    );
  });
});
