import type { Disagreement, Tolerance } from './compare.ts';
import type { Condition } from './engine-run.ts';

/**
 * The differences between the engine and the rules for Prometheus that are known and accepted. None of them resolves an alert
 * whose condition is known to be met, or keeps one silent whose condition is known to be met for longer than its `for`.
 */

/** Prometheus evaluates a minute after what it reads has changed. */
const LAG = 2;

/** How long both paths keep an alert while its condition is unknown, minutes. */
const UNKNOWN_HOLD = 60;

const isGap = (condition: Condition | undefined): boolean => condition === 'unknown' || condition === 'absent';

/** Whether something is true in one of the last minutes, or in this one. */
function isRecent(minute: number, minutes: number, is: (minute: number) => boolean): boolean {
  for (let at = Math.max(0, minute - minutes); at <= minute; at += 1) if (is(at)) return true;
  return false;
}

const fires = ({ engine, prometheus }: Disagreement, only: 'engine' | 'prometheus', minute: number): boolean =>
  engine[minute] !== prometheus[minute] && (only === 'engine' ? engine : prometheus)[minute] === 1;

const gapIn = ({ conditions }: Disagreement, minute: number, minutes: number): boolean =>
  isRecent(minute, minutes, (at) => isGap(conditions[at]));

const beginIn = ({ begins }: Disagreement, minute: number, minutes: number): boolean =>
  isRecent(minute, minutes, (at) => begins[at] === true);

/**
 * A pending alert waits for its whole `for` again: in Prometheus after a minute without data, because a pending alert has no
 * memory there; in the engine when another process continues, because Alertmanager has only firing alerts. The alert is late.
 */
const pendingBeginsAgain: Tolerance = {
  name: 'pending begins again',
  allows: (disagreement, minute) => {
    const minutes = disagreement.pendingFor + LAG;
    return fires(disagreement, 'engine', minute)
      ? gapIn(disagreement, minute, minutes)
      : beginIn(disagreement, minute, minutes);
  },
};

/**
 * An alert whose condition ended waits for its whole `keep_firing_for` again: in Prometheus after a minute without data,
 * because its clock does not stop; in the engine when another process continues. The alert ends late.
 */
const keepFiringBeginsAgain: Tolerance = {
  name: 'keep_firing_for begins again',
  allows: (disagreement, minute) => {
    const minutes = disagreement.keepFiringFor + LAG;
    return fires(disagreement, 'prometheus', minute)
      ? gapIn(disagreement, minute, minutes)
      : beginIn(disagreement, minute, minutes);
  },
};

/**
 * The time for which an alert is kept without data: Prometheus counts it from the last finding, and `keep_firing_for` follows;
 * the engine counts it from the first evaluation without data, and again in another process.
 */
const unknownHoldEnds: Tolerance = {
  name: 'unknown_hold ends',
  allows: (disagreement, minute) => {
    const { conditions, keepFiringFor } = disagreement;
    if (!isGap(conditions[minute])) return false;
    // the engine keeps it no longer, Prometheus for its keep_firing_for
    if (fires(disagreement, 'prometheus', minute))
      return gapIn(disagreement, minute - UNKNOWN_HOLD + LAG, keepFiringFor + 2 * LAG);
    return beginIn(disagreement, minute, UNKNOWN_HOLD);
  },
};

/**
 * The averaged ratio, while the feature has existed and been known for less than the window: the engine averages what the process
 * has seen, Prometheus what it has scraped.
 */
const shorterPast: Tolerance = {
  name: 'average over a shorter past',
  allows: (disagreement, minute) => {
    if (!disagreement.alert.startsWith('LicenseFeatureSaturated')) return false;
    const minutes = 10 + disagreement.pendingFor + disagreement.keepFiringFor + LAG;
    return gapIn(disagreement, minute, minutes) || beginIn(disagreement, minute, minutes);
  },
};

/** A minute: Prometheus 2 includes both ends of a range, and shows a poll that has not been tried as failed. */
const oneMinute: Tolerance = {
  name: 'one minute',
  allows: (disagreement, minute) => {
    const { engine, prometheus } = disagreement;
    const agrees = (at: number): boolean => engine[at] === prometheus[at];
    return agrees(minute - 1) && agrees(minute + 1);
  },
};

/** The listed differences, at most five. */
export const tolerances: readonly Tolerance[] = [
  oneMinute,
  pendingBeginsAgain,
  keepFiringBeginsAgain,
  unknownHoldEnds,
  shorterPast,
];

/** Whether a minute in which both paths differ does not count. */
export const isTolerated = (disagreement: Disagreement, minute: number): boolean =>
  tolerances.some((tolerance) => tolerance.allows(disagreement, minute));
