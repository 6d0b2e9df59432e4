import { z } from 'zod';
import { listOf } from '../../base/settings/structures.ts';
import type { SectionOf } from '../../base/settings/table.ts';
import { integer, oneOf, regularExpression } from '../../base/settings/values.ts';

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

/** Which part of the vendor licenses this process monitors, if several share them. */
export const shard = z
  .strictObject({
    index: integer(0, 999).prefault(0).describe('Zero-based number of this shard.'),
    total: integer(1, 1000).prefault(1).describe('Number of shards. Each monitors its own vendor licenses.'),
  })
  .describe('Which share of the vendor licenses this process monitors.');

/** Which vendor licenses and features are exported. */
export type SelectSection = SectionOf<typeof select>;

/** How expiries are requested and interpreted. `permanentAfter` is in epoch seconds. */
export type ExpirationSection = SectionOf<typeof expiration>;

/** Which share of the vendor licenses is monitored. */
export type ShardSection = SectionOf<typeof shard>;
