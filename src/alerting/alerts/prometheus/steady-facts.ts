import type { AlertState } from '../alert.ts';
import type { Shape } from '../alert-settings.ts';
import type { EngineAlert } from '../definition.ts';
import { engineAlertOf } from '../definitions.ts';
import { memberTexts, type SentAlert } from '../groups.ts';
import { factsOf } from '../texts.ts';

/**
 * What is known of an alert, for the texts of the rules for Prometheus. It is the label of a series, so that it has no figure that
 * changes all the time.
 */

/** Whether such facts are said of an alert: of features, if their figures are not about use. */
export const hasSteadyFacts = ({ subject, messages, areFactsSteady }: EngineAlert<Shape>): boolean =>
  areFactsSteady === true || (subject === 'feature' && messages !== 'usage');

/** `base 1.0 (5 licenses), more (2 licenses) and 3 more.`, or sentences; empty without. */
export function steadyFacts(alert: AlertState & Partial<Pick<SentAlert, 'members'>>): string {
  const { labels, annotations, members = [] } = alert;
  const definition = engineAlertOf(labels.alertname);
  if (definition === undefined || !hasSteadyFacts(definition)) return '';
  if (members.length > 0) return `${memberTexts(members)}.`;
  return factsOf(annotations);
}
