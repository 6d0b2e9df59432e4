import { z } from 'zod';
import { listOf, mapOf, strictListOf } from '../structures.ts';
import { anyText, autoOr, duration, integer, oneOf, regularExpression, schedule, text } from '../values.ts';

export const poll = z
  .strictObject({
    products: schedule
      .prefault('* * * * *')
      .describe('When GetProducts is polled: cron with five fields, or six with seconds first.'),
    server_down: schedule
      .prefault('* * * * *')
      .describe(
        'When GetServerDown is polled; `off` for never, here and in the four below. Without it servers that are down are not seen.',
      ),
    concurrent_users: schedule.prefault('* * * * *').describe('When GetConcurrentUsers is polled, or `off`.'),
    features: schedule.prefault('*/5 * * * *').describe('When GetFeatures is polled, or `off`.'),
    expirations: schedule.prefault('7 * * * *').describe('When GetExpirationFeatures is polled, or `off`.'),
    history: schedule
      .prefault('17 * * * *')
      .describe('When GetHistory is polled, for the features under `history.features`, or `off`.'),
    max_data_age: autoOr(duration(1))
      .prefault('auto')
      .describe(
        'Data older than this is not exported; `auto` is 3 × the interval of the endpoint, at least 5 minutes.',
      ),
    start_offset: autoOr(duration(0, 3600))
      .prefault('auto')
      .describe('How long each scheduled poll is put off; `auto` spreads shards over 10 seconds.'),
  })
  .describe('When each endpoint is polled.');

export const features = z
  .strictObject({
    request: oneOf('auto', 'all', 'per_vendor_license')
      .prefault('auto')
      .describe(
        'How GetFeatures is asked: `all` vendor licenses in one request, one request `per_vendor_license`, or `auto`: all, until the server proves not to be up to it.',
      ),
  })
  .describe('How features are asked for.');

export const select = z
  .strictObject({
    include: listOf(regularExpression)
      .prefault([])
      .describe('Regular expressions; only vendor licenses that match one are looked after. Empty: all.'),
    exclude: listOf(regularExpression)
      .prefault([])
      .describe('Regular expressions; vendor licenses and features that match one are left out.'),
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

export const history = z
  .strictObject({
    features: strictListOf(historyFeature).prefault([]).meta({
      description:
        'Features whose GetHistory is polled when the collector `history` is on: entries with `vendor_license`, `feature`, and where needed `package` and `feature_type`.',
      fileOnly: true,
    }),
  })
  .describe('Features whose history is polled.');

export const expiration = z
  .strictObject({
    search: oneOf('none', '0', '1', '2')
      .prefault(2)
      .describe(
        'Search level sent to GetExpirationFeatures: 0 features, 1 packages too, 2 components too; `none` sends no level.',
      ),
    permanent_after: integer(1).prefault(2_147_483_641).describe('Unix time from which on an expiry means permanent.'),
  })
  .describe('How expiries are asked for and read.');
