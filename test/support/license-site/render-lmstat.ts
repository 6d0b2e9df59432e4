import type { LocalTime } from '../../../src/base/model/local-time.ts';
import { createClock, expiryText, hourAndMinute, type PrintedTime } from './printed-times.ts';
import {
  licensesOf,
  reservedOf,
  type Site,
  type SiteCheckout,
  type SiteDaemon,
  type SiteFeature,
  type SitePool,
  type SiteQueued,
} from './site.ts';

/** How versions of the tool differ. */
export interface LmstatStyle {
  readonly version: string;
  readonly newline: '\n' | '\r\n';
  /** Some Windows builds print an empty line after each line. */
  readonly isDoubleSpaced: boolean;
  /** Since 11.14 the line of a pool has the vendor daemon and the expiry. */
  readonly hasExpiry: boolean;
}

const lmstatStyle: LmstatStyle = { version: '11.19.6', newline: '\n', isDoubleSpaced: false, hasExpiry: true };

/** A site as `lmutil lmstat -a` prints it. */
export function renderLmstat(site: Site, localTime: LocalTime, style: LmstatStyle = lmstatStyle): string {
  const clock = createClock(localTime);
  const now = clock(site.now);
  const master = site.servers.find(({ isMaster }) => isMaster) ?? site.servers[0];
  const lines = [
    'lmutil - Copyright (c) 1989-2022 Flexera. All Rights Reserved.',
    `Flexible License Manager status on ${now.weekday} ${now.month}/${now.date}/${now.year} ${hourAndMinute(now)}`,
    '',
    `License server status: ${site.servers.map(({ host, port }) => `${port}@${host}`).join(',')}`,
    `    License file(s) on ${master.host}: /opt/licenses/license.dat:`,
    '',
    ...site.servers.map((server) => serverLine(server, style)),
    '',
    `Vendor daemon status (on ${master.host}):`,
    '',
    ...site.daemons.flatMap((daemon) => daemonLines(daemon, { server: `${master.host}/${master.port}`, clock, style })),
  ];
  return `${lines.join(style.isDoubleSpaced ? style.newline.repeat(2) : style.newline)}${style.newline}`;
}

/** A site as `lmutil lmstat -i` prints it. */
export function renderLmstatInventory(
  site: Site,
  localTime: LocalTime,
  newline: LmstatStyle['newline'] = '\n',
): string {
  const now = createClock(localTime)(site.now);
  const row = (...[name = '', version = '', count = '', expires = '', vendor = '']: readonly string[]): string =>
    `${name.padEnd(31)} ${version.padEnd(12)} ${count.padEnd(11)} ${expires.padEnd(12)} ${vendor}`;
  const rows = site.daemons.flatMap(({ name: daemon, features }) =>
    features.flatMap(({ name, pools }) =>
      pools.map(({ version, count, expires }) =>
        row(
          name,
          version,
          count === Number.POSITIVE_INFINITY ? 'uncounted' : String(count),
          expiryText(expires, 'permanent(no expiration date)'),
          daemon,
        ),
      ),
    ),
  );
  const lines = [
    'lmutil - Copyright (c) 1989-2022 Flexera. All Rights Reserved.',
    `Flexible License Manager status on ${now.weekday} ${now.month}/${now.date}/${now.year} ${hourAndMinute(now)}`,
    '',
    'NOTE: lmstat -i does not give information from the server,',
    '      but only reads the license file.  For this reason,',
    '      lmstat -a is recommended instead.',
    '',
    row('Feature', 'Version', '#licenses', 'Expires', 'Vendor'),
    row('_______', '_________', '_________', '__________', '______'),
    ...rows,
  ];
  return `${lines.join(newline)}${newline}`;
}

interface Printing {
  /** `host/port` of the lines of users. */
  readonly server: string;
  readonly clock: (at: number) => PrintedTime;
  readonly style: LmstatStyle;
}

function serverLine({ host, isUp, isMaster }: Site['servers'][number], { version }: LmstatStyle): string {
  if (!isUp) return `${host}: Cannot connect to license server system. (-15,570:115 "Operation now in progress")`;
  return `${host}: license server UP${isMaster ? ' (MASTER)' : ''} v${version}`;
}

function daemonLines(daemon: SiteDaemon, printing: Printing): string[] {
  const { name, isUp, features } = daemon;
  if (!isUp) {
    return [
      `  ${name}: The desired vendor daemon is down. (-97,121)`,
      'Feature usage info:',
      '',
      ...features.flatMap((feature) => [
        `Users of ${feature.name}: Cannot get users of ${feature.name}: No such feature exists. (-5,222)`,
        '',
      ]),
    ];
  }
  const users = features.flatMap((feature) => featureLines(feature, daemon, printing));
  return [`  ${name}: UP v${printing.style.version}`, 'Feature usage info:', '', ...users];
}

const plural = (count: number): string => `${count} license${count === 1 ? '' : 's'}`;

function featureLines(feature: SiteFeature, daemon: SiteDaemon, printing: Printing): string[] {
  const { name, pools } = feature;
  const total = (figure: (pool: SitePool) => number): number => pools.reduce((sum, pool) => sum + figure(pool), 0);
  const issued = total(({ count }) => count);
  // reserved licenses count as used
  const used = total((pool) => licensesOf(pool) + reservedOf(pool));
  const counts =
    issued === Number.POSITIVE_INFINITY
      ? 'Uncounted, node-locked'
      : `Total of ${plural(issued)} issued;  Total of ${plural(used)} in use`;
  const shown = pools.filter(
    ({ checkouts, reservations, queued }) => checkouts.length + reservations.length + queued.length > 0,
  );
  return [`Users of ${name}:  (${counts})`, '', ...shown.flatMap((pool) => poolLines(name, pool, daemon, printing))];
}

function poolLines(feature: string, pool: SitePool, daemon: SiteDaemon, { server, clock, style }: Printing): string[] {
  const { version, expires, reservations, checkouts, queued } = pool;
  const tail = style.hasExpiry ? `, expiry: ${expiryText(expires, 'permanent(no expiration date)')}` : '';
  const type =
    pool.count === Number.POSITIVE_INFINITY
      ? '  uncounted nodelocked license locked to NOTHING (hostid=ANY)'
      : '  floating license';
  return [
    `  "${feature}" v${version}, vendor: ${daemon.name}${tail}`,
    type,
    '',
    ...reservations.map(
      ({ licenses, kind, holder }) =>
        `\t${licenses} RESERVATION${licenses === 1 ? '' : 's'} for ${kind} ${holder} (${server})`,
    ),
    ...checkouts.map((checkout) => checkoutLine(checkout, version, server, clock)),
    ...queued.map((request) => queuedLine(request, version, server)),
    '',
  ];
}

function checkoutLine(checkout: SiteCheckout, version: string, server: string, clock: Printing['clock']): string {
  const { user, host, display, handle, since, licenses, linger } = checkout;
  const time = clock(since);
  const start = `start ${time.weekday} ${time.month}/${time.date} ${hourAndMinute(time)}`;
  const tail = `${licenses === 1 ? '' : `, ${licenses} licenses`}${linger === undefined ? '' : ` (linger: ${linger})`}`;
  return `    ${user} ${host} ${display} (v${version}) (${server} ${handle}), ${start}${tail}`;
}

const queuedLine = ({ user, host, display, licenses, handle }: SiteQueued, version: string, server: string): string =>
  // after the display, the version stands without its letter
  `    ${user} ${host} ${display} ${version} (v${version}) (${server} ${handle}) queued for ${plural(licenses)}`;
