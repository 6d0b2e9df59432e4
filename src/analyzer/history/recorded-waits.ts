import type { EndedWaits } from '../../base/model/observation/observation.ts';
import { waitsWith } from './blocked-table.ts';
import { eachSliced } from './recorded-days.ts';
import type { Series } from './sample.ts';
import type { StoredSeries } from './series-table.ts';
import type { Store } from './store.ts';

/** The people who waited, by day, for readers in the same process. */

/** A recorded day of a series. */
export interface WaitedDay extends Series {
  /** Local day. */
  readonly day: number;
  /** Undefined if the people are not known. */
  readonly waits: readonly EndedWaits[] | undefined;
}

/** Denials by recorded day; undefined where they are not known. */
function denialsOf(store: Store, series: StoredSeries, from: number, to: number): Map<number, number | undefined> {
  const days = new Map<number, number | undefined>();
  const { day: sealed, denials } = store.sealedColumns(series, to);
  for (const [i, day] of sealed.entries()) {
    const known = denials[i] as number;
    if (day >= from) days.set(day, Number.isNaN(known) ? undefined : known);
  }
  const extent = store.days([series]) ?? { first: 0, last: -1 };
  const [first, end] = [Math.max(from, extent.first, store.sealedUntil()), Math.min(to, extent.last + 1)];
  for (let day = first; day < end; day += 1) {
    const record = store.read(series, day);
    const samples = record !== undefined && 'samples' in record ? record.samples : [];
    const figures = samples.flatMap((sample) => sample.denials ?? []);
    if (samples.length > 0) days.set(day, figures.length === 0 ? undefined : figures.reduce((a, b) => a + b, 0));
  }
  return days;
}

/**
 * What is recorded of the days from one to before another, by series and day. Of whom nothing was refused, nobody waited.
 *
 * @throws StoreError
 */
export async function waitedDays(
  store: Store,
  from: number,
  to: number,
  isAskedFor: (series: Series) => boolean,
): Promise<readonly WaitedDay[]> {
  const found: WaitedDay[] = [];
  await eachSliced(store.series().filter(isAskedFor), (stored) => {
    const { vendorLicense, feature, package: packageName, featureType } = stored;
    const known = new Map(store.blocked(stored, from, to).map(({ day, waits }) => [day, waits]));
    const denials = denialsOf(store, stored, from, to);
    for (const day of [...new Set([...denials.keys(), ...known.keys()])].sort((a, b) => a - b)) {
      const waits = waitsWith(denials.get(day), known.get(day));
      found.push({ vendorLicense, feature, package: packageName, featureType, day, waits });
    }
  });
  return found;
}
