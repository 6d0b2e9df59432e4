import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { alertCatalogue } from '../../deploy/prometheus/catalogue.ts';
import { defaults, ruleFiles } from '../../deploy/prometheus/generate.ts';
import { createRules } from '../../src/alerts/rules.ts';
import { alertRules as ruleSettings } from '../../src/config/sections/alert-rules.ts';
import { settingsOf } from '../support/alert-views.ts';
import { dashboards } from '../support/dashboards.ts';
import { createCleanup } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { type AlertRule, alertRules, groups, recordingRules } from '../support/prometheus-rules.ts';
import { metricOf, namesIn } from '../support/promql.ts';

/** The rules for Prometheus and the runbooks agree with the engine. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const deploy = join(import.meta.dirname, '../../deploy');
const folder = join(deploy, 'prometheus');

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'license-exporter-rules-'));
  cleanup.add(() => rmSync(path, { recursive: true }));
  return path;
}

const promtool = (args: readonly string[]): string =>
  execFileSync('promtool', args, { encoding: 'utf8', env: { ...process.env, TMPDIR: temporaryFolder() } });

/** Alerts of both rules and engine, each with its severity. */
const idOf = ({ alert, labels }: AlertRule): string => `${alert}/${labels.severity}`;
const names = [...new Set(alertRules.map(({ alert }) => alert))];
const engineRules = createRules(settingsOf());
const isEngines = (alert: string): boolean => engineRules.some(({ name }) => name === alert);

