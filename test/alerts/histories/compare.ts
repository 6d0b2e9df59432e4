import { EngineRun } from './engine-run.ts';
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

/** Successive minutes, `to` excluded, in which an alert fires on one path only. */
export interface Difference extends Pair {
  readonly from: number;
  readonly to: number;
  readonly only: 'engine' | 'prometheus';
}

interface Run {
  readonly history: History;
  readonly engine: Firing;
  readonly series: Series;
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

/** The differences between both paths. */
export function differencesOf(pair: Pair): readonly Difference[] {
  const { engine, prometheus } = pair;
  const found: Difference[] = [];
  for (let from = 0; from < MINUTES; from += 1) {
    if (engine[from] === prometheus[from]) continue;
    let to = from + 1;
    while (to < MINUTES && engine[to] === engine[from] && prometheus[to] === prometheus[from]) to += 1;
    found.push({ ...pair, from, to, only: engine[from] === 1 ? 'engine' : 'prometheus' });
    from = to - 1;
  }
  return found;
}

/** The alerts of histories on both paths, from one run of promtool. */
export async function compareHistories(histories: readonly History[], rules: Rules): Promise<readonly Pair[]> {
  const runs = histories.map((history) => runHistory(history, rules));
  const fired = await evaluateRules(
    rules,
    runs.map(({ series }) => series),
  );
  return runs.flatMap((run) => pairsOf(run, fired.get(analyzerOf(run.history)) ?? new Map()));
}
