import { isEnabled, type Shape, type Values } from './alert-settings.ts';
import type { EngineAlert, PrometheusAlert } from './definition.ts';
import { engineAlerts, prometheusAlerts } from './definitions.ts';
import type { RuleOptions } from './prometheus/rule-file.ts';
import type { AllSettings } from './rules.ts';
import { aboutTemplate, capitalized } from './texts.ts';

/** What Prometheus says of alerts. It knows labels only; what the engine sends, mails, and the page `/alerts` have figures too. */

const PAGE = ' The page /alerts of the exporter has the figures.';

const textsOf = ({ subject, texts }: Pick<EngineAlert<Shape>, 'subject' | 'texts'>) => ({
  summary: capitalized(texts.summary(aboutTemplate)),
  description: `${texts.remedy}${subject === 'analyzer' ? '' : PAGE}`,
});

/** The alerts of the rules for Prometheus: those that are enabled for at least one vendor license or feature. */
export const alertsForPrometheus = (settings: AllSettings, job: string): Pick<RuleOptions, 'relayed' | 'own'> => ({
  relayed: Object.entries(engineAlerts)
    .filter(([name]) => isEnabled(settings[name as keyof AllSettings]))
    .map(([alert, definition]) => ({ alert, ...textsOf(definition) })),
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
