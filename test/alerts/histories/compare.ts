import { EngineRun, type Watched } from './engine-run.ts';
import type { Firing } from './firing.ts';
import { minutesOf } from './frames.ts';
import { analyzerOf, type History, MINUTES } from './history.ts';
import { evaluateRules, type Rules } from './promtool.ts';
import { type Series, SeriesRun } from './series.ts';

/** An alert of a history, with the minutes in which it fires on each path. */
export interface Pair {
  readonly history: History;
  readonly alert: string;
  readonly engine: Uint8Array;
  readonly prometheus: Uint8Array;
}

/** An alert with differences, and what its rule finds meanwhile. */
export interface Disagreement extends Pair, Watched {}

/** Successive minutes, `to` excluded, in which an alert fires on one path only. */
export interface Difference extends Disagreement {
  readonly from: number;
  readonly to: number;
  readonly only: 'engine' | 'prometheus';
}

interface Run {
  readonly history: History;
  readonly engine: Firing;
  readonly series: Series;
}

/** Follows alerts of a history through the engine. */
function watch(history: History, alerts: readonly string[]): (alert: string) => Watched {
  const engine = new EngineRun(alerts);
  for (const minute of minutesOf(history)) engine.add(minute);
  return (alert) => engine.watched(alert);
}

/** Runs the engine, and collects what Prometheus scrapes meanwhile. */
function runHistory(history: History, rules: Rules): Run {
  const engine = new EngineRun();
  const series = new SeriesRun(history, rules.metrics);
  for (const minute of minutesOf(history)) {
    engine.add(minute);
    series.add(minute);
  }
  return { history, engine: engine.firing, series: series.all };
}

const never = new Uint8Array(MINUTES);

function pairsOf({ history, engine }: Run, prometheus: Firing): readonly Pair[] {
  const alerts = [...new Set([...engine.keys(), ...prometheus.keys()])].sort();
  return alerts.map((alert) => ({
    history,
    alert,
    engine: engine.get(alert) ?? never,
    prometheus: prometheus.get(alert) ?? never,
  }));
}

const isEqual = ({ engine, prometheus }: Pair): boolean =>
  engine.every((fires, minute) => fires === prometheus[minute]);

/** Whether the difference in each minute is allowed. */
export type Allow = (disagreement: Disagreement) => readonly boolean[];

/** The differences between both paths that are not allowed. */
export function differencesIn(disagreement: Disagreement, allow: Allow): readonly Difference[] {
  const { engine, prometheus } = disagreement;
  const isAllowed = allow(disagreement);
  const sideAt = (minute: number): Difference['only'] | undefined => {
    if (engine[minute] === prometheus[minute] || isAllowed[minute] === true) return undefined;
    return engine[minute] === 1 ? 'engine' : 'prometheus';
  };
  const found: Difference[] = [];
  for (let from = 0; from < MINUTES; from += 1) {
    const only = sideAt(from);
    if (only === undefined) continue;
    let to = from + 1;
    while (to < MINUTES && sideAt(to) === only) to += 1;
    found.push({ ...disagreement, from, to, only });
    from = to - 1;
  }
  return found;
}

export interface Comparison {
  /** Alerts that fired on both paths in the same minutes. */
  readonly agreed: readonly Pair[];
  readonly disagreements: readonly Disagreement[];
}

/** Compares both paths, in one run of promtool. */
export async function compareHistories(histories: readonly History[], rules: Rules): Promise<Comparison> {
  const runs = histories.map((history) => runHistory(history, rules));
  const fired = await evaluateRules(
    rules,
    runs.map(({ series }) => series),
  );
  const pairs = runs.map((run) => pairsOf(run, fired.get(analyzerOf(run.history)) ?? new Map()));
  const disagreements = pairs.flatMap((ofHistory) => {
    const unequal = ofHistory.filter((pair) => !isEqual(pair));
    const [first] = unequal;
    if (first === undefined) return [];
    const watched = watch(
      first.history,
      unequal.map(({ alert }) => alert),
    );
    return unequal.map((pair) => ({ ...pair, ...watched(pair.alert) }));
  });
  return { agreed: pairs.flat().filter(isEqual), disagreements };
}
