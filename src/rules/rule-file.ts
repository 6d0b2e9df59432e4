import { stringify } from 'yaml';
import { type HeldAlert, type PlainAlert, type RuleOptions, settingsOf } from './alert.ts';
import { analyzerAlerts } from './analyzer-alerts.ts';
import { exporterAlerts } from './exporter-alerts.ts';
import { licenseAlerts, useRecord } from './license-alerts.ts';
import { durationOf, SITE, select } from './promql.ts';
import { findingRecords, identityRecords, type RecordingRule, stateRecords, valueRecords } from './records.ts';
import { ownRunbookText, runbookText, silenceText } from './texts.ts';
import { checkExpressions, isEnabled, thresholdOf, valuesOf } from './thresholds.ts';
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

/** Durations other than the defaults of overrides need a rule of their own. Each gets its part of the series. */
function alertingRules(
  options: RuleOptions,
  { alert, severity, summary, description, more = {}, ...rest }: HeldAlert | PlainAlert,
): readonly AlertingRule[] {
  const settings = settingsOf(options, alert);
  const isHeld = 'data' in rest;
  const { runbookBaseUrl, alertmanagerUrl } = options;
  const isAnalyzers = isHeld || ('expr' in rest && rest.expr.includes('license:'));
  const runbook = isAnalyzers ? ownRunbookText(alert) : runbookText(alert);
  const annotations = {
    summary,
    description,
    ...more,
    runbook_url: runbookBaseUrl === undefined ? runbook : `${runbookBaseUrl}#${alert.toLowerCase()}`,
    ...(alertmanagerUrl !== undefined && { silence_url: silenceText(alertmanagerUrl, alert) }),
  };
  const gate =
    isHeld && rest.isEngines ? `\nunless on (${SITE}) license:alerting_active{alertname="${alert}"} == 1` : '';
  const matchers = [`alertname="${alert}"`, `severity="${severity}"`];
  const found = (more: readonly string[]): string =>
    `max without (data) (${select('license:finding', ...matchers, ...more)} or ${select('license:held', ...matchers, ...more)})`;
  const values = (name: string) => valuesOf(settings, name).map(Number);
  return values('for').flatMap((pendingFor) =>
    values('keepFiringFor').map((keep) => {
      const chosen = (name: string, value: number): string =>
        values(name).length === 1 ? '' : `\nand ${thresholdOf(settings, name, found)} == ${value}`;
      const expr = isHeld
        ? `${found([])}${chosen('for', pendingFor)}${chosen('keepFiringFor', keep)}${gate}`
        : rest.expr;
      const keepFor =
        isHeld && rest.keepFiringFor !== undefined
          ? rest.keepFiringFor - Number(settings.base.keepFiringFor) + keep
          : keep;
      return {
        alert,
        expr,
        ...(pendingFor > 0 && { for: durationOf(pendingFor) }),
        ...(keepFor > 0 && { keep_firing_for: durationOf(keepFor) }),
        labels: { severity },
        annotations,
      };
    }),
  );
}

/**
 * The rules for Prometheus. In a group, later rules read what earlier ones record at the same time.
 *
 * @throws OperatorError for an override that Prometheus cannot evaluate
 */
export function createRuleFile(options: RuleOptions): RuleFile {
  for (const [alert, settings] of Object.entries(options.rules)) checkExpressions(`alerting.rules.${alert}`, settings);
  const isOn = ({ alert }: HeldAlert | PlainAlert): boolean => isEnabled(settingsOf(options, alert));
  const held = [...licenseAlerts(options), ...analyzerAlerts(options), capacityDropped(options)].filter(isOn);
  const plain = [...vanishedAlerts(options), ...exporterAlerts(options)].filter(isOn);
  const farthest = Math.max(...valuesOf(settingsOf(options, 'LicenseExpiringSoon'), 'info').map(Number));
  const rules = (alert: HeldAlert | PlainAlert) => alertingRules(options, alert);
  const isPast = ({ alert }: PlainAlert): boolean => pastAlerts.has(alert);
  return {
    groups: [
      {
        name: 'license-exporter',
        rules: [
          ...identityRecords(options.owners),
          ...stateRecords,
          ...valueRecords(farthest),
          useRecord(options),
          ...held.map(conditionOf),
          ...findingRecords(options.owners, durationOf(options.unknownHold)),
          ...held.flatMap(rules),
          ...plain.filter((alert) => !isPast(alert)).flatMap(rules),
        ],
      },
      {
        // reads every feature, and the past: seldom, because it takes long at a large site
        name: 'license-past',
        interval: '3m',
        rules: [...pastRecords(options), ...plain.filter(isPast).flatMap(rules)],
      },
    ],
  };
}

/** The file as text. */
export const ruleFileText = (file: RuleFile): string => stringify(file, { lineWidth: 0, blockQuote: 'literal' });
