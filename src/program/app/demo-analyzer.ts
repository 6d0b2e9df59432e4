import { randomBytes } from 'node:crypto';
import { createSimulatedAnalyzer, type Ownership } from '../../analyzer/analyzer.ts';
import type { Analyzer } from '../../analyzer/server/server.ts';
import { createLocalTime } from '../../base/model/local-time.ts';
import { ntHash } from '../../base/ntlm/primitives.ts';
import { type AnalyzerConfig, analyzer as analyzerSection } from '../../base/settings/analyzer.ts';
import { Secret } from '../../base/settings/secret.ts';
import { sectionDefaults } from '../../base/settings/table.ts';
import { embeddedName } from '../../exporter/client/identity.ts';
import type { Config } from '../config/config.ts';
import type { SettingKey } from '../config/settings.ts';

/** The analyzer of the demo. Its exporter talks HTTP with NTLM to it, as with any other analyzer. */

/** Where `demo` and `analyzer` listen by default. */
export const ANALYZER_ADDRESS = '127.0.0.1:10320';

const atOnce = { for: '0s' };

/** The demo listens on loopback only, and collects often so that data appears soon. Its alerts fire at once, and people read its log. */
export const demoDefaults: ReadonlyMap<SettingKey, unknown> = new Map<SettingKey, unknown>([
  ['web.listen_address', '127.0.0.1:10319'],
  ['log.format', 'pretty'],
  ['embedded_analyzer.listen_address', ANALYZER_ADDRESS],
  ['embedded_analyzer.collection_interval', '60s'],
  [
    'owners',
    [
      { vendor_license: '*;caddsd', owner: 'design' },
      { vendor_license: '*;pcbd', owner: 'design' },
      { vendor_license: '*;mechd', owner: 'simulation' },
      { vendor_license: '*;fluidd', owner: 'simulation' },
      { vendor_license: '*;emsimd', owner: 'simulation' },
      { vendor_license: '*;icsuited', owner: 'electronics' },
      { vendor_license: '*;rtld', owner: 'electronics' },
      { vendor_license: '*;plmd', owner: 'it' },
    ],
  ],
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

/** Hours of the local clock at which the simulated site is busy in the morning, and that of the zones below. */
const MORNING = { from: 9, to: 12 };
const OPENED_AT = 10;

/** Time zones without daylight saving time, by their hours ahead of UTC from -12 on. */
const zones = [
  ...['Etc/GMT+12', 'Pacific/Pago_Pago', 'Pacific/Honolulu', 'Pacific/Gambier', 'Pacific/Pitcairn', 'America/Phoenix'],
  ...['America/Costa_Rica', 'America/Bogota', 'America/Puerto_Rico', 'America/Sao_Paulo', 'America/Noronha'],
  ...['Atlantic/Cape_Verde', 'Africa/Abidjan', 'Africa/Lagos', 'Africa/Johannesburg', 'Europe/Istanbul', 'Asia/Dubai'],
  ...['Asia/Tashkent', 'Asia/Dhaka', 'Asia/Bangkok', 'Asia/Singapore', 'Asia/Tokyo', 'Australia/Brisbane'],
  'Pacific/Noumea',
] as const;

/** A time zone in which it is a morning: that of the system if it is one there. @param at epoch seconds */
export function morningZone(at: number, system: string): string {
  const hour = Math.floor(((at + createLocalTime(system).offsetAt(at)) / 3600) % 24);
  if (hour >= MORNING.from && hour < MORNING.to) return system;
  // from 12 hours behind UTC to 11 ahead
  const ahead = ((OPENED_AT - Math.floor((at / 3600) % 24) + 36) % 24) - 12;
  return zones[ahead + 12] ?? system;
}

const USER = 'exporter';

/** The analyzer of the demo with its user, and how to reach it. */
export interface DemoAnalyzer {
  readonly analyzer: Analyzer;
  readonly account: { readonly domain: string; readonly username: string; readonly password: string };
  /** The configuration to poll it. It must have started. */
  config(): AnalyzerConfig;
}

/** Creates a simulated analyzer with a user for the exporter of this process, whose password is generated for each run. */
export function createDemoAnalyzer(config: Config, host: Pick<Ownership, 'clock' | 'log' | 'version'>): DemoAnalyzer {
  const { domain, channelBinding } = config.embeddedAnalyzer;
  const password = randomBytes(18).toString('base64url');
  const user = { name: USER, ntHash: ntHash(password) };
  const analyzer = createSimulatedAnalyzer(config, {
    ...host,
    clients: {
      gate: { domain, channelBinding, users: () => [user] },
      onRequest: (request) => host.log.debug(request, 'analyzer request'),
    },
  });
  const address = (): string => {
    if (analyzer.url === undefined) throw new Error('unreachable: the demo listens');
    return analyzer.url;
  };
  return {
    analyzer,
    account: { domain, username: USER, password },
    config: () => ({
      ...sectionDefaults(analyzerSection),
      url: address(),
      name: embeddedName(),
      username: USER,
      domain,
      password: new Secret(password),
      isOfDemo: true,
      // the analyzer runs in this process, so any certificate is accepted
      tls: { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: true },
    }),
  };
}
