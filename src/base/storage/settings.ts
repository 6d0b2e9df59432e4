import { z } from 'zod';
import { integer, oneOf, text } from '../settings/values.ts';
import { databaseUrl, schemaName } from '../settings/addresses.ts';
import { clientTls } from '../settings/client-tls.ts';

/** Where state is kept. */
export const storage = z
  .strictObject({
    path: text
      .optional()
      .meta({ restart: 'with-analyzer', shownDefault: '`$STATE_DIRECTORY`, which systemd sets' })
      .describe(
        'Directory for data that survives restarts: the count of logons, the alerts, the advice on the number of licenses, and the history of the embedded analyzer. Only one process can use it.',
      ),
    archive: z
      .strictObject({
        url: databaseUrl
          .optional()
          .meta({ restart: true })
          .describe(
            'PostgreSQL database that keeps the history of the embedded analyzer too, for example `postgresql://licenses@db.example.com/monitoring`. It needs `analyzer.name`. Connections to other hosts use TLS, unless `?sslmode=disable` is added.',
          ),
        password_file: text
          .optional()
          .meta({ restart: true })
          .describe('File that holds the password of its user. It is read for each connection.'),
        schema: schemaName
          .prefault('license_exporter')
          .meta({ restart: true })
          .describe('Schema of its tables. It is created if the user may do that.'),
        tls: clientTls('the host of the URL', { restart: true }),
      })
      .describe('An archive of the history, for other programs and for a new machine.'),
  })
  .describe('Data that survives restarts.');

/** Which part of the vendor licenses this process monitors, if several share them. */
export const shard = z
  .strictObject({
    index: integer(0, 999).prefault(0).describe('Zero-based number of this shard.'),
    total: integer(1, 1000).prefault(1).describe('Number of shards. Each monitors its own vendor licenses.'),
  })
  .describe('Which share of the vendor licenses this process monitors.');

/** What is logged, and in which form. */
export const log = z
  .strictObject({
    level: oneOf('debug', 'info', 'warn', 'error')
      .prefault('info')
      .meta({ restart: true })
      .describe('Lowest level that is logged: `debug`, `info`, `warn` or `error`.'),
    format: oneOf('json', 'logfmt', 'pretty').optional().meta({
      restart: true,
      description: 'Format of the log: `json`, `logfmt` as of Prometheus, or `pretty` for people.',
      shownDefault: '`pretty` on a terminal and in the demo, else `json`',
    }),
  })
  .describe('The log on standard error.');
