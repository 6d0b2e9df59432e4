/** Series that Prometheus scrapes from an exporter, by minute. */

/** A value by minute; `undefined` is no sample, and ends the series as a failed scrape does. */
export type ValueOf = number | ((minute: number) => number | undefined);

/** Series of one exporter by selector without job and instance, for example `license_poll_success{endpoint="GetProducts"}`. */
export type SeriesOf = Readonly<Record<string, ValueOf>>;

/** The value at a minute. */
export const valueAt = (value: ValueOf, minute: number): number | undefined =>
  typeof value === 'number' ? value : value(minute);

/** What every exporter serves that is well. */
export const wellSeries: SeriesOf = {
  'license_exporter_build_info{version="1.0.0"}': 1,
  license_exporter_time_seconds: (minute) => minute * 60,
  license_alerts_evaluated_timestamp_seconds: (minute) => minute * 60,
  license_upstream_authenticated: 1,
  license_exporter_shards: 1,
};

/** Whether a minute is one of these, both ends included. */
export const during =
  (from: number, to: number) =>
  (minute: number): boolean =>
    minute >= from && minute <= to;
