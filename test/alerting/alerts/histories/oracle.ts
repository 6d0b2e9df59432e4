import { type Condition, isFound } from './conditions.ts';
import { engineRules, isSideBySide } from './engine-run.ts';
import { labelsOf, subjectOf } from './firing.ts';
import { activeEpisodes, type History } from './history.ts';
import type { Observed, Witness } from './observe.ts';

/**
 * What must be so in every history: stated over what the processes find, and not over how rules are written. An alert is meant with
 * all of its labels: one that has another owner now is over.
 */

export type FaultKind =
  /** It ends, and nobody found that it is over, or that others act on it. */
  | 'false end'
  /** It starts, and nobody found it for long enough. */
  | 'false start'
  /** It is found, and does not fire. */
  | 'loss'
  /** It is over, or others act on it, and it still fires: it is late, or a duplicate. */
  | 'late end'
  /** Everything is known, and the process does not say so. */
  | 'incomplete';

export interface Fault {
  readonly history: History;
  readonly kind: FaultKind;
  /** Who is wrong. */
  readonly by: 'engine' | 'prometheus' | 'receiver';
  readonly alert: string;
  readonly tick: number;
}

/** The last page of an exporter counts for this long, minutes. */
const LOOK_BACK = 5;
/** How long an alert is kept while its condition is unknown, minutes. */
const HOLD = 60;
/** The least time for which data must be known, minutes. */
const LEAST_KNOWN = 5;

/** What is found about one alert, by tick. */
interface Course {
  readonly alert: string;
  readonly subject: string;
  readonly name: string;
  /** Minutes. */
  readonly pendingFor: number;
  readonly keepFiringFor: number;
  /** Those who monitor what it is about. */
  readonly witnesses: readonly (readonly Witness[])[];
  /** In how many ticks a process has found it, or the same with another severity, since it was last over. */
  readonly raised: readonly number[];
  /** Whether a process finds it, and would send it with these labels. */
  readonly isMet: readonly boolean[];
  /** Whether a process knows that it is over, or that others act on it, and nobody finds it. */
  readonly isOver: readonly boolean[];
}

/** The alerts that replace one about a license that expires. */
const successors: Readonly<Record<string, readonly string[]>> = {
  'alertname=LicenseExpiringSoon|severity=info': ['ExpiringSoon|severity=warning', 'ExpiringSoon|severity=critical'],
  'alertname=LicenseExpiringSoon|severity=warning': ['ExpiringSoon|severity=critical'],
};

/** Whether one process says that the license of an alert is in a later stage. */
function isSucceeded(alert: string, { said }: Witness): boolean {
  const [, kind = ''] = /^(alertname=\w+\|severity=\w+)/.exec(alert) ?? [];
  if (!kind.startsWith('alertname=LicenseExpiringSoon')) return false;
  const later = [...(successors[kind] ?? []), 'Expired|severity=critical', 'Expired|severity=warning'];
  return later.some((next) => (said.get(alert.replace(kind, `alertname=License${next}`)) ?? 0) !== 0);
}

/** Whether it may end. */
const mayEnd = (condition: Condition | undefined): boolean => condition === 'false' || condition === 'open';

function courseOf({ witnesses: all }: Observed, alert: string): Course {
  const labels = labelsOf(alert);
  const subject = subjectOf(labels);
  const rule = engineRules.find(({ name, severity }) => name === labels.alertname && severity === labels.severity);
  const durations = rule?.durations(labels) ?? { for: 0, keepFiringFor: 0 };
  const witnesses = all.map((ofTick) => {
    const own = ofTick.filter(({ conditions }) => conditions.has(subject));
    if (labels.vendor_license !== undefined) return own;
    // about the polls of one shard
    const ofShard = own.filter(({ shard }) => shard === (labels.shard ?? ''));
    return ofShard.length > 0 ? ofShard : own;
  });
  const isHere = (witness: Witness): boolean => witness.textOf(subject) === alert;
  const isMet = witnesses.map((of) => of.some((each) => isHere(each) && isFound(each.conditions.get(subject))));
  let count = 0;
  const severities = engineRules.filter(({ name }) => name === labels.alertname).map(({ severity }) => severity);
  const subjects = severities.map((severity) => subjectOf({ ...labels, severity }));
  const raised = witnesses.map((of, tick) => {
    const conditions = of.map((each) => each.conditions.get(subject));
    const isRaised = all[tick]?.some((each) => subjects.some((one) => each.conditions.get(one) === 'raised'));
    // the time of a process that hangs counts
    if (isRaised === true || (of.length === 0 && count > 0)) count += 1;
    else if (conditions.includes('false') && !conditions.includes('unknown')) count = 0;
    return count;
  });
  return {
    alert,
    subject,
    raised,
    name: labels.alertname ?? '',
    pendingFor: durations.for / 60,
    keepFiringFor: durations.keepFiringFor / 60,
    witnesses,
    isMet,
    isOver: witnesses.map(
      (of, tick) => isMet[tick] === false && of.some((each) => !isHere(each) || mayEnd(each.conditions.get(subject))),
    ),
  };
}

