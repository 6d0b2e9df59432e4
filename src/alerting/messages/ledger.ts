import { type Labels, labelsKey } from '../alerts/alert.ts';
import type { HandOver } from '../alerts/engine.ts';
import type { SentAlert } from '../alerts/groups.ts';
import type { EvaluatedRule } from '../alerts/rule.ts';
import { isForPeople } from './message-group.ts';

/** What the people behind a receiver know about each alert, and what they do not know yet. Times are epoch seconds. */

/**
 * `no data`: the condition was unknown for longer than `alerting.unknown_hold`, or its rule is not evaluated any more, so that
 * nobody knows whether it still holds.
 */
export type NoticeState = 'firing' | 'no data' | 'resolved';

/** An alert from its start to its end. */
export interface Episode {
  readonly startsAt: number;
  readonly state: NoticeState;
  /** When it got this state. */
  readonly at: number;
  /** Since when it waits for its first message; `undefined` while another alert explains it. */
  readonly dueSince: number | undefined;
  /** How it has ended without being over, see `AlertState`. */
  readonly ending?: string | undefined;
}

export interface Entry {
  readonly rule: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** In the order of time. Only the last one can be other than resolved. Those that were sent as resolved are removed. */
  readonly episodes: readonly Episode[];
  /** The last message about it: the episode, by its start, and its state. */
  readonly sent: { readonly startsAt: number; readonly state: NoticeState } | undefined;
}

/** The alert after the clock was set: everything is as old as before. @param by seconds */
export const movedEntry = ({ rule, labels, annotations, episodes, sent }: Entry, by: number): Entry => ({
  rule,
  labels,
  annotations,
  episodes: episodes.map((episode) => ({
    ...episode,
    startsAt: episode.startsAt + by,
    at: episode.at + by,
    dueSince: episode.dueSince === undefined ? undefined : episode.dueSince + by,
  })),
  sent: sent && { startsAt: sent.startsAt + by, state: sent.state },
});

export type Ledger = ReadonlyMap<string, Entry>;

/** What a message says about one alert. */
export interface Notice {
  readonly key: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** In the order of time; the last one is the current one. */
  readonly episodes: readonly Episode[];
  /** Whether no earlier message is about the current episode. */
  readonly isNew: boolean;
  /** The alert as it is now, with its features; `undefined` if the engine does not have it. */
  readonly alert: SentAlert | undefined;
}

/** Which alerts a receiver gets, and how it groups them. */
export interface LedgerOptions {
  /** Whether the end of an alert is sent. */
  readonly sendResolved: boolean;
  /** How long an alert is kept while its condition is unknown, seconds. */
  readonly unknownHold: number;
  /** Called with the labels of an alert whose end was not sent for too long. */
  readonly onForgotten: (labels: Labels) => void;
}

/** How long the end of an alert waits for a receiver that does not answer, seconds. */
const KEEP = 7 * 86_400;

const isSent = ({ sent }: Entry, { startsAt }: Episode): boolean => sent?.startsAt === startsAt;

/** Since when an episode has something that was not sent; `undefined` without. */
function dueSinceOf(entry: Entry, episode: Episode): number | undefined {
  if (!isSent(entry, episode)) return episode.dueSince;
  return episode.state === entry.sent?.state ? undefined : episode.at;
}

/** Since when an alert has something that was not sent; `undefined` without. */
export function dueSince(entry: Entry): number | undefined {
  let first: number | undefined;
  for (const episode of entry.episodes) {
    const since = dueSinceOf(entry, episode);
    if (since !== undefined && (first === undefined || since < first)) first = since;
  }
  return first;
}

/** Since when it waits to be said that an alert began, also if it has ended since; `undefined` if no message is about that. */
export function begunSince(entry: Entry): number | undefined {
  const unsaid = entry.episodes.filter((episode) => !isSent(entry, episode));
  return unsaid.find(({ dueSince: since }) => since !== undefined)?.dueSince;
}

