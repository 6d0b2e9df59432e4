import type { DeniedFeature } from '../../alerting/alerts/rule.ts';
import { StoreError } from '../../analyzer/history/history-file.ts';
import type { RecordedDemand } from '../../analyzer/history/recorded-demand.ts';
import type { DeniedSeries, RecordedDenials } from '../../analyzer/history/recorded-denials.ts';
import { parseVendorLicense } from '../../base/model/vendor-license.ts';
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

/** By feature. */
export async function deniedToday(
  { denials }: Pick<RecordedDemand, 'denials'>,
  owns: Owns,
): Promise<Known<DeniedToday>> {
  let series: readonly DeniedSeries[];
  try {
    ({ series } = await denials.today());
  } catch (error) {
    if (error instanceof StoreError) return { reason: error.message };
    throw error;
  }
  const sums = new Map<string, DeniedToday['features'][number]>();
  for (const { denials: more, ...one } of series) {
    const vendorLicense = nameOf(one.vendorLicense);
    const { feature } = one;
    if (!owns({ ...one, vendorLicense })) continue;
    const key = JSON.stringify([vendorLicense, feature]);
    sums.set(key, { vendorLicense, feature, denials: (sums.get(key)?.denials ?? 0) + more });
  }
  return { value: { features: [...sums.values()] } };
}

/** Sums of series that are one by the names of metrics, by their labels. */
function summed(series: readonly DeniedSeries[]): ReadonlyMap<string, DeniedSeries> {
  const sums = new Map<string, DeniedSeries>();
  for (const { vendorLicense: name, denials, ...rest } of series) {
    const labels = { vendorLicense: nameOf(name), ...rest };
    const key = JSON.stringify(Object.values(labels));
    sums.set(key, { ...labels, denials: denials + (sums.get(key)?.denials ?? 0) });
  }
  return sums;
}

/** Of each series the newest day with denials. Without one, it is today, if that is known. */
export function newestOf(today: readonly DeniedSeries[], yesterday: readonly DeniedSeries[]): readonly DeniedFeature[] {
  const newest = new Map<string, DeniedFeature>();
  for (const [key, one] of summed(today)) newest.set(key, { ...one, day: 'today' });
  // a night without requests does not end an alert
  for (const [key, one] of summed(yesterday)) {
    if (one.denials > 0 && (newest.get(key)?.denials ?? 0) === 0) newest.set(key, { ...one, day: 'yesterday' });
  }
  return [...newest.values()];
}

/** How old the denials that alerts read may be, seconds. */
const MAX_AGE = 30;

/**
 * The denials of today and of the day before for the alert engine, which cannot wait for the store: those that were read last, and read again when they
 * are old. `undefined` before that, while the history cannot be read, and without an analyzer in this process.
 *
 * @param now epoch seconds
 */
export function createDenialWatch(
  recorded: Pick<RecordedDemand, 'denials'> | undefined,
  owns: Owns,
  now: () => number,
): () => readonly DeniedFeature[] | undefined {
  if (recorded === undefined) return () => undefined;
  let latest: readonly DeniedFeature[] | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<void> => {
    try {
      const [today, yesterday] = await Promise.all([recorded.denials.today(), recorded.denials.yesterday()]);
      latest = newestOf(today.series, yesterday.series).filter((one) => owns(one));
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
