import { stringify } from 'yaml';
import { durationOf } from './promql.ts';
import { type RecordingRule, relayExpression, relayRecords } from './relay.ts';

/** An alert that the exporter evaluates. Its texts are templates of Prometheus. */
interface RelayedAlert {
  readonly alert: string;
  readonly summary: string;
  readonly description: string;
}

/** An alert that only Prometheus can evaluate. Durations are seconds. */
interface OwnAlert extends RelayedAlert {
  readonly severity: string;
  readonly expr: string;
  readonly for: number;
  readonly keepFiringFor: number;
}

/** Label names of owners that rules keep even if the configuration does not use them. */
export const usualOwners: readonly string[] = ['owner', 'team', 'site'];

/** What makes the rules. */
export interface RuleOptions {
  readonly relayed: readonly RelayedAlert[];
  readonly own: readonly OwnAlert[];
  /** Label names of owners. */
  readonly owners: readonly string[];
  /** Labels of the target of Prometheus that alerts keep. */
  readonly targetLabels: readonly string[];
  /** Where the runbooks are published, without a trailing slash; `undefined` if that is not known. */
  readonly runbookBaseUrl: string | undefined;
}

/** An alerting rule of Prometheus. */
interface AlertingRule {
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

const own = (
  options: RuleOptions,
  { alert, severity, expr, summary, description, ...times }: OwnAlert,
): AlertingRule => ({
  alert,
  expr,
  ...(times.for > 0 && { for: durationOf(times.for) }),
  ...(times.keepFiringFor > 0 && { keep_firing_for: durationOf(times.keepFiringFor) }),
  labels: { severity },
  annotations: annotationsOf(options, alert, summary, description),
});

/** The rules for Prometheus. Later rules read what earlier ones record at the same time. */
export const createRuleFile = (options: RuleOptions): RuleFile => ({
  groups: [
    {
      name: 'license-exporter',
      rules: [
        ...relayRecords([...new Set([...options.owners, ...options.targetLabels])]),
        ...options.relayed.map((alert) => relay(options, alert)),
        ...options.own.map((alert) => own(options, alert)),
      ],
    },
  ],
});

/** The file as text. */
export const ruleFileText = (file: RuleFile): string => stringify(file, { lineWidth: 0, blockQuote: 'literal' });
