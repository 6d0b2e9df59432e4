import { z } from 'zod';
import type { AnalyzerConfig } from '../../base/settings/analyzer.ts';
import { mapOf, strictListOf } from '../../base/settings/structures.ts';
import type { SectionOf } from '../../base/settings/table.ts';
import { anyText, autoOr, duration, oneOf, schedule, scheduleNeverOff, text } from '../../base/settings/values.ts';
import type { ExpirationSection, ShardSection } from '../inventory/settings.ts';

/** When each endpoint is polled, and how often it is retried. */
export const poll = z
  .strictObject({
    products: scheduleNeverOff(
      'GetProducts cannot be off: all other endpoints are polled for the vendor licenses that it lists',
    )
      .prefault('* * * * *')
      .describe('When GetProducts is polled: a cron expression with five fields, or with six, starting with seconds.'),
    server_down: schedule
      .prefault('* * * * *')
      .describe('When GetServerDown is polled, or `off`. If it is off, servers that are down are not detected.'),
    concurrent_users: schedule.prefault('* * * * *').describe('When GetConcurrentUsers is polled, or `off`.'),
    features: schedule.prefault('*/5 * * * *').describe('When GetFeatures is polled, or `off`.'),
    expirations: schedule.prefault('7 * * * *').describe('When GetExpirationFeatures is polled, or `off`.'),
    history: schedule
      .prefault('17 * * * *')
      .describe('When GetHistory is polled, for the features under `history.features`, or `off`.'),
    max_data_age: autoOr(duration(1))
      .prefault('auto')
      .describe(
        'Data older than this is not exported. `auto` is 3 × the interval of the endpoint, at least 5 minutes.',
      ),
    start_offset: autoOr(duration(0, 3600))
      .prefault('auto')
      .describe('Delay of each scheduled poll. `auto` spreads the shards over 10 seconds.'),
  })
  .describe('When each endpoint is polled.');

/** How GetFeatures is asked: once, or for each vendor license. */
export const features = z
  .strictObject({
    request: oneOf('auto', 'all', 'per_vendor_license')
      .prefault('auto')
      .describe(
        'How GetFeatures is requested: `all` vendor licenses in one request, `per_vendor_license` in one request each, or `auto`: all at once. If the server cannot answer that, one by one, and all at once again after 15 minutes (then twice as long each time, a day at most). With sources, `auto` is `per_vendor_license`.',
      ),
  })
  .describe('How features are requested.');

/** A feature whose history is polled. */
const historyFeature = mapOf({
  vendor_license: text,
  feature: text,
  package: anyText.prefault(''),
  feature_type: oneOf('feature', 'package', 'component').optional(),
}).transform((entry) => ({
  vendorLicense: entry.vendor_license,
  feature: entry.feature,
  package: entry.package,
  featureType: entry.feature_type ?? '',
}));

/** The features whose denials are polled. */
export const history = z
  .strictObject({
    features: strictListOf(historyFeature).prefault([]).meta({
      description:
        'Features for which GetHistory is polled if the collector `history` is on: entries with `vendor_license`, `feature`, and optionally `package` and `feature_type`.',
      fileOnly: true,
    }),
  })
  .describe('Features whose history is polled.');

/** When each endpoint is polled. Schedules are cron expressions, or `off`; durations are seconds. */
export type PollSection = SectionOf<typeof poll>;

export type FeaturesSection = SectionOf<typeof features>;

/** Features whose history is polled. */
export type HistorySection = SectionOf<typeof history>;

/** What polling reads of the configuration. */
export interface PollingConfig {
  /** Of requests: their timeout in seconds, and how many are sent at once. The deadline of a pass is never shorter. */
  readonly analyzer: Pick<AnalyzerConfig, 'timeout' | 'concurrency'>;
  /** GetProducts is always polled. The delay of scheduled polls is in seconds. */
  readonly poll: Omit<PollSection, 'startOffset'> & { readonly startOffset: number };
  readonly features: FeaturesSection;
  readonly expiration: Pick<ExpirationSection, 'search'>;
  readonly history: HistorySection;
  readonly metrics: { readonly collectors: { readonly history: boolean } };
  /** Data that belongs to no vendor license is reported by shard 0 alone. */
  readonly shard: Pick<ShardSection, 'index'>;
}

/** The features whose history is requested for their denials; empty if denials are not polled. */
export const polledHistory = (config: Pick<PollingConfig, 'metrics' | 'history'>): HistorySection['features'] =>
  config.metrics.collectors.history ? config.history.features : [];
