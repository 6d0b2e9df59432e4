import { describe, expect, it } from 'vitest';
import { processMetrics } from '../../src/exporter/metrics/process-metrics.ts';
import { expressions } from '../support/expressions.ts';
import { recordingRules } from '../support/prometheus-rules.ts';
import { metricOf, missingIn, namesIn } from '../support/promql.ts';

/** What rules, dashboards and documentation read is on the page, and a series that is not there is not taken for something else. */

/** Series that Prometheus makes itself. */
const others = new Set(['', 'up', 'ALERTS', ...recordingRules.map(({ record }) => record)]);

describe('every rule, panel, variable and example', () => {
  it('is found: in rules, dashboards and pages', () => {
    const places = new Set(expressions.map(({ where }) => where));
    for (const place of [
      'deploy/prometheus/license-alerts.yml',
      'deploy/prometheus/plain-rules.yml',
      'deploy/prometheus/mixin/license-alerts.json',
      'deploy/kubernetes/operator/prometheus-rule.yml',
      'license-exporter: Failed requests B',
      'license-feature: variable feature',
      'docs/metrics.md',
      'docs/company.md',
    ]) {
      expect(places).toContain(place);
    }
  });

  it('reads only metrics that exist', () => {
    const unknown = expressions.flatMap(({ where, expression }) =>
      namesIn(expression)
        .selectors.filter(
          ({ metric }) => metricOf(metric) === undefined && !others.has(metric) && !(metric in processMetrics),
        )
        .map(({ metric }) => `${where}: ${metric}`),
    );
    expect(unknown).toEqual([]);
  });

  it('says the same of a series that is missing as of one that is 0', () => {
    const missing = expressions.flatMap(({ where, expression }) =>
      missingIn(expression).map((name) => `${where}: ${name} in ${expression}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('the check of missing series', () => {
  it.each([
    'license_poll_incomplete',
    'license_poll_incomplete == 0',
    'sum(license_poll_incomplete) < 1',
    'max(license_poll_discarded_values)',
    'max(license_poll_discarded_values) >= bool 1',
    '1 - license_poll_incomplete > 0',
    'absent(license_poll_incomplete) > 0',
    'up or license_poll_incomplete',
    'up and on (job) license_poll_incomplete',
    'license_poll_incomplete unless up',
    'license_endpoint_state{state="absent"} == 0',
    'sum by (endpoint) (rate(license_exporter_upstream_request_failures_total[5m]))',
  ])('finds it in %s', (expression) => {
    expect(missingIn(expression)).toHaveLength(1);
  });

  it.each([
    'license_poll_incomplete == 1',
    '0 < license_poll_incomplete',
    'max without (job, instance) (license_poll_incomplete) != 0',
    'max by (endpoint) (license_poll_discarded_values > 0)',
    'sum(license_poll_incomplete) or vector(0)',
    'license_poll_success unless on (endpoint) license_poll_incomplete',
    'sum by (endpoint, reason) (rate(license_exporter_upstream_request_failures_total[5m]))',
    'license_up == 0 or license_poll_success',
  ])('has nothing against %s', (expression) => {
    expect(missingIn(expression)).toEqual([]);
  });
});
