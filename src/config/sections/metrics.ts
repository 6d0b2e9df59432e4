import { z } from 'zod';
import { boolean, integer, oneOf } from '../values.ts';

const collector = (on: boolean, doc: string) => boolean.prefault(on).describe(doc);

export const metrics = z
  .strictObject({
    collectors: z.strictObject({
      borrow: collector(true, 'Borrowed licenses.'),
      reserve: collector(true, 'Reservations.'),
      icons: collector(false, 'Icon names of GetProducts.'),
      log: collector(false, 'Logarithms the API reports.'),
      activity: collector(false, 'Counts of active and inactive checkouts.'),
      token: collector(false, 'Token costs.'),
      users: collector(false, 'Whether user records are available.'),
      history: collector(false, 'Newest point of GetHistory of the features under `history.features`.'),
    }),
    usage_when_not_current: oneOf('withhold', 'export')
      .prefault('withhold')
      .describe(
        'What becomes of the usage of a vendor license that is not current: the analyzer keeps reporting its last counts.',
      ),
    max_series: integer(1).prefault(500_000).describe('Series of API data at most.'),
  })
  .describe('What `/metrics` holds.');
