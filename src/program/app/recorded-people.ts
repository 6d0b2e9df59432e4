import { StoreError } from '../../analyzer/history/history-file.ts';
import type { RecordedBlocked } from '../../analyzer/history/recorded-blocked.ts';
import type { RecordedDemand } from '../../analyzer/history/recorded-demand.ts';
import type { DeniedDay } from '../../analyzer/history/recorded-denials.ts';
import type { WaitedDay } from '../../analyzer/history/recorded-waits.ts';
import type { Series } from '../../analyzer/history/sample.ts';
import { seriesKey } from '../../analyzer/history/series-table.ts';
import { parseVendorLicense } from '../../base/model/vendor-license.ts';
import type { PeopleMetrics } from '../../exporter/metrics/own-state.ts';
import type { Owns } from '../../insight/advice/pass/recorded-demand-source.ts';
import type { ReadWaits } from '../../site/grafana/answers/backend.ts';

/** The people who wait, and who waited, by the labels of metrics. */

type Labels = Readonly<Record<string, string>>;

/** Sums of figures with the same labels. */
class Sums {
  readonly #sums = new Map<string, { readonly labels: Labels; readonly value: number }>();

  add(labels: Labels, value: number): void {
    const key = JSON.stringify(Object.values(labels));
    this.#sums.set(key, { labels, value: value + (this.#sums.get(key)?.value ?? 0) });
  }

  *rows(): Generator<readonly [Labels, number], void> {
    for (const { labels, value } of this.#sums.values()) yield [labels, value];
  }
}

/** The same history, of which people are not known. */
export function withoutPeople(recorded: RecordedDemand): RecordedDemand {
  const { denials } = recorded;
  const asRequests = async (day: Promise<DeniedDay>): Promise<DeniedDay> => ({
    series: (await day).series.map((one) => ({ ...one, waits: undefined })),
  });
  return {
    ...recorded,
    waits: () => [],
    waitedDays: async () => [],
    blocked: { now: () => [], sinceStart: () => [] },
    reclaimable: { now: () => [] },
    denials: {
      ...denials,
      today: () => asRequests(denials.today()),
      yesterday: () => asRequests(denials.yesterday()),
    },
  };
}

/** @param owns what is selected, and of this shard */
export function peopleMetrics(blocked: RecordedBlocked, owns: Owns): PeopleMetrics {
  const labelsOf = (series: Series): Labels | undefined => {
    const { vendorLicense } = parseVendorLicense(series.vendorLicense);
    const isOwn = owns({ ...series, vendorLicense });
    return isOwn ? { vendor_license: vendorLicense, feature: series.feature } : undefined;
  };
  const [now, episodes, seconds] = [new Sums(), new Sums(), new Sums()];
  for (const { now: waiting, ...series } of blocked.now()) {
    const labels = labelsOf(series);
    if (labels !== undefined) for (const { cause, people } of waiting) now.add({ ...labels, cause }, people);
  }
  for (const { cause, ended, ...waits } of blocked.sinceStart()) {
    const labels = labelsOf(waits);
    if (labels === undefined) continue;
    episodes.add({ ...labels, cause, ended }, waits.episodes);
    seconds.add({ ...labels, cause }, waits.seconds);
  }
  return { now: now.rows(), episodes: episodes.rows(), seconds: seconds.rows() };
}

const nameOf = ({ vendorLicense }: Series): string => parseVendorLicense(vendorLicense).vendorLicense;

/**
 * The people who waited, by day, for Grafana.
 *
 * @param recorded undefined without an analyzer in this process
 * @param isOn whether the people may be known
 * @param owns what is selected, and of this shard
 */
export function readWaits(recorded: RecordedDemand | undefined, isOn: boolean, owns: Owns): ReadWaits {
  if (!isOn) return async () => ({ reason: '`people` is off' });
  if (recorded === undefined) return async () => ({ reason: 'an analyzer in another process does not tell it' });
  return async (from, to, isAskedFor) => {
    let days: readonly WaitedDay[];
    const isOwn = (series: Series): boolean => {
      const named = { ...series, vendorLicense: nameOf(series) };
      return isAskedFor(named) && owns(named);
    };
    try {
      days = await recorded.waitedDays(from, to, isOwn);
    } catch (error) {
      if (error instanceof StoreError) return { reason: error.message };
      throw error;
    }
    const known = new Map([...recorded.blocked.now()].map((one) => [seriesKey(one), one]));
    return days.map((one) => {
      const { day, waits } = one;
      const blocked = known.get(seriesKey(one));
      const { now, elsewhere } = blocked?.day === day ? blocked : {};
      return { vendorLicense: nameOf(one), feature: one.feature, package: one.package, day, waits, now, elsewhere };
    });
  };
}
