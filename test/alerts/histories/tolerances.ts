import type { Disagreement } from './compare.ts';
import type { Condition } from './engine-run.ts';
import { MINUTES } from './history.ts';

/**
 * The differences between the engine and the rules for Prometheus that are known and accepted. None of them resolves an alert
 * whose condition is known to be met, and none keeps one silent whose condition is known to be met without a gap.
 */

/** A minute in which an alert fires on one path only. */
interface Minute extends Disagreement {
  readonly minute: number;
  readonly only: 'engine' | 'prometheus';
  /** Since when it has fired on this path only. */
  readonly since: number;
  /** The tolerance that allowed the minute before, if it also fired on this path only. */
  readonly before: string | undefined;
}

/** A difference that is accepted. */
export interface Tolerance {
  readonly name: string;
  allows(minute: Minute): boolean;
}

/** Minutes between a cause and its effect on both paths. */
const LAG = 2;

/** How long both paths keep an alert while its condition is unknown, minutes. */
const UNKNOWN_HOLD = 60;

const isGap = (condition: Condition | undefined): boolean => condition === 'unknown' || condition === 'absent';
const isMet = (condition: Condition | undefined): boolean => condition === 'raised' || condition === 'not cleared';

/** Whether something is so in one of some minutes, both ends included. */
function isSome(from: number, to: number, is: (minute: number) => boolean): boolean {
  for (let at = Math.max(0, from); at <= Math.min(to, MINUTES - 1); at += 1) if (is(at)) return true;
  return false;
}

/** Alerts about the usage of a feature. */
const isAboutUsage = (alert: string): boolean => /^License(FeatureSaturated|RequestsQueued)/.test(alert);

/**
 * Whether the clock of an alert was interrupted in the last minutes, by a gap or a new process. Prometheus also has a gap while
 * the vendor license is not listed, because none is known; while any number of the usage is unknown; and while one of several
 * replicas does not know what the others know.
 */
const isInterrupted = (of: Minute, minutes: number): boolean =>
  isSome(
    of.minute - minutes,
    of.minute,
    (at) =>
      isGap(of.conditions[at]) ||
      of.begins[at] === true ||
      of.isListed[at] !== true ||
      (isAboutUsage(of.alert) && of.isMeasured[at] !== true) ||
      (of.isShared[at] === true && of.isAllUp[at] !== true),
  );

/** How long the condition has been met now, without a gap, minutes. */
function metFor({ minute, conditions, begins }: Minute): number {
  let from = minute;
  while (from >= 0 && conditions[from] === 'raised' && begins[from] !== true) from -= 1;
  return minute - from;
}

/**
 * The clock of a pending alert. In the engine, it stops during a gap, and is lost with the process if another replica continues.
 * In Prometheus, a pending alert begins again after a gap, and one of another replica continues. So one path fires later, or not
 * at all if the condition is not met for its whole `for` without a gap.
 */
const pendingBeginsAgain: Tolerance = {
  name: 'pending begins again',
  allows: (minute) => {
    if (isMet(minute.conditions[minute.minute])) return metFor(minute) <= minute.pendingFor + LAG;
    // it ended before the other path fired
    return minute.before === pendingBeginsAgain.name;
  },
};

/**
 * The clock of `keep_firing_for`. In the engine, it stops during a gap, and begins again if another replica continues. In
 * Prometheus it begins again after every gap. So the alert ends later on one path.
 */
const keepFiringBeginsAgain: Tolerance = {
  name: 'keep_firing_for begins again',
  allows: (minute) => {
    const { conditions, keepFiringFor, before, only, since } = minute;
    // Prometheus must not end an alert in a gap, unless its clock had run out before
    const ranOut = !isSome(since - keepFiringFor, since - 1, (at) => conditions[at] !== 'false');
    const isOver = only === 'prometheus' || conditions[minute.minute] === 'false' || ranOut;
    const wasMet = isSome(minute.minute - keepFiringFor - LAG, minute.minute, (at) => isMet(conditions[at]));
    const isContinued = before === keepFiringBeginsAgain.name;
    return (isInterrupted(minute, keepFiringFor + LAG) && (isOver || isContinued)) || (isContinued && wasMet);
  },
};

