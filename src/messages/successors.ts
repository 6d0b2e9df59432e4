import { type AlertState, identityOf, type Labels } from '../alerts/alert.ts';
import type { AlertStates } from '../alerts/state-machine.ts';
import { bySeverity } from './texts.ts';

/** Which alerts go on as another one, so that their end is not called resolved. */

/** A license that was about to expire has expired. */
const EXPIRED = 'LicenseExpired';
const EXPIRING = 'LicenseExpiringSoon';

/** What an alert of any severity is about. */
function subjectOf(labels: Labels): string {
  const { severity, alertname, ...others } = identityOf(labels);
  return JSON.stringify([alertname === EXPIRED ? EXPIRING : alertname, others]);
}

const wordOf = ({ alertname, severity }: Labels): string | undefined => (alertname === EXPIRED ? 'expired' : severity);

/** Severity with which the subject of an alert that has ended fires now, such as `critical`; `undefined` if it does not. */
export type SuccessorOf = (labels: Labels) => string | undefined;

/** Finds successors among the alerts after an evaluation. They are read when the first one is asked for. */
export function createSuccessors(states: AlertStates): SuccessorOf {
  let firing: ReadonlyMap<string, AlertState> | undefined;
  const read = (): ReadonlyMap<string, AlertState> => {
    const alerts = [...states.values()].filter(({ state }) => state === 'firing');
    // the last one of a key counts: the most severe
    return new Map(alerts.sort((a, b) => bySeverity(b, a)).map((alert) => [subjectOf(alert.labels), alert]));
  };
  return (labels) => {
    firing ??= read();
    const found = firing.get(subjectOf(labels));
    return found === undefined ? undefined : wordOf(found.labels);
  };
}
