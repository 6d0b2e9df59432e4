import { type DeniedFeature, deniedCount } from '../../alerting/alerts/rule.ts';
import { StoreError } from '../../analyzer/history/history-file.ts';
import type { BlockedFeature } from '../../analyzer/history/recorded-blocked.ts';
import type { RecordedDemand } from '../../analyzer/history/recorded-demand.ts';
import type { DeniedSeries, RecordedDenials } from '../../analyzer/history/recorded-denials.ts';
import { seriesKey } from '../../analyzer/history/series-table.ts';
import { parseVendorLicense } from '../../base/model/vendor-license.ts';
import { type WaitedPeople, waitedPeople } from '../../base/people.ts';
import type { DeniedRequests } from '../../exporter/metrics/own-state.ts';
import type { Owns } from '../../insight/advice/pass/recorded-demand-source.ts';
import type { DeniedToday } from '../../site/pages/denied.ts';
import type { PageContext } from '../../site/pages/page.ts';
import type { Known } from '../../site/pages/wording.ts';
import type { FormerName } from '../config/effects/site-names.ts';

/** What an analyzer in this process has recorded, by the names of vendor licenses that the metrics and pages have. */

/** The name of a vendor license outside of the history. */
const nameOf = (vendorLicense: string): string => parseVendorLicense(vendorLicense).vendorLicense;

/** What of a feature was imported, for its page. While the history cannot be read, nothing is. */
export function importedOf(recorded: RecordedDemand | undefined): PageContext['imported'] {
  if (recorded === undefined) return () => [];
  return (vendorLicense, feature) => {
    try {
      return recorded
        .series()
        .filter((series) => series.feature === feature && nameOf(series.vendorLicense) === vendorLicense)
        .flatMap(recorded.imported);
    } catch (error) {
      if (error instanceof StoreError) return [];
      throw error;
    }
  };
}

/** The features that were recorded; `undefined` while the history cannot be read. */
export function recordedNames(recorded: Pick<RecordedDemand, 'series'> | undefined): readonly FormerName[] | undefined {
  try {
    return recorded?.series() ?? [];
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

/** @param owns what is selected, and of this shard */
export function* deniedRequests(denials: RecordedDenials, owns: Owns): Generator<DeniedRequests> {
  for (const {
    vendorLicense: name,
    feature,
    package: packageName,
    featureType,
    cause = '',
    count,
  } of denials.sinceStart()) {
    const vendorLicense = nameOf(name);
    const labels = { vendor_license: vendorLicense, feature, package: packageName, feature_type: featureType, cause };
    if (owns({ vendorLicense, feature, package: packageName, featureType })) yield { labels, count };
  }
}

/** What was denied of something, and to whom. */
interface Denied {
  readonly denials: number;
  readonly waited: WaitedPeople | undefined;
}

/** Sums of the series that have one name. @param waiting those who wait now; none for a past day */
function summed<T>(
  series: readonly DeniedSeries[],
  waiting: Iterable<BlockedFeature>,
  nameOfOne: (one: DeniedSeries) => T,
): readonly (T & Denied)[] {
  const nowOf = new Map(Iterator.from(waiting).map((one) => [seriesKey(one), one]));
  const groups = Map.groupBy(series, (one) => JSON.stringify(nameOfOne(one)));
  return [...groups.values()].map((group) => ({
    ...nameOfOne(group[0] as DeniedSeries),
    denials: group.reduce((sum, { denials }) => sum + denials, 0),
    waited: waitedOf(group, nowOf),
  }));
}

/** Undefined unless the people of all series are known; while people wait, they are. */
function waitedOf(
  group: readonly DeniedSeries[],
  nowOf: ReadonlyMap<string, BlockedFeature>,
): WaitedPeople | undefined {
  const waiting = group.flatMap((one) => nowOf.get(seriesKey(one)) ?? []);
  const isWaitedFor = (one: DeniedSeries): boolean => (nowOf.get(seriesKey(one))?.now.length ?? 0) > 0;
  if (group.some((one) => one.waits === undefined && !isWaitedFor(one))) return undefined;
  return waitedPeople(
    group.flatMap(({ waits = [] }) => waits),
    waiting.flatMap(({ now }) => now),
    waiting.find(({ elsewhere }) => elsewhere !== undefined)?.elsewhere,
  );
}

/** By feature. */
export async function deniedToday(
  { denials, blocked }: Pick<RecordedDemand, 'denials' | 'blocked'>,
  owns: Owns,
): Promise<Known<DeniedToday>> {
  let series: readonly DeniedSeries[];
  try {
    ({ series } = await denials.today());
  } catch (error) {
    if (error instanceof StoreError) return { reason: error.message };
    throw error;
  }
  const own = series.filter((one) => owns({ ...one, vendorLicense: nameOf(one.vendorLicense) }));
  const features = summed(own, blocked.now(), ({ vendorLicense, feature }) => ({
    vendorLicense: nameOf(vendorLicense),
    feature,
  }));
  return { value: { features } };
}

/** By the labels of metrics. */
const byLabels = (series: readonly DeniedSeries[], waiting: Iterable<BlockedFeature>) =>
  summed(series, waiting, ({ vendorLicense, feature, package: packageName, featureType }) => ({
    vendorLicense: nameOf(vendorLicense),
    feature,
    package: packageName,
    featureType,
  }));

/** Of each series the newest day on which people waited, or where they are not known, with denials; else today, if that is known. */
export function newestOf(
  today: readonly DeniedSeries[],
  yesterday: readonly DeniedSeries[],
  waiting: Iterable<BlockedFeature>,
): readonly DeniedFeature[] {
  const keyOf = ({ vendorLicense, feature, package: packageName, featureType }: DeniedFeature): string =>
    seriesKey({ vendorLicense, feature, package: packageName, featureType });
  const newest = new Map<string, DeniedFeature>();
  const add = (one: DeniedFeature): void => void newest.set(keyOf(one), one);
  for (const one of byLabels(today, waiting)) add({ ...one, day: 'today' });
  // a night without requests does not end an alert
  for (const one of byLabels(yesterday, [])) {
    const known: DeniedFeature = { ...one, day: 'yesterday' };
    const later = newest.get(keyOf(known));
    if (deniedCount(known) > 0 && (later === undefined || deniedCount(later) === 0)) add(known);
  }
  return [...newest.values()];
}

/** How old the denials that alerts read may be, seconds. */
const MAX_AGE = 30;

/**
 * The denials of today and of the day before for the alert engine, which cannot wait for the store: those that were read last, and read again when they
 * are old. `undefined` before that, while the history cannot be read, without an analyzer in this process, and where no source reports
 * denials.
 *
 * @param now epoch seconds
 */
export function createDenialWatch(
  recorded: Pick<RecordedDemand, 'denials' | 'blocked'> | undefined,
  owns: Owns,
  now: () => number,
): () => readonly DeniedFeature[] | undefined {
  if (recorded === undefined) return () => undefined;
  let latest: readonly DeniedFeature[] | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<void> => {
    try {
      const [today, yesterday] = await Promise.all([recorded.denials.today(), recorded.denials.yesterday()]);
      const isReported = today.series.length + yesterday.series.length > 0;
      latest = isReported
        ? newestOf(today.series, yesterday.series, recorded.blocked.now()).filter((one) => owns(one))
        : undefined;
    } catch {
      // the page of a feature says why
      latest = undefined;
    }
  };
  return () => {
    const at = now();
    if (at < readAt || at - readAt >= MAX_AGE) {
      readAt = at;
      void read();
    }
    return latest;
  };
}
