import { stringify } from 'yaml';
import { type HeldAlert, type Matcher, type PlainAlert, type RuleOptions, settingsOf, type Texts } from './alert.ts';
import { analyzerAlerts } from './analyzer-alerts.ts';
import { exporterAlerts } from './exporter-alerts.ts';
import { farthestExpiry, licenseAlerts, useRecords } from './license-alerts.ts';
import { durationOf, quote, SITE, select } from './promql.ts';
import { findingRecords, identityRecords, type RecordingRule, stateRecords, valueRecords } from './records.ts';
import { forecastRecords, runsOut } from './runs-out-alert.ts';
import { ownRunbookText, runbookText, silenceText } from './texts.ts';
import {
  checkExpression,
  checkExpressions,
  isEnabled,
  type RuleSettings,
  type Selection,
  thresholdOf,
  valuesOf,
} from './thresholds.ts';
import { capacityDropped, pastAlerts, pastRecords, vanishedAlerts } from './vanished-alerts.ts';

/** An alerting rule of Prometheus. */
export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

/** A file of rules for Prometheus. */
export interface RuleFile {
  readonly groups: readonly {
    readonly name: string;
    readonly interval?: string;
    readonly rules: readonly (RecordingRule | AlertingRule)[];
  }[];
}

const conditionOf = ({ alert, severity, data, condition }: HeldAlert): RecordingRule => ({
  record: 'license:condition',
  expr: condition,
  labels: { alertname: alert, severity, data },
});

const matcherText = ({ label, operator, value }: Matcher): string => `${label}${operator}${quote(value)}`;

/** Refuses what the engine can evaluate and Prometheus cannot. @throws OperatorError that names the setting */
function checkOptions({ rules, ignore }: RuleOptions): void {
  for (const [alert, settings] of Object.entries(rules)) checkExpressions(`alerting.rules.${alert}`, settings);
  for (const [i, group] of ignore.entries()) {
    for (const { operator, value } of group)
      if (operator.endsWith('~')) checkExpression(`alerting.ignore[${i}]`, value);
  }
}

function annotationsOf(
  { runbookBaseUrl, alertmanagerUrl }: RuleOptions,
  { alert, severity, summary, description, more, isAboutAnalyzer }: Alert,
): Readonly<Record<string, string>> {
  const runbook = isAboutAnalyzer ? ownRunbookText(alert) : runbookText(alert);
  return {
    summary,
    description,
    ...more,
    // a query for each of the many alerts for information would take long
    ...((runbookBaseUrl !== undefined || severity !== 'info') && {
      runbook_url: runbookBaseUrl === undefined ? runbook : `${runbookBaseUrl}#${alert.toLowerCase()}`,
    }),
    ...(alertmanagerUrl !== undefined && { silence_url: silenceText(alertmanagerUrl, alert) }),
  };
}

/** A held alert fires while there is a finding, or the finding is held. */
const selectionOf = ({ alert, severity }: HeldAlert): Selection => {
  const own = [`alertname="${alert}"`, `severity="${severity}"`];
  return (matchers) =>
    `max without (data) (${select('license:finding', ...own, ...matchers)} or ${select('license:held', ...own, ...matchers)})`;
};

/** What is never an alert of Prometheus: what the configuration ignores, and what the engine sends. */
const exceptions = ({ ignore }: RuleOptions, { alert, isEngines }: HeldAlert): string =>
  [
    ...ignore.map(
      (group) =>
        `\nunless ignoring (data) ${select('license:finding', `alertname="${alert}"`, ...group.map(matcherText))}`,
    ),
    ...(isEngines ? [`\nunless on (${SITE}) license:alerting_active{alertname="${alert}"} == 1`] : []),
  ].join('');

/** An alert as Prometheus evaluates it. */
interface Alert extends Texts {
  readonly alert: string;
  readonly severity: string;
  readonly isAboutAnalyzer: boolean;
  readonly selection: Selection;
  readonly exceptions: string;
  readonly keepFiringFor: number | undefined;
}

const heldAlert = (options: RuleOptions, held: HeldAlert): Alert => ({
  ...held,
  isAboutAnalyzer: true,
  selection: selectionOf(held),
  exceptions: exceptions(options, held),
  keepFiringFor: held.keepFiringFor,
});

const plainAlert = (plain: PlainAlert): Alert => ({
  ...plain,
  isAboutAnalyzer: plain.selection([]).includes('license:'),
  exceptions: '',
  keepFiringFor: undefined,
});

/** The series of an alert for which overrides choose this value. */
const chosen = (settings: RuleSettings, name: string, value: number, selection: Selection): string =>
  valuesOf(settings, name).length === 1 ? '' : `\nand ${thresholdOf(settings, name, selection)} == ${value}`;

/** Each combination of durations needs a rule of its own, for its part of the series. */
function alertingRules(options: RuleOptions, alert: Alert): readonly AlertingRule[] {
  const settings = settingsOf(options, alert.alert);
  const { selection, severity } = alert;
  const base = Number(settings.base.keepFiringFor);
  const rule = (pendingFor: number, keep: number): AlertingRule => {
    const keepFor = alert.keepFiringFor === undefined ? keep : alert.keepFiringFor - base + keep;
    const part = `${chosen(settings, 'for', pendingFor, selection)}${chosen(settings, 'keepFiringFor', keep, selection)}`;
    return {
      alert: alert.alert,
      expr: `${selection([])}${part}${alert.exceptions}`,
      ...(pendingFor > 0 && { for: durationOf(pendingFor) }),
      ...(keepFor > 0 && { keep_firing_for: durationOf(keepFor) }),
      labels: { severity },
      annotations: annotationsOf(options, alert),
    };
  };
  const durations = (name: string): readonly number[] => valuesOf(settings, name).map(Number);
  return durations('for').flatMap((pendingFor) => durations('keepFiringFor').map((keep) => rule(pendingFor, keep)));
}

/**
 * The rules for Prometheus. In a group, later rules read what earlier ones record at the same time.
 *
 * @throws OperatorError for an override that Prometheus cannot evaluate
 */
export function createRuleFile(options: RuleOptions): RuleFile {
  checkOptions(options);
  const isOn = ({ alert }: HeldAlert | PlainAlert): boolean => isEnabled(settingsOf(options, alert));
  const held = [
    ...licenseAlerts(options),
    runsOut(options),
    ...analyzerAlerts(options),
    capacityDropped(options),
  ].filter(isOn);
  const plain = [...vanishedAlerts(options), ...exporterAlerts(options)].filter(isOn);
  const plainRules = (alert: PlainAlert) => alertingRules(options, plainAlert(alert));
  const isPast = ({ alert }: PlainAlert): boolean => pastAlerts.has(alert);
  return {
    groups: [
      {
        name: 'license-exporter',
        rules: [
          ...identityRecords(options.owners),
          ...stateRecords,
          ...valueRecords(farthestExpiry(options)),
          ...useRecords(options),
          ...forecastRecords(options),
          ...held.map(conditionOf),
          ...findingRecords(options.owners, durationOf(options.unknownHold)),
          ...held.flatMap((alert) => alertingRules(options, heldAlert(options, alert))),
          ...plain.filter((alert) => !isPast(alert)).flatMap(plainRules),
        ],
      },
      {
        // reads every feature, and the past: seldom, because it takes long at a large site
        name: 'license-past',
        interval: '3m',
        rules: [...pastRecords(options), ...plain.filter(isPast).flatMap(plainRules)],
      },
    ],
  };
}

/** The file as text. */
export const ruleFileText = (file: RuleFile): string => stringify(file, { lineWidth: 0, blockQuote: 'literal' });
