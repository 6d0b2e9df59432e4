import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defaultRules, ruleFiles } from '../../deploy/prometheus/generate.ts';
import { createRules } from '../../src/alerts/rules.ts';
import { alertRules as ruleSettings } from '../../src/config/sections/alert-rules.ts';
import { catalogue } from '../../src/metrics/catalogue.ts';
import { usualOwners } from '../../src/rules/alert.ts';
import { settingsOf } from '../support/alert-views.ts';
import { dashboards } from '../support/dashboards.ts';
import { createCleanup } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { type AlertRule, alertRules, groups, recordingRules } from '../support/prometheus-rules.ts';
import { metricOf, namesIn } from '../support/promql.ts';

/** The rules for Prometheus agree with the engine, with the metrics and with the files that are made from them. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const folder = join(import.meta.dirname, '../../deploy/prometheus');

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'license-exporter-rules-'));
  cleanup.add(() => rmSync(path, { recursive: true }));
  return path;
}

const promtool = (args: readonly string[]): string =>
  execFileSync('promtool', args, { encoding: 'utf8', env: { ...process.env, TMPDIR: temporaryFolder() } });

interface Durations {
  readonly for: number;
  readonly keepFiringFor: number;
}

/** Alerts of both rules and engine, each with its severity. */
const idOf = ({ alert, labels }: AlertRule): string => `${alert}/${labels.severity}`;
const names = [...new Set(alertRules.map(({ alert }) => alert))];
const engineRules = createRules(settingsOf());

/** Alerts that the engine evaluates too. */
const engines = Object.entries(ruleSettings)
  .filter(([, rule]) => !('needs' in rule))
  .map(([alert]) => alert);

/** Those of the engine whose rules compare the past of Prometheus, or are about one process. */
const withoutGate = [
  'LicenseVendorLicenseVanished',
  'LicenseFeatureVanished',
  'LicenseCapacityDropped',
  'LicenseExporterSeriesLimit',
  'LicenseExporterConfigReloadFailed',
];

/** Seconds of a duration of a rule. */
function secondsOf(duration = '0s'): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  return Number(count) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd'];
}

const allRules = [...recordingRules, ...alertRules];
const recorded = new Set(recordingRules.map(({ record }) => record));
/** Series that Prometheus makes itself. */
const ofPrometheus = ['up', 'ALERTS'];
/** Labels of targets, of alerts, and those that a recording rule gives to its series. */
const otherLabels = new Set([
  ...['job', 'instance', 'alertname', 'alertstate', 'severity', 'license_source'],
  ...usualOwners,
  ...recordingRules.flatMap(({ labels = {} }) => Object.keys(labels)),
]);
const metricLabels = new Set(Object.values(catalogue).flatMap(({ labels }) => labels));

/** The metrics of a selector, which can have a regular expression for their names. */
const metricsOf = ({ metric, matchers }: ReturnType<typeof namesIn>['selectors'][number]): readonly string[] =>
  metric !== '' ? [metric] : (/"(.*)"/.exec(matchers[0] ?? '')?.[1] ?? '').split('|');

