import type { Labels } from './alert.ts';
import { engineAlerts, prometheusAlerts } from './definitions.ts';
import { type MessageClass, messageClasses, type Telling } from './message-classes.ts';

const classes: ReadonlyMap<string, MessageClass | 'watchdog'> = new Map(
  Object.entries({ ...engineAlerts, ...prometheusAlerts }).map(([name, { messages }]) => [name, messages]),
);

/** How people are told of an alert. One that is not ours, or of another version, is said at once. */
export function tellingOf({ alertname = '', severity = '' }: Labels): Telling {
  const name = classes.get(alertname) ?? 'loss';
  const ofClass: Readonly<Record<string, Telling>> = name === 'watchdog' ? {} : messageClasses[name];
  return ofClass[severity] ?? { by: 'pages', again: undefined };
}
