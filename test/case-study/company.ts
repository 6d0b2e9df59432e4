import { createLocalTime } from '../../src/base/model/local-time.ts';
import { drawHours, type Kind, kinds, PAST } from '../support/drawn-hours.ts';
import { SITE_ZONE } from '../support/polled-site.ts';
import { createRandom, type Random } from '../support/random.ts';
import { TODAY } from '../support/recorded-hours.ts';

/**
 * A company of which everything is known: what its people want in each hour, when its servers are down, and when its contracts end.
 * All of it is drawn from a seed. Times are epoch seconds.
 */

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;
const YEAR = 365;

export const localTime = createLocalTime(SITE_ZONE);
/** The beginning of the year that is watched. */
export const START = localTime.startOf(TODAY);

/** A feature, its demand of two years before the start and one after it, and what is paid for it. */
export interface Feature {
  readonly name: string;
  readonly kind: Kind;
  /** The number of its server. */
  readonly server: number;
  /** Licenses wanted in each hour, the first of the past first. */
  readonly hours: Int32Array;
  /** Most licenses that were wanted in the year before the start. */
  readonly peak: number;
  readonly bought: number;
  /** EUR a year for one license. */
  readonly price: number;
}

/** How the licenses of a server go on when they end. */
export interface Contract {
  readonly ends: number;
  /** When the new license file is there. */
  readonly renewed: number;
  /** `replaced`: the new file has the old licenses no more. `beside`: it has both for a while. */
  readonly as: 'replaced' | 'beside';
}

export interface Server {
  readonly name: string;
  /** Hosts: one, or three that stand in for each other. */
  readonly hosts: readonly string[];
  readonly contract: Contract;
}

/**
 * - `server`: no host of a server answers
 * - `daemon`: the server answers, but its vendor daemon has ended
 * - `host`: one of three hosts is down, which no user notices
 * - `monitoring`: nothing that is asked answers in time; users notice nothing
 */
export interface Incident {
  readonly what: 'server' | 'daemon' | 'host' | 'monitoring';
  /** Its number; `undefined` if it is about all. */
  readonly server: number | undefined;
  readonly from: number;
  readonly to: number;
}

export interface Company {
  readonly features: readonly Feature[];
  readonly servers: readonly Server[];
  readonly incidents: readonly Incident[];
  /** Days that are watched. */
  readonly days: number;
}

/** Whether users of the server cannot check out licenses. */
export const isOutage = ({ what }: Incident): boolean => what === 'server' || what === 'daemon';

/** The licenses that are wanted at a time. */
export function wantedAt({ hours }: Feature, at: number): number {
  const day = localTime.dayOf(at);
  const hour = Math.min(23, Math.floor((at - localTime.startOf(day)) / HOUR));
  return hours[(day - TODAY + PAST) * 24 + hour] as number;
}

/** What a company buys, as a share of the peak of the last year. */
const SHARES = [0.9, 1, 1.15, 1.3, 1.5];
/** Mean of the busiest hour of a working day: the least and the most. */
const SIZES = [4, 150] as const;
/** EUR a year for a license of a feature of which one is in use. More are cheaper. */
const PRICE = 20_000;

/** Between two numbers, so that each factor is as likely. */
const between = (random: Random, least: number, most: number): number => least * (most / least) ** random.next();

function drawFeature(i: number, of: number, servers: number): Feature {
  const random = createRandom(of * 1_000_003 + i);
  const kind = kinds[i % kinds.length] as Kind;
  const hours = drawHours(kind, between(random, ...SIZES), of * 7_919 + i);
  const peak = hours.subarray((PAST - YEAR) * 24, PAST * 24).reduce((most, wanted) => Math.max(most, wanted), 0);
  const share = SHARES[Math.floor(random.next() * SHARES.length)] as number;
  const price = (PRICE / Math.sqrt(Math.max(1, peak))) * Math.exp(0.6 * random.normal());
  return {
    ...{ name: `cad-${String(i + 1).padStart(3, '0')}`, kind, server: i % servers, hours, peak },
    ...{ bought: Math.max(1, Math.round(peak * share)), price: Math.max(100, Math.round(price / 10) * 10) },
  };
}

/** Days between the end of the old licenses and the new file: most are in time, one in five is late. */
const RENEWALS = [-21, -12, -6, -3, 2];

function drawServer(i: number, random: Random): Server {
  const name = `lic${String(i + 1).padStart(2, '0')}`;
  const hosts = i % 4 === 3 ? ['a', 'b', 'c'].map((part) => `${name}${part}`) : [name];
  const last = localTime.startOf(TODAY + 20 + Math.floor(random.next() * (YEAR - 60)) + 1) - 1;
  const renewal = RENEWALS[i % RENEWALS.length] as number;
  return {
    name,
    hosts,
    contract: { ends: last, renewed: last + 1 + renewal * DAY + 10 * HOUR, as: i % 3 === 1 ? 'beside' : 'replaced' },
  };
}

/** In a year of ten servers: how many, and how long they last at least and at most. */
const incidentsOf: readonly (readonly [what: Incident['what'], count: number, least: number, most: number])[] = [
  ['server', 16, 15 * MINUTE, 8 * HOUR],
  ['daemon', 10, 20 * MINUTE, 12 * HOUR],
  ['host', 6, HOUR, 3 * DAY],
  ['monitoring', 6, 30 * MINUTE, 6 * HOUR],
];

function drawIncidents(servers: readonly Server[], days: number, random: Random): Incident[] {
  const triads = [...servers.keys()].filter((i) => (servers[i]?.hosts.length ?? 0) > 1);
  const all = [...servers.keys()];
  return incidentsOf.flatMap(([what, count, least, most]) => {
    const among = what === 'host' ? triads : all;
    return Array.from({ length: Math.ceil((count * days) / YEAR) }, (): Incident => {
      const from = START + Math.floor((random.next() * days * DAY) / MINUTE) * MINUTE;
      const to = from + Math.round(between(random, least, most) / MINUTE) * MINUTE;
      const server = what === 'monitoring' ? undefined : among[Math.floor(random.next() * among.length)];
      return { what, server, from, to };
    });
  });
}

/** Two times of one server that overlap cannot be told apart. */
const areApart = (one: Incident, other: Incident): boolean =>
  one === other || one.server !== other.server || one.to + DAY < other.from || other.to + DAY < one.from;

/** @param days that are watched, at most a year */
export function drawCompany({
  seed,
  features,
  servers,
  days,
}: Readonly<Record<'seed' | 'features' | 'servers' | 'days', number>>): Company {
  const random = createRandom(seed * 31 + 7);
  const drawn = Array.from({ length: servers }, (_, i) => drawServer(i, random));
  const incidents = drawIncidents(drawn, days, random);
  // a monitoring that fails while a server is down is the hardest case, and is always there
  const first = incidents.find(({ what, from, to }) => what === 'server' && to - from > 2 * HOUR);
  const hiding = first && {
    what: 'monitoring' as const,
    server: undefined,
    from: first.from + HOUR,
    to: first.to - 1800,
  };
  const kept: Incident[] = [];
  for (const one of [...(hiding === undefined ? [] : [hiding]), ...incidents])
    if (kept.every((other) => areApart(one, other))) kept.push(one);
  return {
    features: Array.from({ length: features }, (_, i) => drawFeature(i, seed, servers)),
    servers: drawn,
    incidents: kept.sort((a, b) => a.from - b.from),
    days,
  };
}