/** Ticks from `from` to `to`, both included, that exist. */
const ticksOf = (from: number, to: number): number[] =>
  Array.from({ length: to - Math.max(0, from) + 1 }, (_, i) => Math.max(0, from) + i);

type Found = Omit<Fault, 'history' | 'alert'>;

/** What one process says, against what it finds itself. */
function* engineFaults({ history: { ticks, step, replicas } }: Observed, course: Course): Generator<Found> {
  const { alert, subject, pendingFor, witnesses } = course;
  for (const replica of replicas.keys()) {
    let before: Witness | undefined;
    /** Since when it finds it each time, or may, also if it hangs between. */
    let raisedSince: number | undefined;
    let [raised, waited, notFound, elsewhere, knownAt] = [0, 0, 0, 0, 0];
    for (let tick = 0; tick < ticks; tick += 1) {
      const now = witnesses[tick]?.find((each) => each.replica === replica);
      const isNew = now?.begins === 'fresh' || now?.begins === 'saved';
      if (now === undefined || isNew) [raised, notFound] = [0, 0];
      if (now === undefined) continue;
      if (isNew) knownAt = tick;
      if (now.begins === 'fresh') before = undefined;
      const condition = now.conditions.get(subject);
      const isHere = now.textOf(subject) === alert;
      const isSaid = (now.said.get(alert) ?? 0) !== 0;
      const wasSaid = (before?.said.get(alert) ?? 0) !== 0;
      raised = condition === 'raised' ? raised + 1 : 0;
      // with a saved state it goes on, although another process with another clock has found that it is over
      if (condition === 'false' || now.begins === 'fresh') waited = 0;
      else if (condition === 'raised') waited += 1;
      const isMaybeRaised = condition === 'raised' || condition === 'open';
      raisedSince = isMaybeRaised ? (isNew ? tick : (raisedSince ?? tick)) : undefined;
      notFound = condition === 'false' ? notFound + 1 : 0;
      elsewhere = isHere ? 0 : elsewhere + 1;
      if (condition !== 'unknown' && condition !== 'open') knownAt = tick;
      const isLapsed = (tick - knownAt) * step >= HOLD;
      const by = 'engine';
      if (wasSaid && !isSaid && isHere && !mayEnd(condition) && !isLapsed && !isSucceeded(alert, now))
        yield { kind: 'false end', by, tick };
      const isLongEnough = raised > 0 && (raised - 1) * step >= pendingFor;
      // a clock that was set back makes an earlier stage true while the later one keeps firing
      if (isHere && isLongEnough && now.said.get(alert) !== 1 && !isSucceeded(alert, now))
        yield { kind: 'loss', by, tick };
      const longest = course.keepFiringFor + step;
      if (isSaid && (elsewhere > 0 || notFound * step > longest)) yield { kind: 'late end', by, tick };
      const isContinued = isNew || before === undefined || before.textOf(subject) !== alert;
      const lasted = Math.max((course.raised[tick] ?? 0) - 1, waited - 1, tick - (raisedSince ?? tick));
      if (isSaid && !wasSaid && !isContinued && lasted * step < pendingFor) yield { kind: 'false start', by, tick };
      before = now;
    }
  }
}