/** Whether the last message about an alert says that it fires, and it still does. */
export const isOngoing = (entry: Entry): boolean => {
  const last = entry.episodes.at(-1);
  return last !== undefined && last.state === 'firing' && isSent(entry, last) && entry.sent?.state === 'firing';
};

/** What a message says about an alert: all that people know about or must know. */
export function noticeOf(key: string, entry: Entry, alert: SentAlert | undefined): Notice {
  const { labels, annotations } = entry;
  const episodes = entry.episodes.filter((episode) => isSent(entry, episode) || episode.dueSince !== undefined);
  return { key, labels, annotations, episodes, isNew: episodes.at(-1)?.startsAt !== entry.sent?.startsAt, alert };
}

/** The states of a message that was accepted. */
export interface Covered {
  readonly key: string;
  readonly episodes: readonly Pick<Episode, 'startsAt' | 'state'>[];
}

/** The ledger after a message was accepted. */
export function markSent(ledger: Ledger, covered: readonly Covered[]): Ledger {
  const after = new Map(ledger);
  for (const { key, episodes: said } of covered) {
    const entry = ledger.get(key);
    const last = said.at(-1);
    if (entry === undefined || last === undefined) continue;
    const resolved = new Set(said.filter(({ state }) => state === 'resolved').map(({ startsAt }) => startsAt));
    const episodes = entry.episodes.filter(({ startsAt }) => !resolved.has(startsAt));
    if (episodes.length === 0) after.delete(key);
    else after.set(key, { ...entry, episodes, sent: { startsAt: last.startsAt, state: last.state } });
  }
  return after;
}

/** Whether the condition of an alert is unknown. One that sums up features has none of its own: that of any of them may be. */
function isUnknown(labels: Labels, { rule, evaluation }: EvaluatedRule): boolean {
  if (rule.grouping === undefined) return evaluation.isUnknown(labels);
  const { vendor_license: vendorLicense = '' } = labels;
  return evaluation.unknownAbout.has(vendorLicense) || evaluation.unknownAbout.has('');
}

const withLast = (entry: Entry, change: Partial<Episode>): Entry => {
  const last = entry.episodes.at(-1);
  return last === undefined ? entry : { ...entry, episodes: [...entry.episodes.slice(0, -1), { ...last, ...change }] };
};

/** Keeps what a receiver has been told about each alert. */
export interface LedgerKeeper {
  /** The ledger after an evaluation. */
  take(ledger: Ledger, handOver: HandOver, isInhibited: (labels: Labels) => boolean): Ledger;
}

