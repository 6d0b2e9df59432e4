import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defaultRules, ruleFiles } from '../../deploy/prometheus/generate.ts';
import { engineAlerts } from '../../src/alerting/alerts/definitions.ts';
import { usualOwners } from '../../src/alerting/alerts/prometheus/rule-file.ts';
import { allAlerts, createRules } from '../../src/alerting/alerts/rules.ts';
import { identityLabels, scopeLabels } from '../../src/base/model/alert-labels.ts';
import { catalogue } from '../../src/exporter/metrics/catalogue.ts';
import { settingsOf } from '../support/alert-views.ts';
import { dashboards } from '../support/dashboards.ts';
import { createCleanup } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { alertRules, groups, recordingRules } from '../support/prometheus-rules.ts';
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

const names = [...new Set(alertRules.map(({ alert }) => alert))];
const engineRules = createRules(settingsOf());

/** Alerts that the engine evaluates. */
const engines = Object.keys(engineAlerts);

const allRules = [...recordingRules, ...alertRules];
const recorded = new Set(recordingRules.map(({ record }) => record));
/** Series that Prometheus makes itself. */
const ofPrometheus = ['up', 'ALERTS'];
/** Labels of targets, and of alerts. */
const otherLabels = new Set([
  ...['job', 'instance', 'alertname', 'alertstate', 'severity', 'license_source'],
  ...usualOwners,
  ...identityLabels,
  ...scopeLabels,
  'source',
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

  it('exist for each alert of the engine, and have settings', () => {
    expect(names.filter((name) => !(name in allAlerts))).toEqual([]);
    expect([...new Set(engineRules.map(({ name }) => name))].sort()).toEqual([...engines].sort());
    expect(engines.filter((name) => !names.includes(name))).toEqual([]);
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

  it('have texts that read only labels: a query for each alert costs more than all rules', () => {
    for (const { annotations } of alertRules) {
      expect(annotations.summary).toMatch(/[.}]$/);
      expect(annotations.description).toMatch(/\.$/);
      expect(Object.values(annotations).join()).not.toMatch(/\bquery\b/);
    }
  });

  it('relay what the engine evaluates, and evaluate nothing of it', () => {
    for (const { alert, expr, labels, for: pendingFor, keep_firing_for: keepFiringFor } of alertRules) {
      const isEngines = engines.includes(alert);
      const isRelayed = expr.endsWith(`license:alert_sent{alertname="${alert}"}`);
      expect({ alert, isRelayed }).toEqual({ alert, isRelayed: isEngines });
      // it comes with its severity, and has waited already
      if (isEngines)
        // an empty label is removed
        expect([{ facts: '', ...labels }, pendingFor, keepFiringFor]).toEqual([
          { source: 'license-exporter', facts: '' },
          undefined,
          undefined,
        ]);
      else expect(labels.severity).toMatch(/^(critical|warning|none)$/);
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
