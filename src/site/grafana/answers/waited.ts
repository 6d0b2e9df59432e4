import type { BlockedCause, Elsewhere, Ending } from '../../../base/model/observation/observation.ts';
import { causeRemedies, causeTexts, elsewhereText } from '../../../base/people.ts';
import { inTurn } from '../../../base/scheduling/slices.ts';
import type { Backend, WaitedDay } from './backend.ts';
import { featureMatcher } from './feature-answers.ts';
import { withLiteralNames } from './known-data.ts';
import { cell, keyOf, number, text } from './panel-data.ts';
import { type DayRange, dayRange } from './period.ts';
import type { Query } from './query.ts';
import type { Cells } from './table-view.ts';

/** The people who waited for licenses, added up by feature, and columns of them for tables of denials. */

/** Waits of a day for one cause that ended in one way, or have not ended. Without a cause, nobody waited. */
export interface Wait extends Pick<WaitedDay, 'vendorLicense' | 'feature' | 'day' | 'elsewhere'> {
  readonly cause: BlockedCause | undefined;
  readonly ended: Ending | 'waiting' | undefined;
  readonly episodes: number;
  readonly people: number;
  readonly seconds: number;
}

/** The local days of a range up to today, from one to before another. */
export function localDays(
  { from, to }: DayRange,
  { localTime, now }: Pick<Backend, 'localTime' | 'now'>,
): [number, number] {
  const today = localTime.dayOf(now());
  const last = Number.isFinite(to) ? Math.min(localTime.dayOf((to - 1) / 1000), today) : today;
  return [Number.isFinite(from) ? localTime.dayOf(from / 1000) : 0, last + 1];
}

/** The same for one feature, in all of its packages. */
export const featureKey = ({ vendorLicense, feature }: Pick<WaitedDay, 'vendorLicense' | 'feature'>): string =>
  JSON.stringify([vendorLicense, feature]);

/** Of one feature on one day, its packages together. */
export function waitsOf(found: readonly WaitedDay[]): readonly Wait[] {
  const rows = new Map<string, Wait>();
  const add = (wait: Wait): void => {
    const { vendorLicense, feature, day, cause, ended } = wait;
    const key = JSON.stringify([vendorLicense, feature, day, cause, ended]);
    const { episodes, people, seconds } = rows.get(key) ?? { episodes: 0, people: 0, seconds: 0 };
    const sum = { episodes: episodes + wait.episodes, people: people + wait.people, seconds: seconds + wait.seconds };
    rows.set(key, { ...wait, ...sum });
  };
  const days = Map.groupBy(found, ({ vendorLicense, feature, day }) => JSON.stringify([vendorLicense, feature, day]));
  for (const parts of days.values()) {
    let isNobody = parts.every(({ waits }) => waits !== undefined);
    for (const { vendorLicense, feature, day, elsewhere, waits = [], now = [] } of parts) {
      const of = { vendorLicense, feature, day, elsewhere };
      for (const wait of waits) add({ ...of, ...wait });
      for (const { cause, people, fresh, seconds } of now)
        add({ ...of, cause, ended: 'waiting', episodes: people, people: fresh, seconds });
      isNobody &&= waits.length + now.length === 0;
    }
    const [{ vendorLicense, feature, day }] = parts as [WaitedDay];
    const nothing = { cause: undefined, ended: undefined, elsewhere: undefined, episodes: 0, people: 0, seconds: 0 };
    if (isNobody) add({ vendorLicense, feature, day, ...nothing });
  }
  return [...rows.values()];
}

/** With two decimals. */
export const minutesOf = (seconds: number): number => Math.round(seconds / 0.6) / 100;

export const sumOf = (waits: Iterable<Wait>, key: 'episodes' | 'people' | 'seconds'): number =>
  Iterator.from(waits).reduce((sum, wait) => sum + wait[key], 0);

/** What ends waits of a cause, with the vendor license that it speaks of. */
export const remedyOf = (cause: BlockedCause, elsewhere: Elsewhere | undefined): string =>
  cause === 'free_elsewhere' && elsewhere !== undefined
    ? `${causeRemedies[cause]} Last, ${elsewhereText(elsewhere)}.`
    : causeRemedies[cause];

/** The waits of a feature for one cause on all days together. */
export interface Total {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly cause: BlockedCause;
  readonly elsewhere: Elsewhere | undefined;
  readonly episodes: number;
  /** Each once a day. */
  readonly people: number;
  readonly seconds: number;
  /** Those who wait now; undefined if they are not known, or today is not asked for. */
  readonly now: number | undefined;
}