/** Keeps a ledger up to date with the alert engine. */
export function createLedgerKeeper(options: LedgerOptions): LedgerKeeper {
  const { sendResolved, unknownHold, onForgotten } = options;
  /** Of alerts that the engine does not have any more, for example after a long outage: since when they are unknown. */
  const missingSince = new Map<string, number>();

  /** Without what is not sent: ends that are not wanted, alerts that another one explained until their end. */
  const withoutUnwanted = (entry: Entry, now: number): Entry | undefined => {
    const episodes = entry.episodes.filter((episode) => {
      if (episode.state === 'firing') return true;
      if (episode.at < now - KEEP) {
        if (dueSinceOf(entry, episode) !== undefined) onForgotten(entry.labels);
        return false;
      }
      return isSent(entry, episode) ? sendResolved || episode.state === 'no data' : episode.dueSince !== undefined;
    });
    return episodes.length === 0 ? undefined : { ...entry, episodes };
  };

  /** An alert whose last episode has changed its state. */
  const moved = (entry: Entry, state: NoticeState, at: number): Entry => {
    const last = entry.episodes.at(-1);
    if (last === undefined || last.state === state || last.state === 'resolved') return entry;
    // without the ends, a state without data is not sent either
    const sent =
      state === 'no data' && !sendResolved && isSent(entry, last) ? { startsAt: last.startsAt, state } : entry.sent;
    return { ...entry, sent, episodes: [...entry.episodes.slice(0, -1), { ...last, state, at }] };
  };

  /** An alert that is over, or goes on as another one. */
  const ended = (entry: Entry, at: number, ending: string | undefined): Entry => {
    const after = moved(entry, 'resolved', at);
    return after === entry ? entry : withLast(after, { ending });
  };

  /** An alert that fires. */
  const firing = (entry: Entry, firedAt: number, at: number, inhibited: boolean): Entry => {
    const open = entry.episodes.at(-1);
    if (open === undefined || open.state === 'resolved') {
      const begun: Episode = { startsAt: firedAt, state: 'firing', at, dueSince: inhibited ? undefined : at };
      return { ...entry, episodes: [...entry.episodes, begun] };
    }
    const again = moved(entry, 'firing', at);
    const last = again.episodes.at(-1) as Episode;
    if (isSent(again, last)) return again;
    const since = inhibited ? undefined : (last.dueSince ?? at);
    return { ...again, episodes: [...again.episodes.slice(0, -1), { ...last, dueSince: since }] };
  };

  /** An alert that the engine does not have: its condition is false, or unknown. */
  const missing = (key: string, entry: Entry, at: number, evaluated: EvaluatedRule, hasLapsed: boolean): Entry => {
    if (!isUnknown(entry.labels, evaluated) && !hasLapsed) {
      missingSince.delete(key);
      return ended(entry, at, evaluated.evaluation.endingOf?.(entry.labels));
    }
    const since = missingSince.get(key) ?? at;
    missingSince.set(key, since);
    return hasLapsed || at - since >= unknownHold ? moved(entry, 'no data', at) : entry;
  };

  return {
    take: (ledger, handOver, isInhibited) => {
      const { at, alerts, changes, evaluated: allRules } = handOver;
      const lapsed = new Set(changes.flatMap(({ to, labels }) => (to === 'lapsed' ? labelsKey(labels) : [])));
      const rules = new Map(allRules.map((each) => [each.rule.id, each]));
      const after = new Map<string, Entry>();
      const keep = (key: string, entry: Entry): void => {
        const kept = withoutUnwanted(entry, at);
        if (kept !== undefined) after.set(key, kept);
      };
      for (const [key, entry] of ledger) {
        const alert = alerts.get(key);
        const evaluated = rules.get(entry.rule);
        // the engine ends an alert whose rule was disabled: that does not say that it is over
        if (evaluated === undefined) keep(key, moved(entry, 'no data', at));
        else if (alert === undefined) keep(key, missing(key, entry, at, evaluated, lapsed.has(key)));
        else if (alert.state === 'resolved') keep(key, ended(entry, alert.resolvedAt ?? at, alert.ending));
        // one that is pending again after an outage is not known to have ended
        else if (alert.state === 'pending') keep(key, entry);
      }
      for (const [key, { rule, state, labels, annotations, firedAt = at, unknownSince = at }] of alerts) {
        if (state !== 'firing' || !isForPeople(labels)) continue;
        missingSince.delete(key);
        const known = ledger.get(key) ?? { rule, labels, annotations, episodes: [], sent: undefined };
        const entry = { ...known, labels, annotations };
        // the engine keeps it, but nobody knows whether it still holds
        if (at - unknownSince >= unknownHold && ledger.has(key)) keep(key, moved(entry, 'no data', at));
        else keep(key, firing(entry, firedAt, at, isInhibited(labels)));
      }
      return after;
    },
  };
}

/** Whether an alert has changed in what must survive a crash. */
export function hasChanged(before: Entry | undefined, after: Entry): boolean {
  if (before === undefined || before.sent !== after.sent || before.episodes.length !== after.episodes.length)
    return true;
  return after.episodes.some((episode, i) => {
    const known = before.episodes[i];
    return known?.state !== episode.state || known.dueSince !== episode.dueSince;
  });
}