/** Whether every shard of the analyzer is scraped, and says everything about the alerts of this name. */
function isWhole(witnesses: readonly Witness[], name: string): boolean {
  const whole = new Set(
    witnesses.filter(({ isScraped, complete }) => isScraped && complete.has(name)).map(({ shard }) => shard),
  );
  return witnesses.length > 0 && witnesses.every(({ shards }) => shards === whole.size);
}

/**
 * What fires, against what the processes find.
 *
 * @param hasMoved whether the alert fires with other labels
 */
function* firingFaults(
  { history, witnesses: all }: Observed,
  course: Course,
  firing: ReadonlySet<number>,
  hasMoved: (tick: number) => boolean,
): Generator<Found> {
  const { ticks, step, delivers, episodes, replicas } = history;
  const { alert, subject, name, isMet, isOver, witnesses } = course;
  const { analyzer } = labelsOf(alert);
  const by = delivers ? 'receiver' : 'prometheus';
  const expires = isSideBySide(history);
  /** Replicas with other clocks find other things, and one can end what the other one finds. */
  const hasClocks = episodes.some(({ is }) => is === 'clock set');
  const isDisputed = (from: number, to: number): boolean =>
    hasClocks &&
    ticksOf(from, to).some((at) => witnesses[at]?.some((each) => each.conditions.get(subject) === 'false'));
  /** Or one does not say what it could only keep. */
  const isLeft = (from: number, to: number): boolean =>
    hasClocks &&
    ticksOf(from, to).some((at) =>
      witnesses[at]?.some(({ conditions, said }) => conditions.get(subject) === 'not cleared' && !said.has(alert)),
    );
  const back = Math.ceil(LOOK_BACK / step);
  const holdTicks = Math.ceil(HOLD / step);
  const late = Math.ceil((Math.max(course.pendingFor, LEAST_KNOWN) + 3) / step);
  const says = (tick: number, value: number): boolean =>
    witnesses[tick]?.some(({ isScraped, said }) => isScraped && said.get(alert) === value) === true;
  const ofAnalyzer = (tick: number): readonly Witness[] =>
    (all[tick] ?? []).filter((each) => labelsOf(each.textOf(subject)).analyzer === analyzer);
  /** Since when a page says that it is over, and none that it fires; since when everything is said, and not this one. */
  let [saidOver, silent, unsent]: (number | undefined)[] = [undefined, undefined, undefined];
  /** Whether a process that began without a memory now says everything for the first time. */
  const isFirstWhole = (tick: number): boolean =>
    all[tick]?.some(({ replica }) => {
      const own = (at: number): Witness | undefined => all[at]?.find((each) => each.replica === replica);
      const from = ticksOf(0, tick).findLast((at) => own(at)?.begins !== undefined) ?? 0;
      return own(from)?.begins === 'fresh' && !ticksOf(from, tick - 1).some((at) => own(at)?.complete.has(name));
    }) === true;
  /** Whether a process began without a memory of it: with none, or with that of another share of the site. */
  const isNew = ({ replica, begins }: Witness, from: number): boolean =>
    begins === 'fresh' ||
    (from === replicas[replica]?.from &&
      !ticksOf(0, from - 1).some((at) => witnesses[at]?.some((each) => each.replica === replicas[replica]?.continues)));
  /** Whether those who are there now began without a memory, and have not said it since. */
  const isNews = (tick: number): boolean =>
    witnesses[tick]?.every(({ replica }) => {
      const own = (at: number): Witness | undefined => witnesses[at]?.find((each) => each.replica === replica);
      const from = ticksOf(0, tick).findLast((at) => own(at)?.begins !== undefined) ?? 0;
      const first = own(from);
      return (
        first !== undefined &&
        isNew(first, from) &&
        !ticksOf(from, tick).some((at) => (own(at)?.said.get(alert) ?? 0) !== 0)
      );
    }) === true;
  // of two replicas, one that delivers silences Prometheus, also about what only the other one has found for long enough
  const isMixed = (at: number): boolean => delivers && new Set(witnesses[at]?.map((each) => each.delivers)).size > 1;
  const isAway = (tick: number): boolean => activeEpisodes(history, 'Prometheus away', tick).length > 0;
  const isUnsendable = (tick: number): boolean =>
    isAway(tick) && witnesses[tick]?.some(({ delivers: canSend }) => canSend) === false;
  for (let tick = 0; tick < ticks; tick += 1) {
    const fires = firing.has(tick);
    const fired = firing.has(tick - 1);
    const wasMixed = ticksOf(tick - back, tick).some(isMixed);
    const isReplaced = ticksOf(tick - back, tick).some((each) =>
      witnesses[each]?.some((witness) => isSucceeded(alert, witness)),
    );
    if (fired && !fires && !wasMixed) {
      // a process without a memory says an end late
      const isFresh = ticksOf(tick - late, tick).some((each) => all[each]?.some(({ begins }) => begins === 'fresh'));
      const isEnded =
        ticksOf(tick - Math.max(back + 1, isFresh ? late : 0), tick).some((each) => isOver[each]) ||
        // nobody has found it since it was over
        isOver[ticksOf(0, tick).findLast((each) => isMet[each] || isOver[each]) ?? -1] === true;
      // it also ends some time after the last sending: Alertmanager waits for four of them
      const isLapsed = ticksOf(tick - back - (delivers ? 4 : 0), tick).some(
        (end) => !ticksOf(end - holdTicks + 1, end).some((each) => isMet[each]),
      );
      // who finds it is not seen any more, and another one knows better: replicas can disagree, for example by their clocks
      const isOutvoted =
        !ticksOf(tick - back + 1, tick).some((each) => says(each, 1)) &&
        ticksOf(tick - back + 1, tick).some((each) =>
          witnesses[each]?.some(({ isScraped, conditions }) => isScraped && conditions.get(subject) === 'false'),
        );
      // another one has just said that it is over, and who finds it does not say so now: it has not found it for long enough, or it
      // does not know. What one knows to be over is over: one that is cut off would keep it
      const isOverruled =
        witnesses[tick]?.some(({ said }) => said.get(alert) === 1) === false &&
        ticksOf(tick - back, tick).some((at) =>
          witnesses[at]?.some(
            ({ replica, isScraped, said }) =>
              isScraped &&
              said.get(alert) === 0 &&
              witnesses[at - 1]?.some((each) => each.replica === replica && (each.said.get(alert) ?? 0) !== 0),
          ),
        );
      // without a memory, nothing is known of what is only not cleared, and what is delivered waits for its `for` again. With
      // `resolve: expire`, one that does not know it does not send it either
      const forgets = delivers ? ['not cleared', 'raised', ...(expires ? ['unknown'] : [])] : ['not cleared'];
      const isForgotten =
        (isFresh || isFirstWhole(tick) || (delivers && isNews(tick))) &&
        witnesses[tick]?.every(({ conditions }) => forgets.includes(conditions.get(subject) ?? '')) === true;
      const isOfClocks = isDisputed(tick - back, tick) || isLeft(tick - back, tick);
      // Alertmanager ends what neither an exporter nor Prometheus can send
      const isCutOff = delivers && ticksOf(tick - back + 1, tick).some(isUnsendable);
      if (
        !isEnded &&
        !isLapsed &&
        !isOutvoted &&
        !isOverruled &&
        !isReplaced &&
        !isForgotten &&
        !isOfClocks &&
        !isCutOff
      )
        yield { kind: 'false end', by, tick };
    }
    if (!fired && fires) {
      const isSaid = ticksOf(tick - back, tick).some((each) => says(each, 1));
      const wasOver = saidOver !== undefined || ticksOf(tick - 1, tick - 1).some((each) => isOver[each]);
      const isKept = witnesses[tick]?.some(({ said }) => said.get(alert) === -1) === true && !wasOver;
      const isSent = delivers && witnesses[tick]?.some(({ said }) => (said.get(alert) ?? 0) !== 0) === true;
      // what exporters have ended while Prometheus was away fires once
      const wasAway = ticksOf(tick - back, tick).some(isAway);
      // what Prometheus remembers is found, and nobody has found since it fired that it is over
      const firedAt = ticksOf(tick - holdTicks, tick - 1).findLast((at) => firing.has(at));
      const isBack = firedAt !== undefined && isMet[tick] && !ticksOf(firedAt, tick).some((at) => isOver[at]);
      if (!isSaid && !isKept && !isSent && !wasAway && !isBack && !hasMoved(tick - 1))
        yield { kind: 'false start', by, tick };
    }
    // that Alertmanager does not answer is known after two attempts
    const isDue = ticksOf(tick - (delivers ? 2 : 0), tick).every((each) => says(each, 1));
    if (!fires && isDue && !wasMixed && !isReplaced && !isDisputed(tick, tick)) yield { kind: 'loss', by, tick };
    const isWitnessed = witnesses[tick]?.some(({ said }) => said.get(alert) === 1) === true;
    const isHeld = witnesses[tick]?.some(({ said }) => said.get(alert) === -1) === true;
    if (isWitnessed || isMet[tick]) [saidOver, silent] = [undefined, undefined];
    else {
      saidOver = isHeld && !says(tick, 0) ? undefined : says(tick, 0) ? (saidOver ?? tick) : saidOver;
      const isUnsaid = isWhole(ofAnalyzer(tick), name) && !isHeld;
      silent = isUnsaid ? (silent ?? tick) : undefined;
    }
    // an analyzer that is renamed without a state keeps its old alerts for a day, and a shard that is missing those of all
    const isSeen =
      ofAnalyzer(tick).some(({ isScraped }) => isScraped) &&
      (saidOver !== undefined || isWhole(ofAnalyzer(tick), name));
    unsent = isWitnessed || isHeld || !isSeen || isOver[tick] === false ? undefined : (unsent ?? tick);
    // Alertmanager keeps what a process does not end: it was killed, or others may still find it
    const ends = delivers
      ? [unsent === undefined ? undefined : unsent + holdTicks + back]
      : [saidOver, silent].map((since) => (since === undefined ? undefined : since + back));
    if (fires && ends.some((end) => end !== undefined && tick > end)) yield { kind: 'late end', by, tick };
  }
}

