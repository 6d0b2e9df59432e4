import type { z } from 'zod';
import { mapOf, orEmpty } from '../../base/settings/structures.ts';
import { capitalized } from '../../base/texts.ts';
import { type Labels, withoutEmpty } from './alert.ts';
import { type Adjustable, adjustable, createLookup, isEnabled, type Shape, type Values } from './alert-settings.ts';
import type { EngineAlert } from './definition.ts';
import { type AlertName, type EngineRuleName, engineAlerts, prometheusAlerts } from './definitions.ts';
import type { Rule, Severity } from './rule.ts';
import { aboutLabels, describe } from './texts.ts';

/** Every alert, by its name. */
export const allAlerts = { ...engineAlerts, ...prometheusAlerts };

type ShapeOf<N extends AlertName> = (typeof allAlerts)[N]['parameters'];

/** The settings of all alerts, by name. */
export type AllSettings = { readonly [N in AlertName]: Adjustable<Values<ShapeOf<N>>> };

/** Those of the alerts that the engine evaluates. */
export type RuleSettings = Pick<AllSettings, EngineRuleName>;

/** The schema of `alerting.rules`: values by alert, with defaults for missing ones. */
export const ruleSettings = orEmpty(
  mapOf(Object.fromEntries(Object.entries(allAlerts).map(([name, alert]) => [name, adjustable(alert)]))),
) as unknown as z.ZodType<AllSettings>;

/** The names of the alerts that the engine evaluates. */
export const engineNames = Object.keys(engineAlerts) as readonly EngineRuleName[];

function createRule<S extends Shape>(
  name: string,
  severity: Severity,
  alert: EngineAlert<S>,
  settingsOf: <O extends Shape>(other: EngineAlert<O>) => Adjustable<Values<O>>,
): Rule {
  const settings = settingsOf(alert);
  const { base, overrides } = settings;
  const { texts, threshold, keepFiring, worst } = alert;
  const parametersOf = createLookup(settings);
  const evaluate = alert.condition({
    severity,
    settings,
    parametersOf,
    settingsOf,
    finding: (subject, told = {}, value = 0, isRaised = true) => {
      const { summary, facts, impact = texts.impact, figure, licenses, when } = told;
      const labels: Labels = { alertname: name, severity, ...withoutEmpty(subject) };
      return {
        labels,
        annotations: {
          summary: summary ?? capitalized(texts.summary(aboutLabels(labels))),
          description: describe(facts, impact, texts.step),
          // those of features are summed up, and get these then
          ...(worst === undefined && { impact, step: texts.step }),
          ...(licenses !== undefined && { licenses }),
          ...(figure !== undefined && { figure }),
          ...(when !== undefined && { when }),
        },
        value,
        isRaised,
      };
    },
  });
  return {
    id: `${name}/${severity}`,
    name,
    severity,
    parameters: base,
    grouping: worst && {
      worst,
      summarize: (labels, count, when) => texts.summary(aboutLabels(labels, count, when)),
      impact: texts.impact,
      step: texts.step,
    },
    subject: alert.subject,
    threshold: threshold === 'none' ? undefined : threshold.value(base, severity),
    longestFor: Math.max(base.for, ...overrides.map(({ values }) => values.for ?? 0)),
    durations: ({ vendor_license: vendorLicense = '', feature = '' }) => {
      const values = parametersOf({ vendorLicense, feature });
      return keepFiring === undefined ? values : { ...values, keepFiringFor: keepFiring(values, severity) };
    },
    endsAfter: ({ vendor_license: vendorLicense = '', feature = '' }) =>
      alert.endsAfter?.(parametersOf({ vendorLicense, feature })) ?? Number.POSITIVE_INFINITY,
    thresholdOf: ({ vendor_license: vendorLicense = '', feature = '' }) => {
      if (threshold === 'none') return undefined;
      const value = threshold.value(parametersOf({ vendorLicense, feature }), severity);
      return { value, text: threshold.text(value) };
    },
    *evaluate(view) {
      const evaluation = evaluate(view);
      return 'findings' in evaluation ? evaluation : yield* evaluation;
    },
  };
}

/** The rules that are enabled for at least one vendor license or feature: one for each alert and severity. */
export function createRules(settings: RuleSettings): readonly Rule[] {
  const byAlert = new Map<unknown, unknown>(engineNames.map((name) => [engineAlerts[name], settings[name]]));
  const settingsOf = <S extends Shape>(alert: EngineAlert<S>) => byAlert.get(alert) as Adjustable<Values<S>>;
  return engineNames
    .filter((name) => isEnabled(settings[name]))
    .flatMap((name) => {
      // the settings of an alert have its type
      const alert = engineAlerts[name] as unknown as EngineAlert<Shape>;
      return alert.severities.map((severity) => createRule(name, severity, alert, settingsOf));
    });
}
