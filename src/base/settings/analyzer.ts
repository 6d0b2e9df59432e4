import { z } from 'zod';
import type { ClientTls } from '../model/client-tls.ts';
import { baseUrl } from './addresses.ts';
import { clientTls } from './client-tls.ts';
import type { Secret } from './secret.ts';
import { listOf } from './structures.ts';
import type { SectionOf } from './table.ts';
import { anyText, duration, integer, size, text } from './values.ts';

/** The analyzer that is polled, and the account for it. */
export const analyzer = z
  .strictObject({
    url: baseUrl('https://lic.example.com:8443/analyzer', 'set username and password_file')
      .optional()
      .describe('Base URL of the Query API, for example `https://lic.example.com:8443/analyzer`.'),
    name: text.optional().meta({
      description:
        'Name of the analyzer, the label `analyzer` of alerts. Replicas of the exporter that poll the same analyzer must use the same name.',
      shownDefault: 'host and port of `analyzer.url`, or `embedded@` and the host name for the embedded analyzer',
    }),
    username: text.optional().describe('Account, as `name` or `DOMAIN\\name`.'),
    domain: anyText.prefault('').describe('NetBIOS domain of the account.'),
    workstation: anyText.prefault('').describe('Workstation name sent with the logon.'),
    password: anyText.optional().meta({
      description:
        'Password. If neither it nor `analyzer.password_file` is set, `$CREDENTIALS_DIRECTORY/analyzer-password` is read.',
      secret: true,
    }),
    password_file: text.optional().describe('File that holds the password. It is read again when it changes.'),
    auth_retry: duration(1)
      .prefault('30m')
      .describe(
        'How long to wait after a rejected logon before the next one, plus one minute. While `analyzer.max_failed_logons` leaves a logon, a corrected password is tried at once, and one that was accepted within 24 hours once more after a minute.',
      ),
    max_failed_logons: integer(1, 100)
      .prefault(2)
      .describe(
        'Maximum number of logons that are rejected or get no verdict within `analyzer.auth_retry` plus one minute. Keep it below the lockout threshold of the account.',
      ),
    logon_file: text.optional().meta({
      description:
        'File with the count of logons. It survives restarts. Instances on one host with the same account must share it.',
      shownDefault: '`logons.db` in `storage.path`',
    }),
    timeout: duration(0.1, 3600).prefault('30s').describe('Timeout of a request.'),
    max_response_size: size(1024, 2 ** 31)
      .prefault('256MiB')
      .describe('Maximum size of a response. Responses over 512MiB cannot be decoded.'),
    max_chart_size: size(1024, 2 ** 31)
      .prefault('32MiB')
      .describe('Maximum size of a chart response: GetHistory, GetHistoryReserved, GetEfficiency and GetHeatMap.'),
    concurrency: integer(1, 256).prefault(8).describe('Maximum number of concurrent requests and connections.'),
    absent_fields: listOf(text)
      .prefault([])
      .describe(
        'Fields that the analyzer does not have, each as `Endpoint.Field`, for example `GetFeatures.MaxQueued`. They are not reported as missing.',
      ),
    tls: clientTls('the host of the URL'),
  })
  .describe('The analyzer to poll.');

/** The analyzer to poll. Durations are seconds, sizes bytes. */
export interface AnalyzerConfig extends Omit<SectionOf<typeof analyzer>, 'url' | 'username' | 'password' | 'tls'> {
  readonly url: string;
  /** Without its domain. */
  readonly username: string;
  readonly password: Secret;
  /** The file of the password, so that it can be read again. */
  readonly passwordFile: string | undefined;
  /** Whether it runs in this process, with credentials that are generated for each run. */
  readonly isOfDemo: boolean;
  readonly tls: ClientTls<Secret>;
}
