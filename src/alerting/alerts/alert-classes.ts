import type { AlertState } from './alert.ts';
import type { Severity } from './rule.ts';

/** The classes in which the page `/alerts` counts, filters and colors alerts. */

/** The most urgent first. */
export const severities: readonly Severity[] = ['critical', 'warning', 'info'];

const stateTexts = { firing: 'firing', pending: 'pending', resolved: 'ended lately', held: 'without data' } as const;
/** A state of the filter. `held`: its condition is unknown, because data is missing. Such an alert is pending or firing too. */
export type ShownState = keyof typeof stateTexts;
/** All of them, in order. */
export const shownStates = Object.keys(stateTexts) as readonly ShownState[];

/** The state in words. */
export const stateText = (state: ShownState): string => stateTexts[state];

type ClassName = Severity | Exclude<ShownState, 'firing'>;

/** How a class is shown. */
interface AlertClass {
  readonly title: string;
  /** The filter that shows it. */
  readonly severity?: Severity;
  readonly state: ShownState;
  /** The color of its name, and of its box. */
  readonly tone: 'bad' | 'warn' | 'soft';
  readonly mark: 'bad' | 'warn' | 'info' | 'pending';
}

/** What fires, by severity, and the other states. */
const classes: Readonly<Record<ClassName, AlertClass>> = {
  critical: { title: 'critical', severity: 'critical', state: 'firing', tone: 'bad', mark: 'bad' },
  warning: { title: 'warning', severity: 'warning', state: 'firing', tone: 'warn', mark: 'warn' },
  info: { title: 'info', severity: 'info', state: 'firing', tone: 'soft', mark: 'info' },
  pending: { title: 'pending', state: 'pending', tone: 'soft', mark: 'pending' },
  resolved: { title: stateTexts.resolved, state: 'resolved', tone: 'soft', mark: 'info' },
  held: { title: 'kept without data', state: 'held', tone: 'warn', mark: 'warn' },
};

/** Whether its condition is unknown, because data is missing. */
export const isHeld = ({ state, unknownSince }: AlertState): boolean =>
  unknownSince !== undefined && state !== 'resolved';

/** The severity of an alert. One that another program sent may have none of ours. */
export const severityOf = ({ labels }: AlertState): Severity =>
  severities.find((one) => one === labels.severity) ?? 'warning';

const classOf = (alert: AlertState): Exclude<ClassName, 'held'> =>
  alert.state === 'firing' ? severityOf(alert) : alert.state;

/** The color of the severity of an alert. Only what fires has that of its severity. */
export const toneOf = (alert: AlertState): string => classes[classOf(alert)].tone;

/** The color of the box of an alert. Only what is over is good. */
export const markOf = (alert: AlertState): string =>
  alert.state === 'resolved' && alert.ending === undefined ? 'good' : classes[classOf(alert)].mark;

/** The number of alerts of each class. A held one is in another class too. */
export type AlertCounts = readonly { readonly shown: AlertClass; readonly count: number }[];

/** The number of alerts of each class: what fires by its severity, all others by their state. Every page counts with it. */
export function countsByClass(alerts: readonly AlertState[]): Readonly<Record<ClassName, number>> {
  const counts = { critical: 0, warning: 0, info: 0, pending: 0, resolved: 0, held: 0 };
  for (const alert of alerts) {
    counts[classOf(alert)] += 1;
    if (isHeld(alert)) counts.held += 1;
  }
  return counts;
}

/** The same with how each class is shown. */
export function countsOf(alerts: readonly AlertState[]): AlertCounts {
  const counts = countsByClass(alerts);
  return (Object.keys(counts) as ClassName[]).map((name) => ({ shown: classes[name], count: counts[name] }));
}
