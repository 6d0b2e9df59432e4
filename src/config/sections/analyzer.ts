import { z } from 'zod';
import { baseUrl } from '../addresses.ts';
import { anyText, boolean, duration, integer, size, text } from '../values.ts';

export const analyzer = z
  .strictObject({
    url: baseUrl('https://lic.example.com:8443/analyzer', 'set username and password_file')
      .optional()
      .describe('Base URL of the Query API, for instance `https://lic.example.com:8443/analyzer`.'),
    username: text.optional().describe('Account, as `name` or `DOMAIN\\name`.'),
    domain: anyText.prefault('').describe('NetBIOS domain of the account.'),
    workstation: anyText.prefault('').describe('Workstation name sent with the logon.'),
    password: anyText.optional().meta({
      description: 'Password; `$CREDENTIALS_DIRECTORY/analyzer-password` is read too.',
      secret: true,
    }),
    password_file: text.optional().describe('File that holds the password. It is read again when it changes.'),
    auth_retry: duration(1)
      .prefault('30m')
      .describe('How long no logon is sent after a rejected one, and a minute more, unless the credentials change.'),
    max_failed_logons: integer(1, 100)
      .prefault(2)
      .describe(
        'Logons that may be rejected, or get no verdict, within `analyzer.auth_retry` and a minute: below the lockout threshold of the account.',
      ),
    logon_file: text.optional().meta({
      description:
        'File that counts logons, over restarts and for all processes that use it. Instances with the same account on one host share one.',
      shownDefault: '`logons.db` in `storage.path`',
    }),
    timeout: duration(0.1, 3600).prefault('30s').describe('How long one request may take.'),
    max_response_size: size(1024, 2 ** 31)
      .prefault('256MiB')
      .describe('Answers larger than this are given up. More than 512MiB cannot be decoded.'),
    max_chart_size: size(1024, 2 ** 31)
      .prefault('32MiB')
      .describe('The same for charts: GetHistory, GetHistoryReserved, GetEfficiency and GetHeatMap.'),
    concurrency: integer(1, 256).prefault(8).describe('Requests, and so connections, at once.'),
    tls: z.strictObject({
      ca_file: text.optional().describe('Certificates of the authorities to trust, instead of the well-known ones.'),
      cert_file: text.optional().describe('Client certificate.'),
      key_file: text.optional().describe('Key of the client certificate.'),
      server_name: text.optional().describe('Name expected in the certificate, instead of the host of the URL.'),
      insecure_skip_verify: boolean.prefault(false).describe('Accepts any certificate. For tests only.'),
    }),
  })
  .describe('The analyzer to poll.');