/**
 * The end of an alert without data. Prometheus keeps it for `unknown_hold` after the last finding, and then for its
 * `keep_firing_for`. The engine drops it `unknown_hold` after the first evaluation without data; that time begins again when
 * data was known for a moment, or the process ends.
 */
const unknownHoldEnds: Tolerance = {
  name: 'unknown_hold ends',
  allows: (minute) => {
    const { conditions, keepFiringFor, only } = minute;
    const at = minute.minute;
    if (!isGap(conditions[at])) return false;
    const wasMet = (from: number, to: number) => isSome(at - from, at - to, (each) => isMet(conditions[each]));
    if (only === 'prometheus') return wasMet(UNKNOWN_HOLD + keepFiringFor + 2 * LAG, UNKNOWN_HOLD - 2 * LAG);
    return !wasMet(UNKNOWN_HOLD - 2 * LAG, 0);
  },
};

/** The longest time between two polls of an endpoint by one replica, minutes. */
const POLL_INTERVAL = 5;

/** An alert about polls that Prometheus evaluates over all replicas. */
const isAboutPolls = ({ alert, isShared, isAllUp, minute, pendingFor, keepFiringFor }: Minute): boolean =>
  /^License(PollPartial|AnalyzerAuthFailing|RecordsDiscarded)/.test(alert) &&
  isSome(
    minute - pendingFor - keepFiringFor - LAG,
    minute,
    (at) => isShared[at] === true && (isAllUp[at] !== true || alert.startsWith('LicensePollPartial')),
  );

/** An alert that has ended in the engine, and fires until the last replica has polled. */
const endsWithTheLast = ({ only, engine, prometheus, isShared, since, minute, keepFiringFor }: Minute): boolean =>
  only === 'prometheus' &&
  engine[since - 1] === 1 &&
  prometheus[since - 1] === 1 &&
  minute - since <= POLL_INTERVAL + LAG &&
  isSome(since - keepFiringFor - LAG, minute, (at) => isShared[at] === true);

/** Prometheus combines what several replicas report, which poll at different times. Each engine sees only its own polls. */
const oneOfSeveralReplicas: Tolerance = {
  name: 'one of several replicas',
  allows: (minute) => isAboutPolls(minute) || endsWithTheLast(minute),
};

/**
 * Whether one path ends an alert while its condition is known to be met. When another process continues, Alertmanager keeps the
 * alert of the first one.
 */
function endsFalsely({ only, engine, prometheus, minute, conditions, begins }: Minute): boolean {
  const ended = only === 'engine' ? prometheus : engine;
  if (ended[minute - 1] !== 1 || !isMet(conditions[minute])) return false;
  return only === 'engine' || !isSome(minute - LAG, minute, (at) => begins[at] === true);
}

/** The listed differences, at most five. */
export const tolerances: readonly Tolerance[] = [
  oneOfSeveralReplicas,
  pendingBeginsAgain,
  unknownHoldEnds,
  keepFiringBeginsAgain,
];

/** The tolerance that allows each minute; `undefined` where both paths agree, or none allows their difference. */
function tolerated(disagreement: Disagreement): readonly (string | undefined)[] {
  const { engine, prometheus } = disagreement;
  const names: (string | undefined)[] = [];
  let since = 0;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const isSame = minute > 0 && engine[minute] === engine[minute - 1] && prometheus[minute] === prometheus[minute - 1];
    if (!isSame) since = minute;
    if (engine[minute] === prometheus[minute]) names.push(undefined);
    else {
      const only = engine[minute] === 1 ? 'engine' : 'prometheus';
      const before = isSame ? names[minute - 1] : undefined;
      const difference: Minute = { ...disagreement, minute, only, since, before };
      names.push(endsFalsely(difference) ? undefined : tolerances.find(({ allows }) => allows(difference))?.name);
    }
  }
  return names;
}

/** Whether the difference in each minute is allowed. */
export const allowed = (disagreement: Disagreement): readonly boolean[] =>
  tolerated(disagreement).map((name) => name !== undefined);
