import { z } from 'zod';
import type { SectionOf } from '../../base/settings/table.ts';
import { boolean, integer, oneOf } from '../../base/settings/values.ts';

const collector = (on: boolean, doc: string) => boolean.prefault(on).describe(doc);

/** Which groups of metrics are shown, and the limit of series. */
export const metrics = z
  .strictObject({
    collectors: z.strictObject({
      alerts: collector(true, 'What the alert engine says of alerts. The rules for Prometheus need it.'),
      borrow: collector(true, 'Borrowed licenses.'),
      reserve: collector(true, 'Reservations.'),
      icons: collector(false, 'Icon names reported by GetProducts.'),
      log: collector(false, 'Logarithms reported by the API.'),
      activity: collector(false, 'Counts of active and inactive checkouts.'),
      token: collector(false, 'Token costs.'),
      users: collector(false, 'Whether user records are available.'),
      history: collector(false, 'Newest point of GetHistory, for the features under `history.features`.'),
      rightsizing: collector(true, 'Licenses needed, and when they run out.'),
    }),
    usage_when_not_current: oneOf('withhold', 'export')
      .prefault('withhold')
      .describe(
        'Whether to export the usage of a vendor license that is not current: `withhold` or `export`. The analyzer keeps reporting its last counts.',
      ),
    max_series: integer(1).prefault(500_000).describe('Maximum number of series with API data.'),
  })
  .describe('The content of `/metrics`.');

/** What is on `/metrics`. */
export type MetricsSection = SectionOf<typeof metrics>;
