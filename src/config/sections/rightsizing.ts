import { z } from 'zod';
import { boolean, integer, scheduleNeverOff, text } from '../../settings/values.ts';
import { workingTime } from '../working-time.ts';

export const rightsizing = z
  .strictObject({
    enabled: boolean
      .prefault(true)
      .describe('Whether advice on the number of licenses is computed from the recorded history, once a night.'),
    schedule: scheduleNeverOff('cannot be off; set rightsizing.enabled to false instead')
      .prefault('20 0 * * *')
      .describe(
        'When it is computed: a cron expression in the time zone of the analyzer. It should be soon after midnight: the advice is based on the days before.',
      ),
    tolerance: integer(0, 8760)
      .prefault(4)
      .describe('Hours a year for which the number of licenses that is needed may be exceeded.'),
    working_time: workingTime
      .prefault('Mon-Fri 08-18')
      .describe(
        'Days of the week and hours of the clock in which people work, for example `Mon-Thu,Sat 07-19`. The second hour is the first one after work.',
      ),
    max_features: integer(1, 1_000_000)
      .prefault(2000)
      .describe(
        'Maximum number of features for which the history is requested from an analyzer outside this process: 3 requests for each. The first ones by name are taken, the others get no advice.',
      ),
    price_file: text
      .optional()
      .describe(
        'File with prices of licenses: CSV with a header, YAML or JSON, see [Prices](rightsizing.md#prices). It is read again when it changes.',
      ),
  })
  .describe('Advice on the number of licenses.');
