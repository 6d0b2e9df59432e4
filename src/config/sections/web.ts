import { z } from 'zod';
import { baseUrl, listenAddress, urlPath } from '../addresses.ts';
import { listOf } from '../structures.ts';
import { autoOr, boolean, duration, text, timeZone } from '../values.ts';

/** Paths of other pages. */
const reserved = ['/-/healthy', '/-/ready', '/alerts', '/api/v1/alerts', '/api/v1/rules'];

export const web = z
  .strictObject({
    listen_address: listOf(listenAddress).prefault([':10319']).describe('Addresses to listen on.'),
    telemetry_path: urlPath(['/', ...reserved])
      .prefault('/metrics')
      .describe('Path of the metrics.'),
    config_file: text
      .optional()
      .describe(
        'Web config of the Prometheus exporter-toolkit: TLS, users, headers. Read again when it or a file it names changes.',
      ),
    external_url: baseUrl('https://licenses.example.com').optional().meta({
      description: 'URL under which people reach the daemon: links in alerts lead there.',
      shownDefault: 'host name and port',
    }),
  })
  .describe('The HTTP listener.');

export const datasource = z
  .strictObject({
    path: urlPath(reserved).prefault('/grafana').describe('Path of the routes for Grafana.'),
    cache_ttl: duration(0, 86_400)
      .prefault('5m')
      .describe('How long an answer of the history endpoints is used again.'),
    deadline: duration(0.1, 600)
      .prefault('25s')
      .describe("How long a request of Grafana may take; Grafana's proxy gives up after 30s."),
    users: autoOr(boolean)
      .prefault('auto')
      .describe(
        'Whether names of users are served; `auto`: where the web config has users, or only loopback is listened on.',
      ),
    pseudonymise: boolean.prefault(false).describe('Whether keyed hashes take the place of names and hosts of users.'),
    pseudonym_key_file: text
      .optional()
      .describe('Key of these hashes. Without it one is made up at each start, and so are other hashes.'),
    time_zone: timeZone.optional().meta({
      description:
        "Time zone of the analyzer's calendar: of the month that is asked for, and of the days of the history.",
      shownDefault: "`embedded_analyzer.time_zone` in `demo`, else the system's",
    }),
  })
  .describe('The routes for Grafana.');
