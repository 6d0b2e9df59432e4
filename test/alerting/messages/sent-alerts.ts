import { defaultRules } from '../../../deploy/prometheus/generate.ts';
import { beginAlert, keyOf } from '../../../src/alerting/alerts/alert.ts';
import { engineAlerts, prometheusAlerts } from '../../../src/alerting/alerts/definitions.ts';
import { type SentAlert, sumUpAlerts } from '../../../src/alerting/alerts/groups.ts';
import { createNotification } from '../../../src/alerting/alerts/notification.ts';
import type { RuleFile } from '../../../src/alerting/alerts/prometheus/rule-file.ts';
import { steadyFacts } from '../../../src/alerting/alerts/prometheus/steady-facts.ts';
import { createRules } from '../../../src/alerting/alerts/rules.ts';
import { evaluateRule, settingsOf, viewOf } from '../../support/alert-views.ts';
import { findAlerts } from '../../support/promtool.ts';
import type { SentExample } from '../../support/rendered-messages.ts';
import { createSnapshot, NOW } from '../../support/scenario.ts';
import { examples } from '../alerts/examples.ts';

/** Every alert in each of its severities, as the daemon sends it and as Prometheus does. */

type Labels = Readonly<Record<string, string>>;

const DAEMON = 'https://licenses.example.com';
const startsAt = new Date(NOW * 1000).toISOString();
const isOfFeatures = new Set(
  Object.entries(engineAlerts).flatMap(([name, { subject }]) => (subject === 'feature' ? name : [])),
);

/** Those of the engine, from the example of each definition. Alerts of features have an owner. */
export function ofEngine(): readonly SentAlert[] {
  return Object.entries(examples).flatMap(([name, { scenario, settings, authenticated = true, ...surroundings }]) => {
    const rules = createRules(settingsOf(settings)).filter((rule) => rule.name === name);
    return rules.flatMap((rule) => {
      const { findings } = evaluateRule(rule, viewOf(createSnapshot(scenario), NOW, authenticated, surroundings));
      const states = findings.map((finding) => ({
        ...beginAlert(rule.id, finding, NOW),
        state: 'firing' as const,
        firedAt: NOW,
        labels: { ...finding.labels, ...(isOfFeatures.has(name) && { owner: 'eda' }) },
      }));
      const sent = sumUpAlerts(new Map(states.map((state) => [keyOf(state), state])), new Map(), {
        rules,
        linksOf: ({ alertname = '' }) => ({ runbook_url: `${DAEMON}/runbooks#${alertname.toLowerCase()}` }),
      });
      return [...sent.values()];
    });
  });
}

/** The same as they are sent to Alertmanager. */
export const fromDaemon = (): readonly SentExample[] =>
  ofEngine().map((alert) => {
    const options = { commonLabels: { source: 'license-exporter', analyzer: 'lic:80' }, validity: 240 };
    const { labels, annotations, generatorURL } = createNotification('', alert, NOW, {
      ...{ ...options, unknownHold: 3600, generatorUrl: `${DAEMON}/alerts` },
    });
    return { labels, annotations, startsAt, generatorURL };
  });

/** What the expressions of the alerts have as labels that only Prometheus evaluates. */
const ofTarget = { analyzer: 'lic:80', job: 'license-exporter', instance: 'exporter:10319' };
const ownLabels: Readonly<Record<string, Labels>> = {
  LicensePollStale: { endpoint: 'GetFeatures' },
  LicenseAlertDeliveryFailing: { alertmanager: 'http://alertmanager:9093' },
};

/** The rules with another expression for each alert: a series for each of its severities. */
const withInput = ({ groups }: RuleFile): RuleFile => ({
  groups: groups.map((group) => ({
    ...group,
    rules: group.rules.flatMap((rule) =>
      'alert' in rule ? [{ ...rule, expr: `input{alert="${rule.alert}"}`, for: '0s', keep_firing_for: '0s' }] : [],
    ),
  })),
});

const text = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',');

/** Those of the rules, with the labels of those of the engine, and those that only Prometheus evaluates. */
export async function fromPrometheus(): Promise<readonly SentExample[]> {
  const inputs = [
    ...ofEngine().map((alert) => {
      const { alertname = '', ...labels } = alert.labels;
      return { alertname, labels: { ...labels, analyzer: 'lic:80', facts: steadyFacts(alert) } };
    }),
    ...Object.keys(prometheusAlerts).map((alertname) => ({
      alertname,
      labels: { ...ofTarget, ...ownLabels[alertname] },
    })),
  ];
  // each in a run of its own, because the series of one are about the others too
  const found = await Promise.all(
    inputs.map(({ alertname, labels }) =>
      findAlerts(
        {
          interval: '1m',
          ...{
            input_series: Object.entries({
              [`input{alert="${alertname}",${text(labels)}}`]: 780,
            }).map(([series, value]) => ({ series, values: `${value}` })),
            alert_rule_test: [{ eval_time: '0m', alertname, exp_alerts: [] }],
          },
        },
        withInput(defaultRules()),
      ),
    ),
  );
  return found.flat().map(({ labels: { alert: _alert, ...labels }, annotations = {} }) => ({
    ...{
      labels,
      annotations,
      startsAt,
      generatorURL: 'http://prometheus.example.com/graph?g0.expr=license%3Aalert_sent',
    },
  }));
}
