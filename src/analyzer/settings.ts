import { z } from 'zod';
import { listenAddress } from '../base/settings/addresses.ts';
import type { Secret } from '../base/settings/secret.ts';
import { listOf, strictListOf } from '../base/settings/structures.ts';
import type { SectionOf } from '../base/settings/table.ts';
import { boolean, duration, integer, oneOf, size, text, timeZone } from '../base/settings/values.ts';
import type { ArchiveConfig } from './archive/settings.ts';
import { sourceDefaults, sourceEntry } from './sources/settings.ts';
import type { SourceConfig } from './sources/source-settings.ts';

const DAY = 86_400;
const CENTURY = 100 * 365 * DAY;

/** Days that a retention in seconds keeps: one that has begun is kept whole. */
export const keptDays = (retention: number): number => Math.ceil(retention / DAY);

/** The analyzer of this program: where it listens, what it records, and for whom. */
export const embeddedAnalyzer = z
  .strictObject({
    listen_address: listenAddress.optional().meta({
      restart: true,
      description:
        'Address on which the embedded analyzer serves the Query API to other programs. `serve` does not listen there without it.',
      shownDefault: '`127.0.0.1:10320` in `analyzer` and `demo`',
    }),
    domain: text.prefault('ANALYZER').meta({ restart: true }).describe('NetBIOS domain of its users.'),
    users_file: text
      .optional()
      .describe(
        'File with its users. `license-exporter analyzer hash-password NAME --output FILE` writes the line of a user. Read again on SIGHUP. `demo` creates its own user.',
      ),
    tls: z.strictObject({
      cert_file: text
        .optional()
        .meta({ restart: true })
        .describe('Its certificate. If it is set, the analyzer serves HTTPS.'),
      key_file: text.optional().meta({ restart: true }).describe('Private key of its certificate.'),
    }),
    channel_binding: oneOf('off', 'allow', 'require')
      .prefault('allow')
      .meta({ restart: true })
      .describe(
        'Channel binding of logons over TLS: `allow` rejects a logon that is bound to another certificate, `require` also rejects a logon without a binding.',
      ),
    limits: z.strictObject({
      connections: integer(1, 65_535)
        .prefault(256)
        .meta({ restart: true })
        .describe('Maximum number of connections. One address (IPv6: one /64) may have a quarter of them.'),
      requests_per_second: integer(1, 1_000_000)
        .prefault(1000)
        .meta({ restart: true })
        .describe(
          'Maximum number of requests per second from one address (IPv6: one /64), averaged over 5 seconds. Further requests get status 429.',
        ),
      request_timeout: duration(1, 3600)
        .prefault('30s')
        .meta({ restart: true })
        .describe(
          'How long a client may take to send a request, and how long it may read nothing of the response. Computing a response may take three times as long.',
        ),
    }),
    collection_interval: duration(1, 3600).prefault('300s').meta({
      restart: true,
      description: 'How often the embedded analyzer collects usage.',
      shownDefault: '`60s` in `demo`, else `300s`',
    }),
    time_zone: timeZone.optional().meta({
      restart: true,
      description: 'Time zone of the history and of the simulated site.',
      shownDefault: "the system's",
    }),
    retention: z.strictObject({
      samples: duration(DAY, CENTURY).prefault('30d').meta({ restart: true }).describe('How long samples are kept.'),
      history: duration(DAY, CENTURY)
        .prefault('5y')
        .meta({ restart: true })
        .describe('How long hourly and daily summaries are kept.'),
    }),
    store_max_size: size(64 * 1024, 2 ** 46)
      .prefault('64GiB')
      .meta({ restart: true })
      .describe(
        'Maximum size of the history file. History in memory is limited to 1GiB. When it is full, nothing more is recorded, and an error is logged.',
      ),
    sources: strictListOf(sourceEntry).prefault([]).meta({
      description:
        'License managers that it collects from, see [sources.md](sources.md). Without any, it serves a simulated site. With them and without `analyzer.url`, `serve` runs the embedded analyzer and polls it.',
      fileOnly: true,
    }),
    source_defaults: sourceDefaults.prefault({}).meta({
      description: 'Keys of a source that apply to every source that does not set them.',
      fileOnly: true,
    }),
    source_files: listOf(text).prefault([]).meta({
      description: 'Files with further sources, for example `sources.d/*.yml`. Each is a list of sources.',
      fileOnly: true,
    }),
    web_listen_address: listenAddress
      .optional()
      .meta({ restart: true })
      .describe(
        'Address on which `analyzer` serves `/metrics` and `/sources` about its sources, with the users of the web config.',
      ),
    site: z.strictObject({
      seed: integer(0, 2 ** 31)
        .prefault(1)
        .meta({ restart: true })
        .describe('Seed of the simulated site.'),
      vendor_licenses: integer(1, 1000)
        .prefault(10)
        .meta({ restart: true })
        .describe('Vendor licenses of the simulated site.'),
      features: integer(1, 5000)
        .prefault(20)
        .meta({ restart: true })
        .describe('Features of each vendor license of the simulated site.'),
      history_days: integer(0, 3650)
        .prefault(730)
        .meta({ restart: true })
        .describe('Days of history at the first start. A site with more than 2,000 features gets fewer.'),
      knowledge: oneOf('full', 'flexnet')
        .prefault('full')
        .meta({ restart: true })
        .describe(
          'What the simulated site reports: `full` is everything, `flexnet` only what `lmstat -a` prints. Values that `lmstat -a` does not print are left out.',
        ),
    }),
  })
  .describe('The embedded analyzer, a server of the Query API.');

export interface AnalyzerAccount {
  readonly name: string;
  /** For NTLM it is equivalent to the password. */
  readonly ntHash: Buffer;
}

type Section = SectionOf<typeof embeddedAnalyzer>;

/** The analyzer of this process, with the content of its files. Durations are seconds, sizes bytes. */
export interface EmbeddedConfig
  extends Omit<
      Section,
      'listenAddress' | 'usersFile' | 'tls' | 'site' | 'timeZone' | 'sources' | 'sourceDefaults' | 'sourceFiles'
    >,
    Readonly<Section['site']> {
  /** Undefined where nobody listens. */
  readonly listen: Section['listenAddress'];
  readonly users: readonly AnalyzerAccount[] | undefined;
  readonly tls: { readonly cert: string; readonly key: Secret } | undefined;
  readonly timeZone: string;
  /** Empty for the simulated site. */
  readonly sources: readonly SourceConfig[];
}

/** Whether people are looked at: those who wait, and those who hold what could come back. */
export const people = boolean
  .prefault(true)
  .meta({ restart: true })
  .describe(
    'Whether people who wait for licenses are counted, and checkouts that could come back are shown. Without it, denied requests are counted as requests.',
  );

/** What an analyzer of this process reads of the configuration. */
export interface OwnConfig {
  readonly people: boolean;
  readonly embeddedAnalyzer: EmbeddedConfig;
  readonly storage: { readonly path: string | undefined; readonly archive: ArchiveConfig | undefined };
}
