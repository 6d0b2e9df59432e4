import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createClock, fullTime, two } from './printed-times.ts';
import { licensesOf, reservedOf, type Site, type SiteCheckout, type SiteDate, type SitePool } from './site.ts';

/** A site as other license managers print it, in UTC. Of several daemons, those that have no daemons list all features. */

const clock = createClock(createLocalTime('UTC'));

const dateOf = ({ year, month, date }: SiteDate): string => `${year}-${two(month)}-${two(date)}`;

/** `2026-03-01 09:30:00`. */
function isoTime(at: number): string {
  const { year, month, date, hour, rest } = clock(at);
  return `${dateOf({ year, month, date })} ${two(hour)}:${two(Math.floor(rest / 60))}:${two(rest % 60)}`;
}

interface Licenses {
  readonly feature: string;
  readonly daemon: string;
  readonly pool: SitePool;
}

const licensesIn = ({ daemons }: Site): readonly Licenses[] =>
  daemons
    .filter(({ isUp }) => isUp)
    .flatMap(({ name, features }) =>
      features.flatMap((feature) => feature.pools.map((pool) => ({ feature: feature.name, daemon: name, pool }))),
    );

const sharesOf = ({ checkouts }: SitePool): readonly SiteCheckout[] => checkouts.filter(({ isShared }) => !isShared);

const quoted = (text: string): string => (text.includes(',') ? `"${text}"` : text);

const COLUMNS =
  'Editor,EditorId,Feature,Model,Commercial Type,Max Release Number,Max Release Date,Pricing Structure,Max Casual Duration,Expiration Date,Customer ID,Count,Inuse,Tokens,Casual Usage (mn),Host,User,Internal ID,Active Process,Client Code Version,Session ID,Granted Since,Last Used At,Granted At,Queue Position,';

