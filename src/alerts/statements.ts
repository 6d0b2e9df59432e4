import { type AlertState, type Labels, labelsKey, withoutEmpty } from './alert.ts';
import type { SentAlerts } from './groups.ts';
import type { EvaluatedRule, Rule } from './rule.ts';
import type { Transition } from './state-machine.ts';

/**
 * What this daemon says about its alerts on `/metrics`. The rules for Prometheus evaluate nothing: they relay it. Times are epoch
 * seconds.
 */

/** One alert. */
export interface Statement {
  /** As they are sent, without those that are the same for all alerts except the analyzer. */
  readonly labels: Labels;
  /** 1: it fires. -1: it fired, and its condition is unknown now. 0: it is over. */
  readonly value: 1 | -1 | 0;
  /** When it began to fire; `undefined` if it is over. */
  readonly startedAt: number | undefined;
}

/** What is said as of one evaluation. It is replaced as a whole. */
export interface Statements {
  readonly evaluatedAt: number;
  readonly alerts: readonly Statement[];
  /** Names of the alerts of which everything is said that fires: one that is not said does not fire. */
  readonly complete: ReadonlySet<string>;
}

/** Labels that do not fire any more. */
export interface SaidEnd {
  readonly labels: Labels;
  readonly at: number;
}

/** The end after the clock was set. @param by seconds */
export const movedEnd = ({ labels, at }: SaidEnd, by: number): SaidEnd => ({ labels, at: at + by });

/** How long an end is said, seconds. Prometheus may not scrape for some of it. */
const SAY_END = 3600;
/** How long data must be known before what is not said does not fire, seconds, if `for` is not longer. */
const LEAST_KNOWN = 300;
/** Data that is unknown for this long does not count any more, seconds. */
const GIVEN_UP = 86_400;

export interface StatementOptions {
  readonly rules: readonly Rule[];
  /** Name of the analyzer. */
  readonly analyzer: string;
  /** Names of the alerts of which everything was said before, so that what is continued is all of it. */
  readonly complete: Iterable<string>;
  /** Alerts that were said, and their analyzer then. */
  readonly said: { readonly alerts: Iterable<AlertState>; readonly analyzer: string };
  /** Ends that are still said. */
  readonly ends: readonly SaidEnd[];
}

export interface StatementKeeper {
  /** Takes the alerts of an evaluation. */
  take(alerts: SentAlerts, changes: readonly Transition[], evaluated: readonly EvaluatedRule[], at: number): Statements;
  /** The ends that must be said after a restart too. */
  ends(): readonly SaidEnd[];
  /** Names of the alerts of which everything has been said. */
  whole(): ReadonlySet<string>;
}

/** Since when all that the rules of one name rest on is known. */
interface Knowledge {
  /** Since when it is not known for a vendor license, or for the site. */
  readonly unknownSince: Map<string, number>;
  knownSince: number | undefined;
}

/** Follows the alerts, and remembers which of those that were said have ended. */
export function createStatements({
  rules,
  analyzer,
  said: before,
  ends,
  ...options
}: StatementOptions): StatementKeeper {
  const named = new WeakMap<Labels, Labels>();
  const ofAnalyzer = (labels: Labels): Labels => {
    const found = named.get(labels) ?? withoutEmpty({ analyzer, ...labels });
    named.set(labels, found);
    return found;
  };
  const ended = new Map(ends.map((end) => [labelsKey(end.labels), end]));
  let said = new Map(
    [...before.alerts]
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => withoutEmpty({ analyzer: before.analyzer, ...labels }))
      .map((labels) => [labelsKey(labels), labels]),
  );
  const knowledge = new Map<string, Knowledge>(
    rules.map(({ name }) => [name, { unknownSince: new Map(), knownSince: undefined }]),
  );
  let complete: ReadonlySet<string> = new Set();
  const whole = new Set(options.complete);

  const isComplete = (name: string, evaluated: readonly EvaluatedRule[], at: number): boolean => {
    const known = knowledge.get(name);
    if (known === undefined) return false;
    const { unknownSince } = known;
    const unknown = new Set(evaluated.flatMap(({ evaluation }) => [...evaluation.unknownAbout]));
    for (const about of unknownSince.keys()) if (!unknown.has(about)) unknownSince.delete(about);
    for (const about of unknown) if (!unknownSince.has(about)) unknownSince.set(about, at);
    const isKnown = unknownSince.values().every((since) => at - since >= GIVEN_UP);
    known.knownSince = isKnown ? (known.knownSince ?? at) : undefined;
    if (known.knownSince === undefined) return false;
    const longestFor = Math.max(...evaluated.map(({ rule }) => rule.longestFor));
    return whole.has(name) || at - known.knownSince >= Math.max(longestFor, LEAST_KNOWN);
  };

  const firingOf = (sent: SentAlerts): Map<string, { readonly labels: Labels; readonly alert: AlertState }> =>
    new Map(
      sent
        .values()
        .filter(({ state }) => state === 'firing')
        .map((alert) => {
          const labels = ofAnalyzer(alert.labels);
          return [labelsKey(labels), { labels, alert }];
        }),
    );

  return {
    take: (sent, changes, evaluated, at) => {
      const firing = firingOf(sent);
      for (const [text, labels] of said) if (!firing.has(text)) ended.set(text, { labels, at });
      for (const { labels, to } of changes) {
        // before this daemon knew everything, others may have said it
        if (to !== 'inactive' || complete.has(labels.alertname ?? '')) continue;
        const all = ofAnalyzer(labels);
        ended.set(labelsKey(all), { labels: all, at });
      }
      for (const [text, { at: since }] of ended) if (firing.has(text) || at - since >= SAY_END) ended.delete(text);
      said = new Map([...firing].map(([text, { labels }]) => [text, labels]));
      const byName = Map.groupBy(evaluated, ({ rule }) => rule.name);
      complete = new Set([...byName].flatMap(([name, each]) => (isComplete(name, each, at) ? name : [])));
      for (const name of complete) whole.add(name);
      const alerts: Statement[] = [];
      for (const { labels, alert } of firing.values()) {
        alerts.push({ labels, value: alert.unknownSince === undefined ? 1 : -1, startedAt: alert.firedAt });
      }
      for (const { labels } of ended.values()) alerts.push({ labels, value: 0, startedAt: undefined });
      return { evaluatedAt: at, alerts, complete };
    },
    ends: () => [...ended.values()],
    whole: () => whole,
  };
}
