import { z } from 'zod';
import type { ClientTls } from '../../base/model/client-tls.ts';
import { type DatabaseAddress, databaseUrl, schemaName } from '../../base/settings/addresses.ts';
import { clientTls } from '../../base/settings/client-tls.ts';
import type { Secret } from '../../base/settings/secret.ts';
import { text } from '../../base/settings/values.ts';

/** The database that keeps the history too. */
export const archive = z
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
  .describe('An archive of the history, for other programs and for a new machine.');

/** A database that keeps the history of the embedded analyzer too. The password stays in its file, which is read for each connection. */
export interface ArchiveConfig extends DatabaseAddress {
  readonly passwordFile: string | undefined;
  readonly schema: string;
  /** The name of the analyzer, under which the archive keeps the history. */
  readonly name: string;
  readonly tls: ClientTls<Secret>;
}
