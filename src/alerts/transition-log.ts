import type { Log } from '../model/log.ts';
import type { Transition } from './state-machine.ts';

/** If an evaluation has more transitions, only their counts are logged: a line for each would block the event loop. */
const MAX_LOGGED = 20;

/** Logs which alerts fire, are resolved, or lapse. */
export function logTransitions(transitions: readonly Transition[], log: Log): void {
  const logged = transitions.filter(({ to }) => to !== 'pending' && to !== 'inactive');
  if (logged.length <= MAX_LOGGED) {
    for (const { labels, to } of logged) log.info({ labels, to }, 'alert');
    return;
  }
  const groups = Map.groupBy(logged, ({ labels, to }) => `${labels.alertname} ${to}`);
  log.info({ counts: Object.fromEntries([...groups].map(([key, { length }]) => [key, length])) }, 'many alerts');
}
