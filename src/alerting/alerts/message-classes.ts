import type { Severity } from './rule.ts';

/**
 * How people are told of an alert: the one table that the mails and the webhook of this daemon follow, and the routes of
 * `deploy/alertmanager/alertmanager.yml`. A definition names its class.
 */

/** How people are told of an alert of one severity. */
export interface Telling {
  /** `digest`: once on a working day, in the hour of the digest. `pages`: no message; it is on pages and in APIs. */
  readonly by: 'message' | 'digest' | 'pages';
  /** How long after the last message the next one repeats that it still fires, seconds; `undefined`: it is said once. */
  readonly again: number | undefined;
}

const DAY = 86_400;

const atOnce = (again: number | undefined): Telling => ({ by: 'message', again });
const inDigest = (again: number | undefined): Telling => ({ by: 'digest', again });
const onPages: Telling = { by: 'pages', again: undefined };

/** What is critical never waits. */
const critical = atOnce(DAY);

export const messageClasses = {
  /** Something does not work, or nobody sees whether it does. */
  fault: { critical, warning: atOnce(2 * DAY), info: onPages },
  /** Something is not there any more. */
  loss: { critical, warning: atOnce(undefined), info: onPages },
  /** Licenses end. */
  expiry: { critical, warning: inDigest(5 * DAY), info: inDigest(undefined) },
  /** Licenses are scarce. */
  usage: { critical, warning: inDigest(5 * DAY), info: onPages },
  /** Something is left undone, for those who operate the monitoring. */
  upkeep: { critical, warning: inDigest(5 * DAY), info: onPages },
} as const satisfies Readonly<Record<string, Readonly<Record<Severity, Telling>>>>;

export type MessageClass = keyof typeof messageClasses;