export function totalsOf(found: readonly WaitedDay[]): readonly Total[] {
  const current = Map.groupBy(
    found.filter(({ now }) => now !== undefined),
    featureKey,
  );
  const caused = waitsOf(found).filter((wait): wait is Wait & { cause: BlockedCause } => wait.cause !== undefined);
  return [...Map.groupBy(caused, (wait) => JSON.stringify([featureKey(wait), wait.cause])).values()].map((own) => {
    const [{ vendorLicense, feature, cause }] = own as [Wait & { cause: BlockedCause }];
    const parts = current.get(featureKey({ vendorLicense, feature }));
    const waiting = parts?.flatMap(({ now = [] }) => now.filter((one) => one.cause === cause));
    return {
      vendorLicense,
      feature,
      cause,
      elsewhere: own.findLast(({ elsewhere }) => elsewhere !== undefined)?.elsewhere,
      episodes: sumOf(own, 'episodes'),
      people: sumOf(own, 'people'),
      seconds: sumOf(own, 'seconds'),
      now: waiting?.reduce((sum, { people }) => sum + people, 0),
    };
  });
}

/** Who waited for a feature, for tables of its denials. */
interface Waited {
  readonly people: number;
  readonly seconds: number;
  readonly now: number | undefined;
  /** That of most minutes; undefined if nobody waited. */
  readonly most: Total | undefined;
}

/** By feature, on the days that are known; undefined where nobody waited on these, and others are not known. */
export type WaitedOf = (feature: Pick<WaitedDay, 'vendorLicense' | 'feature'>) => Waited | undefined;

const waitedColumns: Cells<Waited> = [
  [number('People'), ({ people }) => people],
  [number('Minutes waited'), ({ seconds }) => minutesOf(seconds)],
  [number('Waiting now'), ({ now }) => cell(now)],
  [text('Cause'), ({ most }) => cell(most && causeTexts[most.cause])],
  [text('Remedy'), ({ most }) => cell(most && remedyOf(most.cause, most.elsewhere))],
];

/** The columns of people in a table of denials, for those who name them. */
export const waitedCells = <T>(waitedOf: (row: T) => Waited | undefined): Cells<T> =>
  waitedColumns.map(([column, read]) => [
    column,
    (row) => {
      const waited = waitedOf(row);
      return waited === undefined ? null : read(waited);
    },
    'asked',
  ]);

/** Whether a query names one of those columns. */
export const asksWaited = ({ values }: Query): boolean =>
  (values.lists.columns ?? []).some((name) =>
    waitedColumns.some(([column]) => name === column.text || name === keyOf(column.text)),
  );

/** Reads who waited in a range of days. */
export async function readWaited(
  backend: Pick<Backend, 'waits' | 'localTime' | 'now'>,
  days: DayRange,
  isAskedFor: Parameters<Backend['waits']>[2],
): Promise<WaitedOf> {
  const found = await backend.waits(...localDays(days, backend), isAskedFor);
  if ('reason' in found) return () => undefined;
  return inTurn(() => {
    const byFeature = new Map<string, Waited>();
    const isUnknown = ({ waits }: WaitedDay): boolean => waits === undefined;
    const unknown = new Set(found.filter(isUnknown).map(featureKey));
    const known = found.filter((one) => !isUnknown(one));
    const current = Map.groupBy(
      known.filter((one) => one.now !== undefined),
      featureKey,
    );
    const totals = Map.groupBy(totalsOf(known), featureKey);
    for (const key of new Set(known.map(featureKey))) {
      const own = totals.get(key) ?? [];
      // 0 would also say of the days that are not known that nobody waited
      if (own.length === 0 && unknown.has(key)) continue;
      byFeature.set(key, {
        people: own.reduce((sum, { people }) => sum + people, 0),
        seconds: own.reduce((sum, { seconds }) => sum + seconds, 0),
        now: current.get(key)?.reduce((sum, { now = [] }) => now.reduce((all, { people }) => all + people, sum), 0),
        most: own.toSorted((a, b) => b.seconds - a.seconds)[0],
      });
    }
    return (feature) => byFeature.get(featureKey(feature));
  });
}

/** Who waited for the features of a query in its range, if it names a column of it. */
export async function waitedIn(raw: Query, backend: Backend): Promise<WaitedOf | undefined> {
  if (!asksWaited(raw)) return undefined;
  const query = withLiteralNames(raw, backend.inventory());
  const days = dayRange(query.range, backend.now() * 1000, backend.localTime);
  return readWaited(backend, days, featureMatcher(query, query.values.features));
}