/** Whether it keeps an alert of this name whose condition it does not know. */
const keeps = ({ said }: Witness, name: string): boolean =>
  [...said].some(([alert, value]) => value === -1 && alert.startsWith(`alertname=${name}|`));

/** A process that knows everything for long enough says so. */
function* knowledgeFaults({ history, witnesses }: Observed): Generator<Fault> {
  for (const replica of history.replicas.keys()) {
    for (const name of new Set(engineRules.map((rule) => rule.name))) {
      const longest = Math.max(...engineRules.filter((rule) => rule.name === name).map(({ longestFor }) => longestFor));
      let known = 0;
      for (let tick = 0; tick < history.ticks; tick += 1) {
        const now = witnesses[tick]?.find((each) => each.replica === replica);
        const isKnown = now !== undefined && !now.unknown.has(name) && !keeps(now, name);
        known = isKnown && now.begins === undefined ? known + 1 : 0;
        const isLong = (known - 1) * history.step >= Math.max(LEAST_KNOWN, longest / 60);
        if (now === undefined || !isLong || now.complete.has(name)) continue;
        yield { history, kind: 'incomplete', by: 'engine', alert: `alertname=${name}`, tick };
      }
    }
  }
}

/** Everything in a history that must not be. The first fault of each kind, alert and view. */
export function faultsIn(observed: Observed): readonly Fault[] {
  const { history, prometheus, alertmanager, witnesses } = observed;
  const fired = history.delivers ? alertmanager : prometheus;
  const said = witnesses.flat().flatMap((witness) => [...witness.said.keys()]);
  const raised = witnesses
    .flat()
    .flatMap(({ conditions, textOf }) =>
      [...conditions].flatMap(([subject, condition]) => (condition === 'raised' ? textOf(subject) : [])),
    );
  const found: Fault[] = [...knowledgeFaults(observed)];
  for (const alert of new Set([...fired.keys(), ...said, ...raised])) {
    const course = courseOf(observed, alert);
    const hasMoved = (tick: number): boolean =>
      [...fired].some(
        ([other, otherTicks]) =>
          other !== alert && otherTicks.has(tick) && subjectOf(labelsOf(other)) === course.subject,
      );
    const ticks = fired.get(alert) ?? new Set();
    const faults = [...engineFaults(observed, course), ...firingFaults(observed, course, ticks, hasMoved)];
    found.push(...faults.map((fault) => ({ history, alert, ...fault })));
  }
  return [...Map.groupBy(found, ({ kind, by, alert }) => `${kind} ${by} ${alert}`).values()].flatMap((all) =>
    all.slice(0, 1),
  );
}
