import { stringify } from 'yaml';
import { identityLabels, scopeLabels } from '../../../base/model/alert-labels.ts';
import { capitalized } from '../../../base/texts.ts';
import { isEnabled, type Shape, type Values } from '../alert-settings.ts';
import type { EngineAlert, PrometheusAlert } from '../definition.ts';
import { engineAlerts, prometheusAlerts } from '../definitions.ts';
import type { AllSettings } from '../rules.ts';
import { aboutTemplate, describe } from '../texts.ts';
import { durationOf, EXPORTER } from './promql.ts';
import { hasSteadyFacts } from './steady-facts.ts';

/**
 * The rules that relay what exporters say about alerts. The exporter evaluates the conditions, because it knows what is unknown;
 * these rules make one alert of what several exporters say, and keep it while none of them is there. Prometheus knows labels only:
 * apart from `steady-facts.ts`, its texts have no figures, which those of the engine, mails and the page `/alerts` have.
 */

const PAGE = ' The page /alerts of the exporter has the figures.';

const textsOf = ({ subject, texts }: Pick<EngineAlert<Shape>, 'subject' | 'texts'>) => ({
  summary: capitalized(texts.summary(aboutTemplate)),
  description: `${describe(undefined, texts.impact, texts.step)}${subject === 'analyzer' ? '' : PAGE}`,
});

/** The alerts of the rules for Prometheus: those that are enabled for at least one vendor license or feature. */
export const alertsForPrometheus = (settings: AllSettings, job: string): Pick<RuleOptions, 'relayed' | 'own'> => ({
  relayed: Object.entries(engineAlerts)
    .filter(([name]) => isEnabled(settings[name as keyof AllSettings]))
    .map(([alert, definition]) => {
      // what is read here does not depend on its settings
      const hasFacts = hasSteadyFacts(definition as unknown as EngineAlert<Shape>);
      return { alert, hasFacts, ...textsOf(definition) };
    }),
  own: Object.entries(prometheusAlerts)
    .filter(([name]) => isEnabled(settings[name as keyof AllSettings]))
    .map(([name, definition]) => {
      // the settings of an alert have its type
      const { severity, expr, ...alert } = definition as unknown as PrometheusAlert<Shape>;
      const values = settings[name as keyof AllSettings].base as unknown as Values<Shape>;
      return {
        ...{ alert: name, severity, for: values.for, keepFiringFor: values.keepFiringFor },
        expr: expr({ values, job: JSON.stringify(job) }),
        ...textsOf(alert),
      };
    }),
});

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

const COMPLETE = 'license_alerts_complete';
const DELIVERED = 'license_alerts_delivered';
/** Time without a scrape for which the last statement counts. */
const STATEMENT = '5m';
/** Prometheus sends an end again for 15 minutes, and at its next evaluation after them. */
const RESENT = '20m';
/** How long the memory bridges evaluations that were left out. */
const MEMORY = '1h';
/** An alert of an analyzer that has no exporter is kept for this long. */
const LONGEST = '1d';

/**
 * What exporters said last that are not scraped now. A target that has become another shard, or another analyzer, does not count
 * as the one that it was.
 */
const saidLast = (metric: string, within: string): string =>
  `last_over_time(${metric}[${within}]) unless on (job, instance) ${metric}`;

/** The shares of an analyzer of whose alerts its shards say this, by name. */
const sharesOf = (said: string): string => `sum by (analyzer, alertname) (
  max by (analyzer, shard, alertname) (
    ${said}
  )
)`;

/** The labels of an alert. @param labels of owners, and those of targets to keep */
const alertLabels = (labels: readonly string[]): string => [...identityLabels, ...scopeLabels, ...labels].join(', ');

/** @param labels of owners, and those of targets to keep */
export const relayRecords = (labels: readonly string[]): readonly RecordingRule[] => [
  {
    // of several exporters the highest counts: firing before over, over before unknown
    record: 'license:alert_said',
    expr: `max by (${alertLabels(labels)}) (last_over_time(license_alert_firing[${STATEMENT}]))`,
  },
  {
    // shares of different numbers of shards, while that is changed, are not all of it. What a target that is gone said last does not
    // count while another exporter of its share says something, which may have found an alert since
    record: 'license:alert_complete',
    expr: `abs(1 - ${sharesOf(`${COMPLETE}
    or ${saidLast(COMPLETE, STATEMENT)} and on (job, instance) up
    or ${saidLast(COMPLETE, STATEMENT)} unless on (analyzer, shard, alertname) ${COMPLETE}`)}) < 0.01`,
  },
  {
    // 1: it is said to fire. -1: it fired, and nobody knows better. 0: once at its end. The record is its own memory.
    // Where it is known that it does not fire, an exporter that has not seen its end does not count, unless only its owner is new
    record: 'license:alert_firing',
    expr: `license:alert_said > 0
or
(
  -abs(last_over_time(license:alert_firing[${MEMORY}]) != 0)
  or (license:alert_said < 0 unless on (analyzer, alertname) last_over_time(license:alert_complete[${LONGEST}]))
  or (license:alert_said < 0 and on (${['analyzer', ...identityLabels].join(', ')}) (last_over_time(license:alert_firing[${MEMORY}]) != 0))
)
unless license:alert_said == 0
unless on (analyzer, alertname) license:alert_complete
and on (analyzer) (${EXPORTER} or last_over_time(${EXPORTER}[${LONGEST}]) unless on (job, instance) ${EXPORTER})
or
0 * (last_over_time(license:alert_firing[${MEMORY}]) != 0)`,
  },
  {
    // with a look-back, or a lost scrape would send an alert twice; shorter than Alertmanager keeps one that is not sent again
    record: 'license:alert_delivered',
    expr: `${sharesOf(`${DELIVERED} or ${saidLast(DELIVERED, '3m')}`)} > 0.99`,
  },
  {
    // unless the exporters deliver it themselves. What Prometheus has begun to send, it sends until it is over: Alertmanager has one
    // alert of both senders, and would take the end of one of them for its end. It sends an end again for 15 minutes, which only the
    // same alert displaces if it fires again meanwhile
    record: 'license:alert_sent',
    expr: `license:alert_firing != 0 unless on (analyzer, alertname) license:alert_delivered
or
license:alert_firing != 0 and on (${alertLabels(labels)}) last_over_time(ALERTS{source="license-exporter", alertstate="firing"}[${RESENT}])`,
  },
  {
    // those with something that is known of them, as the label `facts`, as one exporter says it
    record: 'license:alert_told',
    expr: `license:alert_sent * on (${alertLabels(labels)}) group_left (facts) topk by (${alertLabels(labels)}) (1, license_alert_facts)`,
  },
];

