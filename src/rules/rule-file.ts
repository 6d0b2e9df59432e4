import { stringify } from 'yaml';
import { durationOf, type OwnAlert, type RelayedAlert, type RuleOptions, settingsOf } from './alert.ts';
import { exporterAlerts } from './exporter-alerts.ts';
import { type RecordingRule, relayExpression, relayRecords } from './relay.ts';

/** An alerting rule of Prometheus. */
export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A file of rules for Prometheus. */
export interface RuleFile {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly (RecordingRule | AlertingRule)[];
  }[];
}

/** What is written where an alert is kept although nothing is known about it. */
const KEPT = '{{ if lt $value 0.0 }} Whether that is so is not known now.{{ end }}';

const annotationsOf = (
  { runbookBaseUrl }: RuleOptions,
  alert: string,
  summary: string,
  description: string,
): AlertingRule['annotations'] => ({
  summary,
  description,
  ...(runbookBaseUrl !== undefined && { runbook_url: `${runbookBaseUrl}#${alert.toLowerCase()}` }),
});

/** The labels equal those that the exporter sends: Alertmanager sees one alert, also while the sender changes. */
const relay = (options: RuleOptions, { alert, summary, description }: RelayedAlert): AlertingRule => ({
  alert,
  expr: relayExpression(alert),
  labels: { source: 'license-exporter' },
  annotations: annotationsOf(options, alert, `${summary}${KEPT}`, description),
});

function own(options: RuleOptions, { alert, severity, expr, summary, description }: OwnAlert): AlertingRule {
  const { for: pendingFor, keepFiringFor } = settingsOf(options, alert);
  return {
    alert,
    expr,
    ...(pendingFor > 0 && { for: durationOf(pendingFor) }),
    ...(keepFiringFor > 0 && { keep_firing_for: durationOf(keepFiringFor) }),
    labels: { severity },
    annotations: annotationsOf(options, alert, summary, description),
  };
}

/** The rules for Prometheus. Later rules read what earlier ones record at the same time. */
export function createRuleFile(options: RuleOptions): RuleFile {
  const ownAlerts = exporterAlerts(options).filter(({ alert }) => settingsOf(options, alert).enabled);
  return {
    groups: [
      {
        name: 'license-exporter',
        rules: [
          ...relayRecords([...new Set([...options.owners, ...options.targetLabels])]),
          ...options.relayed.map((alert) => relay(options, alert)),
          ...ownAlerts.map((alert) => own(options, alert)),
        ],
      },
    ],
  };
}

/** The file as text. */
export const ruleFileText = (file: RuleFile): string => stringify(file, { lineWidth: 0, blockQuote: 'literal' });
