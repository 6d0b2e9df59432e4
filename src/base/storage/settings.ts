import { text } from '../settings/values.ts';

/** `storage.path`: where state is kept. */
export const storagePath = text
  .optional()
  .meta({ restart: 'with-analyzer', shownDefault: '`$STATE_DIRECTORY`, which systemd sets' })
  .describe(
    'Directory for data that survives restarts: the count of logons, the alerts, the advice on the number of licenses, and the history of the embedded analyzer. Only one process can use it.',
  );
