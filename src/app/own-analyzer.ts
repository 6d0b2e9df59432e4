import { randomBytes } from 'node:crypto';
import type { Analyzer } from '../analyzer/server.ts';
import type { AnalyzerConfig, Config } from '../config/config.ts';
import { Secret } from '../config/secret.ts';
import { defaultsOf, type SettingKey } from '../config/settings.ts';
import type { AnalyzerAccount } from '../config/users-file.ts';
import { ntHash } from '../ntlm/primitives.ts';
import type { Ownership } from './embedded-analyzer.ts';
import { embeddedName } from './identity.ts';

/** An analyzer in the same process as the exporter that polls it. They talk HTTP with NTLM, as with any other analyzer. */

const atOnce = { for: '0s' };

/** The demo listens on loopback only, and collects often so that data appears soon. Its alerts fire at once, and people read its log. */
export const demoDefaults: ReadonlyMap<SettingKey, unknown> = new Map<SettingKey, unknown>([
  ['web.listen_address', '127.0.0.1:10319'],
  ['log.format', 'pretty'],
  ['embedded_analyzer.collection_interval', '60s'],
  [
    'alerting.rules',
    {
      LicenseExpired: atOnce,
      LicenseExpiringSoon: atOnce,
      LicenseFeatureSaturated: atOnce,
      LicenseRequestsQueued: atOnce,
    },
  ],
]);

/** Polling an analyzer in the same process costs little, and each poll that comes later delays what was collected. */
export const collectingDefaults: ReadonlyMap<SettingKey, unknown> = new Map<SettingKey, unknown>([
  ['poll.features', '* * * * *'],
  ['poll.expirations', '*/5 * * * *'],
]);

const USER = 'exporter';

/** An embedded analyzer with its own user, and how to reach it. */
export interface OwnAnalyzer {
  readonly analyzer: Analyzer;
  readonly account: { readonly domain: string; readonly username: string; readonly password: string };
  /** The configuration to poll it. It must have started. */
  config(): AnalyzerConfig;
}

/** A name that no configured user has. */
function freeName(users: readonly AnalyzerAccount[]): string {
  const taken = new Set(users.map((user) => user.name.toLowerCase()));
  let name = USER;
  for (let i = 2; taken.has(name); i += 1) name = `${USER}-${i}`;
  return name;
}

/**
 * Creates an analyzer with a user for the exporter of this process, whose password is generated for each run.
 *
 * @param others further users, who can change
 */
export function createOwnAnalyzer(
  { embeddedAnalyzer: { domain, channelBinding } }: Config,
  { others, ...host }: Pick<Ownership, 'clock' | 'log' | 'version'> & { others: () => readonly AnalyzerAccount[] },
  create: (own: Ownership) => Analyzer,
): OwnAnalyzer {
  const password = randomBytes(18).toString('base64url');
  const username = freeName(others());
  const own = { name: username, ntHash: ntHash(password) };
  const analyzer = create({
    ...host,
    gate: { domain, channelBinding, users: () => [own, ...others()] },
    onRequest: (request) => host.log.debug(request, 'analyzer request'),
  });
  return {
    analyzer,
    account: { domain, username, password },
    config: () => ({
      ...defaultsOf('analyzer'),
      url: analyzer.url,
      name: embeddedName(),
      username,
      domain,
      password: new Secret(password),
      isInProcess: true,
      // the analyzer runs in this process, so any certificate is accepted
      tls: { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: true },
    }),
  };
}
