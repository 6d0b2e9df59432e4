import type { AlertState, Labels } from './alert.ts';
import type { Delivery } from './delivery.ts';
import type { SentAlert } from './groups.ts';
import type { Rule } from './rule.ts';
import type { Statements } from './statements.ts';

/** The state of alerting, for metrics and pages. Times are epoch seconds, durations seconds. */
export interface EngineStatus {
  readonly rules: readonly Rule[];
  /** As they are sent, see `shownAlerts`. */
  readonly alerts: readonly SentAlert[];
  /** Of single features, before they are summed up, and all others. */
  readonly conditions: readonly AlertState[];
  readonly commonLabels: Labels;
  /** Names of the rules that had data at their last evaluation, if alerts are delivered. The same rules in Prometheus stay silent. */
  readonly active: ReadonlySet<string>;
  /** What `/metrics` says; `undefined` before the first evaluation. */
  readonly statements: Statements | undefined;
  /** Names of the rules that had data at their last evaluation. The alerts of the others are unknown. */
  readonly withData: ReadonlySet<string>;
  /** Names of the rules about what is not configured: there is nothing to be unknown about. */
  readonly notConfigured: ReadonlySet<string>;
  readonly deliveries: readonly Delivery[];
  readonly queueCapacity: number;
  readonly evaluationInterval: number;
  readonly lastEvaluation: { readonly at: number; readonly seconds: number } | undefined;
  /** How long an alert is kept while its condition is unknown. */
  readonly unknownHold: number;
  /** The IANA name of the zone of times in texts. */
  readonly timeZone: string;
}

/** The names of the rules about what is configured. Rules of different severities have one name. */
export const ruleNames = ({
  rules,
  notConfigured,
}: Pick<EngineStatus, 'rules' | 'notConfigured'>): readonly string[] => [
  ...new Set(rules.map(({ name }) => name).filter((name) => !notConfigured.has(name))),
];

/** The names of the rules that had no data: whether their alerts apply is not known. */
export const withoutData = (status: Pick<EngineStatus, 'rules' | 'withData' | 'notConfigured'>): readonly string[] =>
  ruleNames(status).filter((name) => !status.withData.has(name));

/** Evaluations that may be missed before alerts count as out of date. */
const MISSED = 3;

/** Whether the rules have been evaluated lately: without that, no alert does not mean that all is well. @param now epoch seconds */
export const isEvaluatedLately = (
  { lastEvaluation, evaluationInterval }: Pick<EngineStatus, 'lastEvaluation' | 'evaluationInterval'>,
  now: number,
): boolean => lastEvaluation !== undefined && now - lastEvaluation.at <= MISSED * evaluationInterval;
