import type { LocalTime } from '../../../src/base/model/local-time.ts';
import { createClock, expiryText, fullTime, type PrintedTime, two } from './printed-times.ts';
import { licensesOf, reservedOf, type Site, type SiteCheckout, type SiteDaemon, type SitePool } from './site.ts';

/** How versions of the tool differ. */
export interface RlmStyle {
  readonly version: string;
  readonly newline: '\n' | '\r\n';
  /** At the beginning of lines; twice before the figures of a pool. */
  readonly indent: '\t' | '    ' | '';
  /** Whether pools have numbers. */
  readonly areNumbered: boolean;
}

const rlmStyle: RlmStyle = { version: '15.1', newline: '\n', indent: '\t', areNumbered: true };

const DAY = 86_400;
/** The server runs for so long, and its recent statistics cover so much of it. Seconds. */
const UP = 5 * DAY + 3 * 3600 + 9 * 60;
const RECENT = 16 * 60 + 8;

/** A site as `rlmutil rlmstat -a` prints it. Only its first server is used. */
export function renderRlmstat(site: Site, localTime: LocalTime, style: RlmStyle = rlmStyle): string {
  const clock = createClock(localTime);
  const [{ host, port }] = site.servers;
  const isvs = site.daemons.filter(({ isUp }) => isUp);
  const banner = [
    `Setting license file path to ${port}@${host}`,
    `rlmutil v${style.version}`,
    'Copyright (C) 2006-2022, Reprise Software, Inc. All rights reserved.',
    '',
    '',
  ];
  const lines = [
    ...statusLines('rlm', `rlm status on ${host} (port ${port})`, site.now, clock),
    '',
    '--------- ISV servers ----------',
    '   Name           Port Running Restarts',
    ...site.daemons.map(
      ({ name, isUp }, at) => `${name.padEnd(16)} ${isUp ? portOf(at) : 0}   ${isUp ? 'Yes' : 'No'}      0`,
    ),
    ...isvs.flatMap((isv) =>
      isvLines(isv, { host, port: portOf(site.daemons.indexOf(isv)), now: site.now, clock, style }),
    ),
    '',
  ];
  return [...banner, ...lines.map((line) => (line === '' ? '' : `${style.indent}${line}`))].join(style.newline);
}

const portOf = (at: number): number => 49_600 + at;

interface Printing {
  readonly host: string;
  readonly port: number;
  readonly now: number;
  readonly clock: (at: number) => PrintedTime;
  readonly style: RlmStyle;
}

function isvLines(isv: SiteDaemon, printing: Printing): string[] {
  const { host, port, now, clock } = printing;
  const rule = ['', '------------------------', ''];
  const checkouts = isv.features.flatMap(({ name, pools }) =>
    pools.flatMap((pool) => pool.checkouts.map((checkout) => usageLine(name, pool.version, checkout, clock))),
  );
  // the tool prints no head without checkouts
  const usage =
    checkouts.length > 0
      ? [...rule, `${isv.name} license usage status on ${host} (port ${port})`, '', ...checkouts]
      : [];
  return [
    ...rule,
    ...statusLines(isv.name, `${isv.name} ISV server status on ${host} (port ${port})`, now, clock),
    `${isv.name} Debug log filename: C:\\logs\\${isv.name}.dlog`,
    ...rule,
    `${isv.name} license pool status on ${host} (port ${port})`,
    '',
    ...poolLines(isv, printing.style),
    ...usage,
  ];
}

function statusLines(name: string, head: string, now: number, clock: Printing['clock']): string[] {
  const since = (seconds: number): string => fullTime(clock(now - seconds));
  return [
    `${head}, up ${duration(UP)}`,
    `${name} software version v15.1 (build:2)`,
    `${name} comm version: v1.2`,
    `Startup time: ${since(UP)}`,
    `Todays Statistics (${duration(4 * 3600)}), init time: ${since(4 * 3600)}`,
    `Recent Statistics (${duration(RECENT)}), init time: ${since(RECENT)}`,
    '',
    '             Recent Stats         Todays Stats         Total Stats',
    `              ${duration(RECENT)}             ${duration(4 * 3600)}          ${duration(UP)}`,
    'Messages:    1462 (1/sec)           64739 (0/sec)          316966 (0/sec)',
    'Connections: 1093 (0/sec)           48291 (0/sec)          243624 (0/sec)',
  ];
}

function duration(seconds: number): string {
  const days = Math.floor(seconds / DAY);
  const rest = seconds % DAY;
  const clock = `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
  return days > 0 ? `${days}d ${clock}` : clock;
}

function poolLines({ features }: SiteDaemon, { areNumbered, indent }: RlmStyle): string[] {
  const pools = features.flatMap(({ name, pools: ofFeature }) => ofFeature.map((pool) => ({ name, pool })));
  return pools.flatMap(({ name, pool }, at) => [
    `${name} v${pool.version}${areNumbered ? `, pool: ${at + 1}` : ''}`,
    `${indent}${figures(pool)}`,
    `${indent}obsolete: 0, min_remove: 120, total checkouts: ${at * 7}`,
  ]);
}

const figures = (pool: SitePool): string =>
  [
    `count: ${pool.count === Number.POSITIVE_INFINITY ? 'unlimited' : pool.count}`,
    `# reservations: ${reservedOf(pool)}`,
    `inuse: ${licensesOf(pool)}`,
    `exp: ${expiryText(pool.expires, 'permanent')}`,
  ].join(', ');

function usageLine(name: string, version: string, checkout: SiteCheckout, clock: Printing['clock']): string {
  const { month, date, hour, rest } = clock(checkout.since);
  const at = `${two(month)}/${two(date)} ${two(hour)}:${two(Math.floor(rest / 60))}`;
  return `${name} v${version}: ${checkout.user}@${checkout.host} ${checkout.licenses}/0 at ${at}  (handle: ${checkout.handle}) `;
}
