import type { Labels } from '../../src/alerting/alerts/alert.ts';
import { keyOf } from '../support/routed-messages.ts';
import { localTime } from './company.ts';
import type { Firing, Watched } from './firing.ts';

/** How many messages people get, when, and because of what. */

const HOUR = 3600;
/** Messages of a day that are too many. */
const MANY = 3;
/** Local hours of a working day: the digest at 7:00 is in them. */
export const WORKING = { from: 7, to: 18 } as const;

interface Count {
  readonly messages: number;
  /** Those that say nothing new. */
  readonly repeats: number;
}

export interface MessageFigures extends Count {
  /** In the mean. */
  readonly perDay: number;
  readonly worstDay: number;
  /** Days with more than three. */
  readonly busyDays: number;
  /** Outside of working hours: Monday to Friday, 7:00 to 18:00. */
  readonly outside: number;
  /** By the name of the alert that is the newest reason of a message, the most messages first. */
  readonly byAlert: ReadonlyMap<string, Count>;
}

/** A message, and why it was sent. */
interface Reasoned {
  readonly at: number;
  readonly alertname: string;
  readonly isRepeat: boolean;
}

/** What a message says of an alert, and since when that is so. */
interface Said {
  readonly labels: Labels;
  readonly is: 'firing' | 'resolved';
  readonly since: number;
}

/** Why each message was sent: the newest of what its receiver had not been told. */
function reasonsOf({ firings, messages }: Watched): Reasoned[] {
  const byKey = Map.groupBy(firings, ({ labels }) => keyOf(labels));
  const newest = (labels: Labels, hasHappened: (one: Firing) => boolean): Firing | undefined =>
    byKey.get(keyOf(labels))?.findLast(hasHappened);
  /** The last that was said of each alert to each receiver. */
  const told = new Map<string, { readonly at: number; readonly is: Said['is'] }>();
  return messages
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, receiver, firing, resolved }) => {
      const said: Said[] = [
        ...resolved.map(
          (labels): Said => ({ labels, is: 'resolved', since: newest(labels, ({ to }) => to <= at)?.to ?? at }),
        ),
        ...firing.map(
          (labels): Said => ({ labels, is: 'firing', since: newest(labels, ({ from }) => from <= at)?.from ?? at }),
        ),
      ];
      const news = said.filter(({ labels, is, since }) => {
        const last = told.get(`${receiver} ${keyOf(labels)}`);
        return last === undefined || last.is !== is || last.at < since;
      });
      for (const { labels, is } of said) told.set(`${receiver} ${keyOf(labels)}`, { at, is });
      const isRepeat = news.length === 0;
      const reason = (isRepeat ? said : news).reduce((a, b) => (b.since > a.since ? b : a));
      return { at, alertname: reason.labels.alertname ?? '', isRepeat };
    });
}

const countOf = (all: readonly Reasoned[]): Count => ({
  messages: all.length,
  repeats: all.filter(({ isRepeat }) => isRepeat).length,
});

function isInWorkingHours(at: number): boolean {
  const day = localTime.dayOf(at);
  // the first day of 1970 was a Thursday
  const weekday = (day + 4) % 7;
  const hour = (at - localTime.startOf(day)) / HOUR;
  return weekday >= 1 && weekday <= 5 && hour >= WORKING.from && hour < WORKING.to;
}

/** @param days that were watched */
export function messageFigures(watched: Watched, days: number): MessageFigures {
  const all = reasonsOf(watched);
  const perDay = [...Map.groupBy(all, ({ at }) => localTime.dayOf(at)).values()].map(({ length }) => length);
  const byAlert = [...Map.groupBy(all, ({ alertname }) => alertname)].map(
    ([name, some]) => [name, countOf(some)] as const,
  );
  return {
    ...countOf(all),
    perDay: all.length / days,
    worstDay: Math.max(0, ...perDay),
    busyDays: perDay.filter((count) => count > MANY).length,
    outside: all.filter(({ at }) => !isInWorkingHours(at)).length,
    byAlert: new Map(byAlert.sort(([, a], [, b]) => b.messages - a.messages)),
  };
}
