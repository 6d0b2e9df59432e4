import { z } from 'zod';
import { listenAddress } from '../addresses.ts';
import { duration, integer, oneOf, size, text, timeZone } from '../values.ts';

const DAY = 86_400;
const CENTURY = 100 * 365 * DAY;

export const embeddedAnalyzer = z
  .strictObject({
    listen_address: listenAddress
      .prefault('127.0.0.1:10320')
      .describe('Where the embedded analyzer of `analyzer` and `demo` listens.'),
    domain: text.prefault('ANALYZER').describe('NetBIOS domain of its users.'),
    users_file: text
      .optional()
      .describe(
        'Its users, a line each as `license-exporter analyzer hash-password` prints it. Read again on SIGHUP. `demo` makes a user of its own.',
      ),
    tls: z.strictObject({
      cert_file: text.optional().describe('Its certificate; with one it speaks HTTPS.'),
      key_file: text.optional().describe('Key of its certificate.'),
    }),
    channel_binding: oneOf('off', 'allow', 'require')
      .prefault('allow')
      .describe(
        'Whether a logon over TLS must be bound to its certificate: `allow` refuses a logon that is bound to another one, `require` also one that is bound to none.',
      ),
    limits: z.strictObject({
      connections: integer(1, 65_535)
        .prefault(256)
        .describe('Connections it takes at once, up to a quarter of them from one address (IPv6: from one /64).'),
      requests_per_second: integer(1, 1_000_000)
        .prefault(1000)
        .describe(
          'Requests it answers per second and address (IPv6: /64), on average over 5 seconds; more get status 429.',
        ),
      request_timeout: duration(1, 3600)
        .prefault('30s')
        .describe(
          'How long a client may take to send its request, and may leave its answer untouched; three times as long an answer may take to be made.',
        ),
    }),
    collection_interval: duration(1, 3600).prefault('300s').meta({
      description: 'How often the embedded analyzer collects.',
      shownDefault: '`60s` in `demo`, else `300s`',
    }),
    time_zone: timeZone.optional().meta({
      description: 'Time zone of its calendar, and of the simulated site.',
      shownDefault: "the system's",
    }),
    retention: z.strictObject({
      samples: duration(DAY, CENTURY).prefault('30d').describe('How long every sample is kept.'),
      history: duration(DAY, CENTURY).prefault('5y').describe('How long hours and days are kept.'),
    }),
    store_max_size: size(64 * 1024, 2 ** 46)
      .prefault('64GiB')
      .describe(
        'The file of the history does not grow beyond this, nor history in memory beyond 1GiB; when it is full, nothing more is recorded and the log says so.',
      ),
    site: z.strictObject({
      seed: integer(0, 2 ** 31)
        .prefault(1)
        .describe('Seed of the simulated site.'),
      vendor_licenses: integer(1, 1000).prefault(10).describe('Vendor licenses of the simulated site.'),
      features: integer(1, 5000).prefault(20).describe('Features of each vendor license of the simulated site.'),
      history_days: integer(0, 3650)
        .prefault(400)
        .describe('Days of history the simulated site begins with; fewer where it has more than 2,000 features.'),
      knowledge: oneOf('full', 'flexnet')
        .prefault('full')
        .describe(
          'What is known of the simulated site: `full` is everything; `flexnet` is what `lmstat -a` tells without license and options files, and the rest is left out.',
        ),
    }),
  })
  .describe('The embedded analyzer, a server of the Query API.');