/** The alert of Prometheus. @param labels of owners, and those of targets to keep, if it has facts */
export const relayExpression = (alert: string, labels: readonly string[] | undefined): string =>
  labels === undefined
    ? `license:alert_sent{alertname="${alert}"}`
    : `license:alert_told{alertname="${alert}"}\nor on (${alertLabels(labels)}) license:alert_sent{alertname="${alert}"}`;

/** The texts of an alert are templates of Prometheus. */
interface AlertTexts {
  readonly alert: string;
  readonly summary: string;
  readonly description: string;
}

/** An alert that the exporter evaluates. */
interface RelayedAlert extends AlertTexts {
  /** Whether what the exporter knows of it is part of its texts. */
  readonly hasFacts: boolean;
}

/** An alert that only Prometheus can evaluate. Durations are seconds. */
interface OwnAlert extends AlertTexts {
  readonly severity: string;
  readonly expr: string;
  readonly for: number;
  readonly keepFiringFor: number;
}

/** Label names of owners that rules keep even if the configuration does not use them. */
export const usualOwners: readonly string[] = ['owner', 'team', 'site'];

export interface RuleOptions {
  readonly relayed: readonly RelayedAlert[];
  readonly own: readonly OwnAlert[];
  /** Label names of owners. */
  readonly owners: readonly string[];
  /** Labels of the target of Prometheus that alerts keep. */
  readonly targetLabels: readonly string[];
  /** Where the runbooks are published, without a trailing slash. */
  readonly runbookBaseUrl: string;
  /** The URL of the daemon for people; `undefined` if that is not known. */
  readonly externalUrl: string | undefined;
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

export interface RuleFile {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly (RecordingRule | AlertingRule)[];
  }[];
}

/** What the exporter knows of an alert. */
const FACTS = '{{ with $labels.facts }}{{ . }} {{ end }}';
/** What is written where an alert is kept although nothing is known about it. */
const KEPT = '{{ if lt $value 0.0 }} Whether that is so is not known now.{{ end }}';

const annotationsOf = (
  { runbookBaseUrl, externalUrl }: RuleOptions,
  { alert, summary, description }: AlertTexts,
): AlertingRule['annotations'] => {
  // pages of the exporter have an address where it is known
  const linked = (text: string): string =>
    externalUrl === undefined ? text : text.replaceAll(/\bthe page (\/\w+) of the exporter/gi, `${externalUrl}$1`);
  return {
    summary,
    description: linked(description),
    runbook_url: `${runbookBaseUrl}#${alert.toLowerCase()}`,
  };
};

/** Labels of owners, and those of targets to keep. */
const keptLabels = ({ owners, targetLabels }: RuleOptions): readonly string[] => [
  ...new Set([...owners, ...targetLabels]),
];

/** The labels equal those that the exporter sends: Alertmanager sees one alert, also while the sender changes. */
const relay = (options: RuleOptions, { hasFacts, ...relayed }: RelayedAlert): AlertingRule => ({
  alert: relayed.alert,
  expr: relayExpression(relayed.alert, hasFacts ? keptLabels(options) : undefined),
  // the facts are for the texts only: an empty label removes them
  labels: { source: 'license-exporter', ...(hasFacts && { facts: '' }) },
  annotations: annotationsOf(options, {
    ...relayed,
    summary: `${relayed.summary}${KEPT}`,
    description: `${hasFacts ? FACTS : ''}${relayed.description}`,
  }),
});

const own = (options: RuleOptions, { severity, expr, ...times }: OwnAlert): AlertingRule => ({
  alert: times.alert,
  expr,
  ...(times.for > 0 && { for: durationOf(times.for) }),
  ...(times.keepFiringFor > 0 && { keep_firing_for: durationOf(times.keepFiringFor) }),
  labels: { severity },
  annotations: annotationsOf(options, times),
});

/** The rules for Prometheus. Later rules read what earlier ones record at the same time. */
export const createRuleFile = (options: RuleOptions): RuleFile => ({
  groups: [
    {
      name: 'license-exporter',
      rules: [
        ...relayRecords(keptLabels(options)),
        ...options.relayed.map((alert) => relay(options, alert)),
        ...options.own.map((alert) => own(options, alert)),
      ],
    },
  ],
});

/** The file as text. */
export const ruleFileText = (file: RuleFile): string => stringify(file, { lineWidth: 0, blockQuote: 'literal' });
