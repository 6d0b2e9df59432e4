import { type AlertState, type Labels, labelsKey, remembered, withoutEmpty } from './alert.ts';
import type { SentAlerts } from './groups.ts';
import { steadyFacts } from './prometheus/steady-facts.ts';
import type { EvaluatedRule } from './rule.ts';
import type { Transition } from './state-machine.ts';

/**
 * What this daemon says about its alerts on `/metrics`. The rules for Prometheus evaluate nothing: they relay it. Times are epoch
 * seconds.
 */

/** One alert. */
interface Statement {
  /** As they are sent, without those that are the same for all alerts except the analyzer. */
  readonly labels: Labels;
  /** 1: it fires. -1: it fired, and its condition is unknown now. 0: it is over. */
  readonly value: 1 | -1 | 0;
  /** When it began to fire; `undefined` if it is over. */
  readonly startedAt: number | undefined;
  /** What is known of it, see `steadyFacts`; empty if it is over. */
  readonly facts: string;
}

/** What is said as of one evaluation. It is replaced as a whole. */
export interface Statements {
  readonly evaluatedAt: number;
  readonly alerts: readonly Statement[];
  /** Names of the alerts of which everything is said that fires, and is known: one that is not said does not fire. */
  readonly complete: ReadonlySet<string>;
}

/** Labels that do not fire any more. */
export interface SaidEnd {
  readonly labels: Labels;
  readonly at: number;
  /** It did not fire here, but others may have said so before: until everything is said. */
  readonly isEarly?: boolean;
}

/** How long an end is said, seconds. Prometheus may not scrape for some of it. */
const SAY_END = 3600;
/** How long data must be known before what is not said does not fire, seconds, if `for` is not longer. */
const LEAST_KNOWN = 300;
/** Data that is unknown for this long does not count any more, seconds. */
const GIVEN_UP = 86_400;

interface StatementOptions {
  /** Name of the analyzer. */
  readonly analyzer: string;
  /** Names of the alerts of which everything was said before, so that what is continued is all of it. */
  readonly complete: Iterable<string>;
  /** Alerts that were said, and their analyzer then. */
  readonly said: { readonly alerts: Iterable<AlertState>; readonly analyzer: string };
  /** Ends that are still said. */
  readonly ends: readonly SaidEnd[];
}

/** What `createStatements` returns: the statements of the newest evaluation. */
export type StatementKeeper = ReturnType<typeof createStatements>;

/** Follows the alerts, and remembers which of those that were said have ended. */
export function createStatements({ analyzer, said, ends, complete: wholeBefore }: StatementOptions) {
  const ofAnalyzer = remembered((labels) => withoutEmpty({ analyzer, ...labels }));
  const statementsOf = (alerts: Iterable<AlertState>, withAnalyzer: typeof ofAnalyzer): Map<string, Statement> => {
    const statements = new Map<string, Statement>();
    for (const alert of alerts) {
      if (alert.state !== 'firing') continue;
      const labels = withAnalyzer(alert.labels);
      const value = alert.unknownSince === undefined ? 1 : -1;
      statements.set(labelsKey(labels), { labels, value, startedAt: alert.firedAt, facts: steadyFacts(alert) });
    }
    return statements;
  };
  let firing = statementsOf(said.alerts, (labels) => withoutEmpty({ analyzer: said.analyzer, ...labels }));
  const ended = new Map(ends.map((each) => [labelsKey(each.labels), each]));
  const end = (labels: Labels, at: number, isEarly = false): void =>
    void ended.set(labelsKey(labels), { labels, at, isEarly });

  /** By the name of a rule, and by vendor license or an empty name for the site: since when something is not known. */
  const unknownSince = new Map<string, ReadonlyMap<string, number>>();
  /** By the name of a rule: since when all that it rests on is known. */
  const knownSince = new Map<string, number>();
  const whole = new Set(wholeBefore);
  let complete: ReadonlySet<string> = new Set();

  const isComplete = (name: string, evaluated: readonly EvaluatedRule[], at: number): boolean => {
    const before = unknownSince.get(name);
    const unknown = new Map(
      evaluated.flatMap(({ evaluation }) =>
        [...evaluation.unknownAbout].map((about) => [about, before?.get(about) ?? at]),
      ),
    );
    unknownSince.set(name, unknown);
    if (!unknown.values().every((from) => at - from >= GIVEN_UP)) {
      knownSince.delete(name);
      return false;
    }
    const since = knownSince.get(name) ?? at;
    knownSince.set(name, since);
    return whole.has(name) || at - since >= Math.max(LEAST_KNOWN, ...evaluated.map(({ rule }) => rule.longestFor));
  };

  return {
    /** Takes the alerts of an evaluation. */
    take: (
      sent: SentAlerts,
      changes: readonly Transition[],
      evaluated: readonly EvaluatedRule[],
      at: number,
    ): Statements => {
      const earlier = firing;
      firing = statementsOf(sent.values(), ofAnalyzer);
      for (const [key, { labels }] of earlier) if (!firing.has(key)) end(labels, at);
      for (const { labels, to } of changes) {
        // before this daemon knew everything, others may have said it
        if (to === 'inactive' && !complete.has(labels.alertname ?? '')) end(ofAnalyzer(labels), at, true);
      }
      for (const [key, { labels, at: since, isEarly }] of ended) {
        const longest = isEarly && complete.has(labels.alertname ?? '') ? LEAST_KNOWN : SAY_END;
        if (firing.has(key) || at - since >= longest) ended.delete(key);
      }
      const byName = Map.groupBy(evaluated, ({ rule }) => rule.name);
      const known = [...byName].flatMap(([name, each]) => (isComplete(name, each, at) ? name : []));
      // one whose vendor license has gone is kept as unknown while all data of the others is known
      const kept = new Set([...firing.values()].flatMap(({ labels, value }) => (value === -1 ? labels.alertname : [])));
      complete = new Set(known.filter((name) => !kept.has(name)));
      for (const name of known) whole.add(name);
      const over = ended
        .values()
        .map(({ labels }): Statement => ({ labels, value: 0, startedAt: undefined, facts: '' }));
      return { evaluatedAt: at, alerts: [...firing.values(), ...over], complete };
    },
    /** The ends that must be said after a restart too. */
    ends: (): readonly SaidEnd[] => [...ended.values()],
    /** Names of the alerts of which everything has been said. */
    whole: (): ReadonlySet<string> => whole,
  };
}
