import type { Urgency } from '../../base/model/urgency.ts';
import type { AlertState } from './alert.ts';
import { severityOf } from './alert-classes.ts';
import { engineAlertOf } from './definitions.ts';

/** When it is that what an alert is about does harm. Times are epoch seconds. */

/** Exactly one of them is there. */
interface FactTimes {
  /** Since when it has been so, as far as the data says. */
  readonly since: number | undefined;
  /** When something happens that has not happened yet. */
  readonly due: number | undefined;
}

/** When what an alert is about happened, or will happen. */
export function factTimes({ activeAt, knownAt, value = Number.NaN, labels }: AlertState): FactTimes {
  const time = engineAlertOf(labels.alertname)?.attention.time;
  // without a value, after a restart, until the rule is evaluated
  if (time === undefined || Number.isNaN(value)) return { since: activeAt, due: undefined };
  if (time === 'value is time since') return { since: Math.min(activeAt, knownAt - value), due: undefined };
  return { since: undefined, due: time === 'value is time until' ? knownAt + value : value };
}

/** How urgent an alert is among others. */
export function urgencyOf(alert: AlertState): Urgency {
  const { since, due } = factTimes(alert);
  return { severity: severityOf(alert), at: since ?? due };
}
