/** Series that Prometheus scrapes from an exporter, by minute. */

/** A value by minute; `undefined` is no sample, and ends the series as a failed scrape does. */
export type ValueOf = number | ((minute: number) => number | undefined);

/** Series of one exporter by selector without job and instance, for example `license_server_up{vendor_license="v;d"}`. */
export type SeriesOf = Readonly<Record<string, ValueOf>>;

/** The value at a minute. */
export const valueAt = (value: ValueOf, minute: number): number | undefined =>
  typeof value === 'number' ? value : value(minute);

/** What every exporter serves that is well and has one vendor license, `v;d`. */
export const wellSeries: SeriesOf = {
  license_exporter_config_last_reload_success_timestamp_seconds: 0,
  license_exporter_time_seconds: (minute) => minute * 60,
  license_up: 1,
  license_upstream_authenticated: 1,
  license_exporter_shards: 1,
  'license_data_known{data="vendor_licenses"}': 1,
  'license_poll_records{endpoint="GetProducts"}': 1,
  ...Object.fromEntries(
    ['GetProducts', 'GetServerDown', 'GetFeatures', 'GetExpirationFeatures'].map((endpoint) => [
      `license_poll_success{endpoint="${endpoint}"}`,
      1,
    ]),
  ),
};

/** What an exporter serves about a vendor license that is known completely. Every value can be replaced. */
export const vendorLicense = (name: string, value: ValueOf = 1, owner = ''): SeriesOf => ({
  [`license_vendor_license_info{vendor_license="${name}",server="s",daemon="d",owner="${owner}"}`]: value,
  ...Object.fromEntries(
    ['server', 'collection', 'usage', 'features', 'expirations'].map((data) => [
      `license_vendor_license_data_known{vendor_license="${name}",data="${data}"}`,
      value,
    ]),
  ),
});

/** The labels of a feature. */
export const featureLabels = (feature: string, version = '1', name = 'v;d'): string =>
  `vendor_license="${name}",feature="${feature}",version="${version}",package="",feature_type="feature"`;

/** Values of a feature in its metrics. */
interface FeatureValues {
  readonly inUse?: ValueOf;
  readonly available?: ValueOf;
  readonly queued?: ValueOf;
  readonly expires?: ValueOf;
  /** The sample of its info metric, and so whether it is there. */
  readonly info?: ValueOf;
  readonly owner?: string;
  /** An uncounted feature has no number of licenses. */
  readonly isUncounted?: true;
}

/** What an exporter serves about a feature. It has 1 of 10 licenses in use, and no requests in the queue; a value `undefined` has no samples. */
export function feature(labels: string, values: FeatureValues = {}): SeriesOf {
  const { inUse = 1, available = 10, queued = 0, expires = Number.POSITIVE_INFINITY, info = 1, owner = '' } = values;
  const isUncounted = values.isUncounted === true;
  const present = (value: ValueOf): ValueOf => only((minute) => valueAt(info, minute) !== undefined, value);
  return {
    [`license_feature_info{${labels},${isUncounted ? 'license_type="uncounted",' : ''}owner="${owner}"}`]: info,
    [`license_feature_in_use{${labels}}`]: present(inUse),
    [`license_feature_max_available{${labels}}`]: isUncounted ? () => undefined : present(available),
    [`license_feature_max_queued{${labels}}`]: present(queued),
    [`license_feature_expiration_timestamp_seconds{${labels}}`]: present(expires),
  };
}

/** Whether a minute is one of these, both ends included. */
export const during =
  (from: number, to: number) =>
  (minute: number): boolean =>
    minute >= from && minute <= to;

/** A value in some minutes, and no sample in the others. */
export const only =
  (isThere: (minute: number) => boolean, value: ValueOf): ValueOf =>
  (minute) =>
    isThere(minute) ? valueAt(value, minute) : undefined;

/** Series in some minutes. */
export const onlyWhile = (isThere: (minute: number) => boolean, series: SeriesOf): SeriesOf =>
  Object.fromEntries(Object.entries(series).map(([selector, value]) => [selector, only(isThere, value)]));

/** 0 in these minutes, else 1. */
export const exceptDuring =
  (from: number, to: number): ValueOf =>
  (minute) =>
    Number(!during(from, to)(minute));
