import { z } from 'zod';
import { baseUrl, headerName, listenAddress, proxyAddress, urlPath } from '../base/settings/addresses.ts';
import type { Secret } from '../base/settings/secret.ts';
import { listOf } from '../base/settings/structures.ts';
import type { SectionOf } from '../base/settings/table.ts';
import { autoOr, boolean, duration, text, timeZone } from '../base/settings/values.ts';
import { pages, reservedPaths } from './pages/table.ts';
import { listenerPaths } from './web/listener-paths.ts';

/** Where the exporter listens, and how much each client may ask. */
export const web = z
  .strictObject({
    listen_address: listOf(listenAddress)
      .prefault([':10319'])
      .meta({ restart: true })
      .describe('Addresses to listen on.'),
    telemetry_path: urlPath(reservedPaths)
      .prefault(listenerPaths.metrics.path)
      .meta({ restart: true })
      .describe('Path of the metrics.'),
    config_file: text.optional().meta({
      description:
        'Web config of the Prometheus exporter-toolkit: TLS, users, headers. It is read again when it changes, or a file named in it.',
      // as the exporters of the toolkit spell it
      flag: 'web.config.file',
    }),
    enable_lifecycle: boolean
      .prefault(false)
      .describe('Whether a POST or PUT request to `/-/reload` reloads the configuration.'),
    protect_health: boolean
      .prefault(false)
      .describe('Whether `/-/healthy` and `/-/ready` require a user of the web config, like all other paths.'),
    trusted_proxy: z.strictObject({
      from: listOf(proxyAddress)
        .prefault([])
        .describe(
          'Where a proxy that authenticates users itself connects from: addresses and ranges such as `10.0.0.5` and `10.1.0.0/28`, and `client_certificate` for every client with a certificate of the `client_ca_file` of the web config. Its requests can name a user.',
        ),
      user_header: headerName
        .optional()
        .describe(
          'Header with the user, such as `X-Forwarded-User`. The proxy must replace what clients send in it. Required with `from`.',
        ),
      groups_header: headerName
        .optional()
        .describe(
          'Header with the groups of the user, separated by commas, such as `X-Forwarded-Groups`. The proxy must replace it too. Without it, there are no groups.',
        ),
    }),
    external_url: baseUrl('https://licenses.example.com').optional().meta({
      description: 'URL under which users reach the daemon. Links in alerts start with it.',
      shownDefault: 'host name and port',
    }),
  })
  .describe('The HTTP listener.');

/** The paths of Grafana, their cache and their deadline. */
export const datasource = z
  .strictObject({
    path: urlPath(reservedPaths)
      .prefault(pages.grafana.path)
      .meta({ restart: true })
      .describe('Path of the routes for Grafana.'),
    cache_ttl: duration(0, 86_400).prefault('5m').describe('How long responses of the history endpoints are cached.'),
    deadline: duration(0.1, 600)
      .prefault('25s')
      .describe('Timeout of a request from Grafana. The proxy of Grafana times out after 30s.'),
    pseudonymise: boolean.prefault(false).describe('Whether names and hosts of users are replaced by keyed hashes.'),
    pseudonym_key_file: text
      .optional()
      .describe(
        'File with the key of these hashes. If it is not set, each start generates a new key, and the hashes change.',
      ),
    time_zone: timeZone.optional().meta({
      description:
        'Time zone of the analyzer. It decides where days and months begin, and on which day a license expires.',
      shownDefault: "`embedded_analyzer.time_zone` in `demo` and with sources, else the system's",
    }),
  })
  .describe('The routes for Grafana.');

/** An entry that stands for every client, authenticated or not. */
export const EVERYONE = '*';

/** An entry that stands for the members of a group, followed by its name. No user of the web config has a colon in the name. */
export const GROUP = 'group:';

const noGroup = { error: `is no name of a group; write ${GROUP}NAME` };

const viewer = text.refine((written) => written !== GROUP, noGroup);

const viewers = autoOr(listOf(viewer)).prefault('auto');

/** Who may see names of license users, prices, and how checkouts are taken back. */
export const access = z
  .strictObject({
    names: viewers.describe(
      'Users that may see names of license users: those of the web config, and those that `web.trusted_proxy` names. `group:NAME` stands for the members of a group, `*` for every client. `auto`: all of these users, and in the demo also every client if it listens on loopback only.',
    ),
    prices: viewers.describe(
      'Users that may see prices, and groups as `group:NAME`. `*` stands for every client. `auto`: nobody, but in the demo every client if it listens on loopback only.',
    ),
    reclaim: viewers.describe(
      'Users that may see on `/reclaim` who holds licenses that could come back, and the line that takes each back, and groups as `group:NAME`. `*` stands for every client. `auto`: nobody, but in the demo every client if it listens on loopback only.',
    ),
  })
  .describe('Who may see names of license users, prices, and how checkouts are taken back.');

/** The HTTP listener. */
export type WebSection = SectionOf<typeof web>;

/** The routes for Grafana. */
export type DatasourceSection = SectionOf<typeof datasource>;

/** Who may see names of license users, prices, and how checkouts are taken back: users, and groups as `group:NAME`. */
export type AccessSection = SectionOf<typeof access>;

/** The routes for Grafana, with the content of their files. */
export interface DatasourceConfig extends Omit<DatasourceSection, 'pseudonymise' | 'pseudonymKeyFile' | 'timeZone'> {
  /** Of the days of the analyzer that is read. */
  readonly timeZone: string;
  /** Undefined if names of users are shown unchanged. */
  readonly pseudonymKey: Secret | undefined;
}