describe('the rules', () => {
  it.runIf(peer('promtool'))('are accepted by promtool', () => {
    expect(promtool(['check', 'rules', join(folder, 'license-alerts.yml')])).toContain(
      `SUCCESS: ${allRules.length} rules found`,
    );
  });

  it('exist for each alert that has settings, and for each one of the engine', () => {
    expect([...names].sort()).toEqual(Object.keys(ruleSettings).sort());
    expect([...new Set(engineRules.map(({ name }) => name))].sort()).toEqual([...engines].sort());
    expect(engineRules.map(({ id }) => id).filter((id) => !alertRules.map(idOf).includes(id))).toEqual([]);
  });

  it('name only metrics and labels that exist', () => {
    for (const { expr } of allRules) {
      const { selectors, grouping, errors } = namesIn(expr);
      expect({ expr, errors }).toEqual({ expr, errors: [] });
      const unknown = selectors
        .flatMap(metricsOf)
        .filter((metric) => metricOf(metric) === undefined && !recorded.has(metric) && !ofPrometheus.includes(metric));
      expect({ expr, unknown }).toEqual({ expr, unknown: [] });
      const unknownLabels = grouping.filter((label) => !otherLabels.has(label) && !metricLabels.has(label));
      expect({ expr, unknownLabels }).toEqual({ expr, unknownLabels: [] });
      for (const { metric, matchers } of selectors) {
        for (const matcher of matchers) {
          const [label = ''] = matcher.split(/[=!]/);
          const known = metricOf(metric)?.labels ?? [...otherLabels, ...metricLabels, '__name__'];
          expect({ expr, label, isKnown: label === 'job' || known.includes(label) }).toEqual({
            expr,
            label,
            isKnown: true,
          });
        }
      }
    }
  });

  it('record only series that are read, and in a group before they are read', () => {
    const readIn = (expr: string): string[] => namesIn(expr).selectors.flatMap(metricsOf);
    const read = new Set(allRules.flatMap((rule) => readIn(rule.expr)));
    expect([...recorded].filter((record) => !read.has(record))).toEqual([]);
    for (const { rules } of groups) {
      const lastOf = new Map(rules.map((rule, i) => ['record' in rule ? rule.record : '', i]));
      const early = rules.flatMap((rule, i) =>
        readIn(rule.expr)
          // one that reads its own past
          .filter((metric) => !('record' in rule) || metric !== rule.record)
          .filter((metric) => (lastOf.get(metric) ?? -1) > i)
          .map((metric) => `${'record' in rule ? rule.record : rule.alert} reads ${metric}`),
      );
      expect(early).toEqual([]);
    }
  });

  it('have texts, and a link to their runbook', () => {
    for (const { alert, labels, annotations } of alertRules) {
      expect(annotations.summary).toMatch(/[.}]$/);
      expect(annotations.description).toMatch(/\.$/);
      const link = `{{ . | label "external_url" }}/runbooks#${alert.toLowerCase()}{{`;
      // those for information come in a digest
      expect({ alert, url: annotations.runbook_url }).toEqual({
        alert,
        url: labels.severity === 'info' ? undefined : expect.stringContaining(link),
      });
    }
  });

  it('are gated by their own name if the engine has the alert too, and only then', () => {
    for (const { alert, expr } of alertRules) {
      const gate = `\nunless on (analyzer, shard) license:alerting_active{alertname="${alert}"} == 1`;
      const isEngines = engines.includes(alert) && !withoutGate.includes(alert);
      expect({ alert, gates: expr.split('alerting_active').length - 1, isOwn: expr.endsWith(gate) }).toEqual({
        alert,
        gates: isEngines ? 1 : 0,
        isOwn: isEngines,
      });
    }
  });

  it('have the durations of the settings, as the engine has', () => {
    const settings: Readonly<Record<string, { readonly base: Durations }>> = settingsOf();
    const shown = (durations: Durations | undefined) => [durations?.for, durations?.keepFiringFor];
    for (const rule of alertRules) {
      const id = idOf(rule);
      const engine = engineRules.find((candidate) => candidate.id === id);
      const expected = engine === undefined ? settings[rule.alert]?.base : engine.durations({});
      expect([id, secondsOf(rule.for), secondsOf(rule.keep_firing_for)]).toEqual([id, ...shown(expected)]);
    }
  });
});

describe('the files made from the rules', () => {
  it('are up to date; if not, run npm run rules', () => {
    for (const [name, content] of Object.entries(ruleFiles(defaultRules()))) {
      expect(readFileSync(join(folder, name), 'utf8')).toBe(content);
    }
  });

  it('have the same content in every form', () => {
    const manifest = parse(readFileSync(join(folder, '../kubernetes/operator/prometheus-rule.yml'), 'utf8'));
    expect([manifest.apiVersion, manifest.kind]).toEqual(['monitoring.coreos.com/v1', 'PrometheusRule']);
    expect(manifest.spec).toEqual({ groups });
    expect(JSON.parse(readFileSync(join(folder, 'mixin/license-alerts.json'), 'utf8'))).toEqual({ groups });
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
    expect(promtool(['check', 'rules', file])).toContain(`SUCCESS: ${allRules.length} rules found`);
    expect(jsonnet('grafanaDashboards')).toEqual(
      Object.fromEntries(dashboards.map((dashboard) => [`${dashboard.uid}.json`, dashboard])),
    );
  });
});
