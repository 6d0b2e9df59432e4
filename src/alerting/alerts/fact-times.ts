import { type Figure, isKnown } from '../../base/model/unknown.ts';
import type { AlertState } from './alert.ts';
import { engineAlertOf } from './definitions.ts';

/** When what an alert is about began or will happen. The alert itself begins later: when it is seen, and after its `for`. */

/** Epoch seconds. Exactly one of them is there. */
interface FactTimes {
  /** Since when it has been so, as far as the data says. */
  readonly since: number | undefined;
  /** When something happens that has not happened yet. */
  readonly due: number | undefined;
}

/** @param collectedAt of a vendor license: when it was collected last, epoch seconds */
export function factTimes(alert: AlertState, collectedAt: (vendorLicense: string | undefined) => Figure): FactTimes {
  const { activeAt, knownAt, value = Number.NaN, labels } = alert;
  const beginning = (at: number): FactTimes => ({ since: Math.min(activeAt, at), due: undefined });
  const time = engineAlertOf(labels.alertname)?.attention.time;
  if (time === 'since last collection') {
    const collection = collectedAt(labels.vendor_license);
    return beginning(isKnown(collection) ? collection : activeAt);
  }
  // after a restart, until the rule is evaluated
  if (time === undefined || Number.isNaN(value)) return beginning(activeAt);
  if (time === 'value is time since') return beginning(knownAt - value);
  return { since: undefined, due: time === 'value is time until' ? knownAt + value : value };
}
