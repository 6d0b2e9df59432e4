import type { LocalTime } from '../../../base/model/local-time.ts';
import { parseVendorLicense } from '../../../base/model/vendor-license.ts';
import type { DayColumns, Demand, DemandColumns, SeriesName } from '../method/demand.ts';
import type { DemandSource, ListedSeries } from './demand-source.ts';
import { type KnownFeatures, keyOf, type Taker } from './known-features.ts';
import { type Hours, type TakingHours, withTakers } from './taken-demand.ts';

/** The store of an analyzer in the same process. Its methods throw errors with a message for the operator. */
export interface RecordedHistory<S extends SeriesName = SeriesName> {
  readonly localTime: LocalTime;
  series(): readonly S[];
  /** Days before this one are complete. */
  sealedUntil(): number;
  totals(series: S, before: number): DayColumns;
  hours(series: S, from: number, to: number): Iterable<DemandColumns>;
  intervalOf(vendorLicense: string): number | undefined;
  pastAdded(): Promise<void>;
  pastDaysLeft(): number | undefined;
}

/** The vendor licenses and features that are reported here, by their canonical names. */
export type Owns = (series: SeriesName) => boolean;

const canonical = <S extends SeriesName>({
  vendorLicense,
  feature,
  package: packageName,
  featureType,
}: S): SeriesName => ({
  vendorLicense: parseVendorLicense(vendorLicense).vendorLicense,
  feature,
  package: packageName,
  featureType,
});

/** Reads what an analyzer in the same process has recorded. */
export function createRecordedSource<S extends SeriesName>(history: RecordedHistory<S>, owns: Owns): DemandSource {
  /** The recorded series by canonical names. */
  let recorded = new Map<string, readonly S[]>();
  let takersOf: (key: string) => readonly Taker[] = () => [];
  const storedOf = (series: SeriesName): S | undefined => recorded.get(keyOf(series))?.[0];

  const exclusionOf = (known: KnownFeatures, key: string, series: SeriesName): string | undefined => {
    if ((recorded.get(key)?.length ?? 0) > 1) return 'is recorded for several parts of the vendor license';
    const feature = known.features.get(key);
    if (feature !== undefined) return feature.exclusion;
    return isGone(known, key, series) ? 'is not listed any more' : undefined;
  };

  const isGone = (known: KnownFeatures, key: string, series: SeriesName): boolean =>
    !known.features.has(key) && known.isComplete(series.vendorLicense);

  return {
    localTime: history.localTime,
    concurrency: 1,
    readsPast: true,
    readsAll: true,
    ready: () => history.pastAdded(),
    waitsFor: () => {
      const days = history.pastDaysLeft();
      return days === undefined ? undefined : `${days} days of earlier history are still being written`;
    },
    isComplete: (today) => history.sealedUntil() >= today,
    intervalOf: (vendorLicense) => history.intervalOf(vendorLicense),
    list: (known) => {
      const found = new Map<string, S[]>();
      for (const series of history.series()) {
        const key = keyOf(series);
        if (found.has(key)) found.get(key)?.push(series);
        else if (owns(canonical(series))) found.set(key, [series]);
      }
      recorded = found;
      takersOf = (key) => known.features.get(key)?.takers ?? [];
      const items: ListedSeries[] = [];
      for (const [key, [first]] of found) {
        const series = canonical(first as S);
        items.push({ series, exclusion: exclusionOf(known, key, series), isGone: isGone(known, key, series) });
      }
      return { items, leftOut: 0 };
    },
    read: async (series, today, signal) => {
      const stored = storedOf(series);
      if (stored === undefined) throw new Error('it is not recorded any more');
      const hoursOf =
        (of: S): Hours =>
        (from, to) =>
          history.hours(of, from, Math.min(to, today));
      const hours = hoursOf(stored);
      const demand: Demand = { series, days: history.totals(stored, today), detail: { kind: 'hours', hours } };
      const taking = takersOf(keyOf(series)).flatMap(({ series: taker, cost, takes }): TakingHours[] => {
        const of = storedOf(taker);
        return of === undefined ? [] : [{ hours: hoursOf(of), cost, takes }];
      });
      return taking.length === 0 ? demand : withTakers(demand, hours, taking, { today, signal });
    },
  };
}