describe('the rules', () => {
  it.runIf(peer('promtool'))('are accepted by promtool', () => {
    expect(promtool(['check', 'rules', join(folder, 'license-alerts.yml')])).toContain(
      `SUCCESS: ${alertRules.length + recordingRules.length} rules found`,
    );
  });

  it.runIf(peer('promtool'))('pass their unit tests', { timeout: 120_000 }, () => {
    expect(promtool(['test', 'rules', join(folder, 'license-alerts_test.yml')])).toContain('SUCCESS');
  });

  it('each have unit tests: the alert fires, is silent, and has its texts', () => {
    const { tests } = parse(readFileSync(join(folder, 'license-alerts_test.yml'), 'utf8')) as {
      tests: {
        alert_rule_test?: { alertname: string; exp_alerts?: { exp_labels: { severity: string } }[] }[];
        promql_expr_test?: { expr: string; exp_samples: { value: number }[] }[];
      }[];
    };
    const tested = tests.flatMap(({ alert_rule_test: checks = [] }) =>
      checks.flatMap(({ alertname, exp_alerts: alerts = [] }) =>
        alerts.map(({ exp_labels: { severity } }) => `${alertname}/${severity}`),
      ),
    );
    expect(new Set(tested)).toEqual(new Set(alertRules.map(idOf)));
    const counted = tests.flatMap(({ promql_expr_test: checks = [] }) => checks);
    for (const name of names) {
      const values = counted
        .filter(({ expr }) => expr.includes(`alertname="${name}"`))
        .map(({ exp_samples: [sample] }) => sample?.value);
      expect({
        name,
        silent: values.includes(0),
        fires: values.some((value) => value !== undefined && value > 0),
      }).toEqual({
        name,
        silent: true,
        fires: true,
      });
    }
    for (const { record } of recordingRules) expect(counted.some(({ expr }) => expr.includes(record))).toBe(true);
  });

  it('exist for each rule and setting of the engine', () => {
    const engine = engineRules.map(({ id }) => id);
    expect(engine.filter((id) => !alertRules.map(idOf).includes(id))).toEqual([]);
    expect([...new Set(engineRules.map(({ name }) => name))].sort()).toEqual(Object.keys(ruleSettings).sort());
  });

  it('name only metrics and labels that exist', () => {
    const labels = ['job', 'instance', 'shard'];
    for (const { expr } of [...alertRules, ...recordingRules]) {
      const { selectors, grouping, errors } = namesIn(expr);
      expect({ expr, errors }).toEqual({ expr, errors: [] });
      const metrics = selectors.map(({ metric }) => metric).filter((metric) => metric !== 'up');
      expect({ expr, unknown: metrics.filter((metric) => metricOf(metric) === undefined) }).toEqual({
        expr,
        unknown: [],
      });
      const known = new Set([...labels, ...metrics.flatMap((metric) => metricOf(metric)?.labels ?? [])]);
      expect({ expr, unknown: grouping.filter((label) => !known.has(label)) }).toEqual({ expr, unknown: [] });
      for (const { metric, matchers } of selectors) {
        for (const matcher of matchers) {
          const [label = ''] = matcher.split(/[=!]/);
          expect([...labels, ...(metricOf(metric)?.labels ?? [])]).toContain(label);
        }
      }
    }
  });

  it('survive a failed scrape, and have a runbook with condition, checks and silence', () => {
    const runbooks = readFileSync(join(deploy, 'runbooks.md'), 'utf8');
    for (const rule of alertRules) {
      const { alert, annotations, keep_firing_for: keep } = rule;
      // LicenseExporterDown is about failed scrapes
      expect({ alert, isKept: keep !== undefined }).toEqual({ alert, isKept: alert !== 'LicenseExporterDown' });
      expect(annotations.runbook_url).toBe(`${defaults.runbookBaseUrl}#${alert.toLowerCase()}`);
      expect(annotations.summary).toMatch(/\.$/);
      expect(annotations.description).toMatch(/\.$/);
    }
    expect(Object.keys(alertCatalogue).sort()).toEqual([...names].sort());
    for (const section of runbooks.split(/^## /m).slice(1)) {
      expect(section).toContain('**Check**\n\n1. ');
      expect(section).toContain('**Silence.** ');
    }
  });

  it('are gated by their own name if the engine has the alert too, and only then', () => {
    for (const { alert, expr } of alertRules) {
      const gate = `\n  unless on (job, instance) license_exporter_alerting_active{alertname="${alert}"} == 1\n`;
      expect({
        alert,
        gates: expr.split('license_exporter_alerting_active').length - 1,
        isOwn: expr.endsWith(gate),
      }).toEqual({
        alert,
        gates: isEngines(alert) ? 1 : 0,
        isOwn: isEngines(alert),
      });
    }
  });

  it('agree with the engine, except for known differences', () => {
    const byId = new Map(alertRules.map((rule) => [idOf(rule), rule]));
    const seconds = (text: string | undefined): number => Number(/^(\d+)m$/.exec(text ?? '0m')?.[1]) * 60;
    const differences = engineRules.flatMap((rule) => {
      const yaml = byId.get(rule.id);
      const { for: pendingFor, keepFiringFor } = rule.durations({});
      return [
        ...(seconds(yaml?.for) === pendingFor ? [] : [`${rule.id}: for`]),
        ...(seconds(yaml?.keep_firing_for) === keepFiringFor ? [] : [`${rule.id}: keep_firing_for`]),
      ];
    });
    expect(differences).toEqual([
      // the engine does not wait for a second scrape
      'LicenseServerDown/critical: for',
      // the engine has no failed scrapes
      'LicenseAnalyzerUnreachable/critical: keep_firing_for',
      'LicenseAnalyzerAuthFailing/critical: keep_firing_for',
      'LicensePollPartial/warning: keep_firing_for',
      'LicenseRecordsDiscarded/warning: keep_firing_for',
    ]);
  });
});

describe('the files generated from the rules', () => {
  it('are up to date; if not, run npm run rules', () => {
    for (const [name, content] of Object.entries(ruleFiles(defaults))) {
      expect(readFileSync(join(folder, name), 'utf8')).toBe(content);
    }
  });

  it('have the same content in every form', () => {
    const manifest = parse(readFileSync(join(folder, 'prometheus-rule.yml'), 'utf8'));
    expect([manifest.apiVersion, manifest.kind]).toEqual(['monitoring.coreos.com/v1', 'PrometheusRule']);
    expect(manifest.spec).toEqual({ groups });
    expect(JSON.parse(readFileSync(join(folder, 'mixin/license-alerts.json'), 'utf8'))).toEqual({ groups });
  });

  it.runIf(peer('promtool'))('can be written for another job and other runbooks', () => {
    const out = temporaryFolder();
    const script = join(folder, 'generate.ts');
    const options = ['--job', 'lic "x"', '--runbook-base-url', 'https://wiki.example.com/r', '--out', out];
    execFileSync(process.execPath, [script, ...options]);
    const text = readFileSync(join(out, 'license-alerts.yml'), 'utf8');
    expect(text).toContain('up{job="lic \\"x\\""} == 0');
    expect(text).toContain('runbook_url: https://wiki.example.com/r#licenseserverdown');
    expect(text).not.toContain('example.org');
    expect(promtool(['check', 'rules', join(out, 'license-alerts.yml')])).toContain('SUCCESS');
    // the source is never overwritten
    expect(() => execFileSync(process.execPath, [script, '--job', 'x'], { stdio: 'ignore' })).toThrow();
  });

  it.runIf(peer('promtool', 'jsonnet'))('include a mixin with rules and dashboards', () => {
    const jsonnet = (expression: string) =>
      JSON.parse(
        execFileSync('jsonnet', ['-e', `(import '${join(folder, 'mixin/mixin.libsonnet')}').${expression}`], {
          encoding: 'utf8',
          maxBuffer: 2 ** 26,
        }),
      );
    const file = join(temporaryFolder(), 'alerts.json');
    writeFileSync(file, JSON.stringify(jsonnet('prometheusAlerts')));
    expect(promtool(['check', 'rules', file])).toContain(`SUCCESS: ${alertRules.length} rules found`);
    expect(jsonnet('prometheusRules').groups.flatMap(({ rules }: { rules: unknown[] }) => rules)).toHaveLength(
      recordingRules.length,
    );
    expect(jsonnet('grafanaDashboards')).toEqual(
      Object.fromEntries(dashboards.map((dashboard) => [`${dashboard.uid}.json`, dashboard])),
    );
  });
});
