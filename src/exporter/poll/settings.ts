import { z } from 'zod';
import { listOf, mapOf, strictListOf } from '../../base/settings/structures.ts';
import {
  anyText,
  autoOr,
  duration,
  integer,
  oneOf,
  regularExpression,
  schedule,
  scheduleNeverOff,
  text,
} from '../../base/settings/values.ts';

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

/** Which vendor licenses are monitored. */
export const select = z
  .strictObject({
    include: listOf(regularExpression)
      .prefault([])
      .describe('Regular expressions. Only vendor licenses that match one are monitored. If empty, all are.'),
    exclude: listOf(regularExpression)
      .prefault([])
      .describe('Regular expressions. Vendor licenses and features that match one are excluded.'),
  })
  .describe('Which vendor licenses and features are exported.');

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

/** How GetExpirationFeatures searches. */
export const expiration = z
  .strictObject({
    search: oneOf('none', '0', '1', '2')
      .prefault(2)
      .describe(
        'Search level sent to GetExpirationFeatures: 0 features, 1 also packages, 2 also components, `none` sends no level.',
      ),
    permanent_after: integer(1)
      .prefault(2_147_483_641)
      .describe(
        'An expiry at or after this Unix time means a permanent license. With a time of 32 bits, as by default, an expiry beyond 2147483647 is a date.',
      ),
  })
  .describe('How expiries are requested and interpreted.');