/** `DSLicSrv -admin`, `getLicenseUsage -csv`. */
export function renderDsls(site: Site): string {
  const [{ host, port }] = site.servers;
  const rows = licensesIn(site).flatMap(({ feature, pool }, at) => {
    const end = pool.expires === 'permanent' ? 'never' : `${dateOf(pool.expires)} 23:59:59`;
    const count = pool.count === Number.POSITIVE_INFINITY ? 'unlimited' : pool.count;
    const names = ['Example', '5E756A80', feature, 'Token', 'STD', pool.version, end, 'YLC', '0', end, 1000 + at];
    const start = [...names, count, licensesOf(pool)].join(',');
    const users = sharesOf(pool).map((one) => {
      const process = `${quoted(one.host)},${quoted(one.user)},ID,prog,6.424,${one.handle}`;
      return `${start},${one.licenses},,${process},${isoTime(one.since)},${isoTime(site.now - 60)},,,`;
    });
    const waiting = pool.queued.map(
      (one, place) => `${start},${one.licenses},,${quoted(one.host)},${quoted(one.user)},ID,,,,,,,${place + 1},`,
    );
    return users.length + waiting.length > 0 ? [...users, ...waiting] : [`${start},`];
  });
  return [
    'License Administration Tool Version 6.425.4 Built on May 2, 2023, 6:45:36 PM.',
    'admin >\tSoftware version: 6.425.4',
    '\tBuild date: May 2, 2023, 6:45:36 PM',
    '\tStandalone mode',
    '\tReady: yes',
    `\tServer name: ${host}   Server id: XYZ-${port}`,
    `admin >${COLUMNS}`,
    ...rows,
    'admin >',
  ].join('\n');
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** `lmxendutil -licstatxml`. */
export function renderLmx(site: Site): string {
  const [{ host, port }] = site.servers;
  const features = licensesIn(site).map(({ feature, daemon, pool }) => {
    const end = pool.expires === 'permanent' ? 'NONE' : dateOf(pool.expires);
    const total = pool.count === Number.POSITIVE_INFINITY ? 2_147_483_647 : pool.count;
    const users = sharesOf(pool).map((one) => {
      const borrowed =
        one.linger === undefined ? '' : ` BORROW_EXPIRE_TIME="${isoTime(site.now + one.linger).slice(0, 16)}"`;
      return `      <USER NAME="${escaped(one.user)}" HOST="${escaped(one.host)}" IP="10.0.0.1" USED_LICENSES="${one.licenses}" LOGIN_TIME="${isoTime(one.since)}" CHECKOUT_TIME="${isoTime(one.since)}"${borrowed}/>`;
    });
    return [
      `    <FEATURE NAME="${escaped(feature)}" VERSION="${escaped(pool.version)}" VENDOR="${escaped(daemon)}" START="2022-02-17" END="${end}" USED_LICENSES="${licensesOf(pool)}" TOTAL_LICENSES="${total}" DENIED_LICENSES="0" SHARE="CUSTOM VIRTUAL">`,
      ...users,
      '    </FEATURE>',
    ].join('\n');
  });
  return [
    'LM-X End-user Utility v5.5',
    'Copyright (C) 2002-2022 X-Formation. All rights reserved.',
    '',
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<LM-X>',
    `  <LICENSE_PATH TYPE="NETWORK" HOST="${port}@${host}" SERVER_VERSION="5.5" UPTIME="8 hour(s) 38 min(s) 33 sec(s)" STATUS="SUCCESS">`,
    ...features,
    '  </LICENSE_PATH>',
    '</LM-X>',
    '',
  ].join('\n');
}

/** `lstc_qrun -R`, and the list of programs. It has no version. */
export function renderLsdyna(site: Site): string {
  const [{ host, port }] = site.servers;
  const licenses = licensesIn(site);
  const rows = licenses.flatMap(({ feature, pool }) => {
    const { expires } = pool;
    const end = expires === 'permanent' ? 'none' : `${two(expires.month)}/${two(expires.date)}/${expires.year}`;
    const used = licensesOf(pool);
    const queue = pool.queued.reduce((sum, one) => sum + one.licenses, 0);
    const users = sharesOf(pool).map((one) => ` ${one.user.padEnd(9)} ${one.handle}@${one.host}  ${one.licenses}`);
    return [
      `${feature.padEnd(16)} ${end}   ${users.length > 0 ? '-' : used}    ${pool.count - used}    ${pool.count} |     ${queue}`,
      ...users,
    ];
  });
  const listed = (of: 'running' | 'queued'): string[] =>
    licenses.flatMap(({ feature, pool }) =>
      (of === 'running' ? sharesOf(pool) : pool.queued.map((one) => ({ ...one, since: site.now }))).map((one) => {
        const { weekday, monthName, date, hour, rest } = clock(one.since);
        const time = `${weekday} ${monthName} ${String(date).padStart(2)} ${two(hour)}:${two(Math.floor(rest / 60))}`;
        return `${one.user} ${one.handle}@${one.host.slice(0, 14)} ${feature}  ${time}   ${one.licenses}`;
      }),
    );
  const head = ['', '    User             Host          Program              Started       # procs', '-'.repeat(77)];
  const queued = listed('queued');
  return [
    `Using user specified server ${port}@${host}`,
    '',
    'LICENSE INFORMATION',
    '',
    'PROGRAM          EXPIRATION CPUS  USED   FREE    MAX | QUEUE',
    '---------------- ----------      ----- ------ ------ | -----',
    ...rows,
    '',
    `Using user specified server ${port}@${host}`,
    '',
    '                     Running Programs',
    ...head,
    ...listed('running'),
    ...(queued.length === 0 ? ['No programs queued'] : ['                     Queued Programs', ...head, ...queued]),
    '',
  ].join('\n');
}

/** `lsmon`. */
export function renderRms(site: Site): string {
  const [{ host }] = site.servers;
  const pair = (level: number, label: string, value: string | number): string =>
    `${' '.repeat(level)}|- ${label.padEnd(31)}: ${value}`;
  const end = ({ expires }: SitePool): string =>
    expires === 'permanent'
      ? 'License has no expiration'
      : fullTime(clock(Date.UTC(expires.year, expires.month - 1, expires.date + 1) / 1000 - 1));
  const features = licensesIn(site).flatMap(({ feature, pool }) => {
    const count = pool.count === Number.POSITIVE_INFINITY ? 'Unlimited' : pool.count;
    const client = (one: { user: string; host: string; display: string }, title: string): string[] => [
      '',
      `   |- ${title} Information`,
      pair(5, 'User name', one.user),
      pair(5, 'Host name', one.host),
      pair(5, 'X display name', one.display),
      pair(5, 'Group name', 'DefaultGrp'),
    ];
    return [
      '',
      ' |- Feature Information',
      pair(3, 'Feature name', `"${feature}"  \t`),
      pair(3, 'Feature version', `"${pool.version}"`),
      '',
      pair(3, 'License type', '"Normal License" '),
      pair(3, 'Maximum concurrent user(s)', count),
      pair(3, 'Unreserved tokens in use', licensesOf(pool)),
      pair(
        3,
        'Unreserved tokens in queue',
        pool.queued.reduce((sum, one) => sum + one.licenses, 0),
      ),
      pair(3, 'Reserved tokens in use', 0),
      pair(3, 'Available reserved', reservedOf(pool)),
      pair(3, 'Expiration date', end(pool)),
      '',
      '   |- License Information',
      pair(5, 'License status', 'Active'),
      pair(5, 'Maximum concurrent user(s)', count),
      pair(5, 'Expiration date', end(pool)),
      ...sharesOf(pool).flatMap((one) => [
        ...client(one, 'Client'),
        pair(5, 'Status', `Running since ${fullTime(clock(one.since))} `),
        pair(5, 'Number of tokens used', one.licenses),
        pair(5, 'Is commuter token', one.linger === undefined ? 'NO' : 'YES'),
      ]),
      ...pool.queued.flatMap((one) => [
        ...client(one, 'Queued Client'),
        pair(5, 'No of tokens requested', one.licenses),
      ]),
    ];
  });
  return [
    '  Sentinel RMS Development Kit 9.1.0.0104 Application Monitor',
    '  Copyright (C) 2016 SafeNet, Inc.',
    '',
    ` [Contacting Sentinel RMS Development Kit server on host "${host}"]`,
    ...features,
    ' Press Enter to continue . . .',
  ].join('\n');
}

/** `scontrol show licenses -o`. It has no users. */
export const renderSlurm = (site: Site): string =>
  licensesIn(site)
    .map(({ feature, pool }) => {
      const used = licensesOf(pool);
      return `LicenseName=${feature} Total=${pool.count} Used=${used} Free=${pool.count - used} Reserved=${reservedOf(pool)} Remote=no\n`;
    })
    .join('');

/** Answers of another analyzer. It answers about users of a feature one by one, which is no part of them. */
export function renderAnswers(site: Site): string {
  const [{ host, port }] = site.servers;
  const server = `${port}@${host}`;
  const end = ({ expires }: SitePool): number =>
    expires === 'permanent' ? 2_147_483_647 : Date.UTC(expires.year, expires.month - 1, expires.date + 1) / 1000 - 1;
  const features = licensesIn(site).map(({ feature, daemon, pool }) => {
    const [used, reserved] = [licensesOf(pool), reservedOf(pool)];
    return {
      ...{ Feature: feature, Version: pool.version, Package: '', ServerName: server, Daemon: daemon },
      ...{ LicenseType: pool.count === Number.POSITIVE_INFINITY ? 'uncounted' : 'floating', FeatureType: 'feature' },
      ...{ LicenseModel: 'concurrent', TokenCost: '', TokenPool: '', TokenSource: '', TokenCostValue: 0 },
      MaxAvailable: pool.count === Number.POSITIVE_INFINITY ? undefined : pool.count,
      ...{ InUse: used, MaxInUse: used, Available: pool.count - used - reserved, UnusedReserve: reserved },
      ...{ UsedReserve: 0, LicenseExpiration: end(pool), BorrowedUse: 0, MappedTo: null, LogActive: 'NaN!' },
      MaxQueued: pool.queued.reduce((sum, one) => sum + one.licenses, 0),
    };
  });
  const products = site.daemons.map(({ name, isUp }) => ({
    ...{ Product: `${server};${name}`, CollectionTime: site.now, IsCurrent: isUp, MappingIcon: '', ExpiredIcon: '' },
  }));
  const down = site.daemons.filter(({ isUp }) => !isUp).map(({ name }) => ({ Label: `${server};${name}` }));
  return JSON.stringify({ GetProducts: products, GetServerDown: down, GetFeatures: [features] }).replaceAll(
    '"NaN!"',
    'NaN',
  );
}
