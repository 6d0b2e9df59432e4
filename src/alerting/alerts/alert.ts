import { identityLabels } from '../../base/model/alert-labels.ts';

/** Label or annotation values by name. They are never empty: for Alertmanager, an empty value means no label. */
export type Labels = Readonly<Record<string, string>>;

/** The labels that are wanted, in their order. */
function pick(labels: Labels, isWanted: (name: string, value: string) => boolean): Labels {
  const picked: Record<string, string> = {};
  for (const [name, value] of Object.entries(labels)) if (isWanted(name, value)) picked[name] = value;
  return picked;
}

/** Removes empty values. */
export const withoutEmpty = (labels: Labels): Labels => pick(labels, (_, value) => value !== '');

const identity: ReadonlySet<string> = new Set(identityLabels);

/** The labels that identify an alert, without those of who acts on it. */
export const identityOf = (labels: Labels): Labels => pick(labels, (name) => identity.has(name));

/** A text that identifies a set of labels, independent of their order. */
export function fingerprint(labels: Labels): string {
  return JSON.stringify(identityLabels.map((name) => labels[name]));
}

/** A subject for which the condition of a rule is met, or not yet cleared. */
export interface Finding {
  /** With `alertname` and `severity`. */
  readonly labels: Labels;
  readonly annotations: Labels;
  /** What the condition compares, in its own unit. */
  readonly value: number;
  /** Whether the condition is met. If it is only not yet cleared, an alert keeps firing, but no new one starts. */
  readonly isRaised: boolean;
}

/** An alert from its first finding until fifteen minutes after it is resolved. Times are epoch seconds. */
export interface AlertState {
  /** Id of its rule. */
  readonly rule: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** The value of the last finding; `undefined` until its rule is evaluated after a restart. */
  readonly value: number | undefined;
  /** What the condition compared with when it was last met; `undefined` if it compares nothing. */
  readonly threshold: number | undefined;
  readonly state: 'pending' | 'firing' | 'resolved';
  /** When the condition became true, plus the time for which it was unknown. */
  readonly activeAt: number;
  readonly firedAt: number | undefined;
  /** Since when it only fires because of `keepFiringFor`. */
  readonly keepFiringSince: number | undefined;
  readonly resolvedAt: number | undefined;
  /** When the condition was last known. */
  readonly knownAt: number;
  /** Since when the condition is unknown. */
  readonly unknownSince: number | undefined;
  /**
   * How an alert has ended that is not over, such as `now critical`, `now with cad-team` or `no longer listed by the analyzer`;
   * `undefined` if it is over.
   */
  readonly ending: string | undefined;
}

/** Alerts by their keys, see `keyOf`. */
export type AlertStates = ReadonlyMap<string, AlertState>;

/** A new alert. @param at epoch seconds */
export const beginAlert = (
  rule: string,
  { labels, annotations, value }: Pick<AlertState, 'labels' | 'annotations' | 'value'>,
  at: number,
): AlertState => ({
  rule,
  labels,
  annotations,
  value,
  threshold: undefined,
  state: 'pending',
  activeAt: at,
  firedAt: undefined,
  keepFiringSince: undefined,
  resolvedAt: undefined,
  knownAt: at,
  unknownSince: undefined,
  ending: undefined,
});

/** Computed once for the labels of an alert, which stay the same from one evaluation to the next. */
export function remembered<Result>(compute: (labels: Labels) => Result): (labels: Labels) => Result {
  const known = new WeakMap<Labels, Result>();
  return (labels) => {
    const found = known.get(labels) ?? compute(labels);
    known.set(labels, found);
    return found;
  };
}

/** All labels of an alert as one text: for Alertmanager and Prometheus, other labels are another alert. */
export const labelsKey = remembered((labels) =>
  JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))),
);

/** Labels of a feature that its vendor license has not. */
const ofFeature: ReadonlySet<string> = new Set(['feature', 'version', 'package', 'feature_type']);

/** The labels of the alert that sums up. */
export const groupLabels = remembered((labels) => pick(labels, (name) => !ofFeature.has(name)));

/** The labels of a saved alert: 0.2.0 had the day of an expiry as an annotation. */
export const savedLabels = (labels: Labels, { expires }: Labels): Labels =>
  expires === undefined ? labels : { ...labels, expires };

/** What identifies an alert among those of an engine. One that was replaced has the labels of before. */
export const keyOf = ({ labels, ending }: Pick<AlertState, 'labels' | 'ending'>): string =>
  ending === undefined ? fingerprint(labels) : `${fingerprint(labels)} ${labelsKey(labels)}`;

const later = (at: number | undefined, by: number): number | undefined => (at === undefined ? undefined : at + by);

/** The alert after the clock was set: it is as old as before. @param by seconds */
export const movedAlert = (alert: AlertState, by: number): AlertState => ({
  ...alert,
  activeAt: alert.activeAt + by,
  firedAt: later(alert.firedAt, by),
  keepFiringSince: later(alert.keepFiringSince, by),
  resolvedAt: later(alert.resolvedAt, by),
  knownAt: alert.knownAt + by,
  unknownSince: later(alert.unknownSince, by),
});
