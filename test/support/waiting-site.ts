import type { Random } from './random.ts';

/**
 * A site where people wait for licenses, with what is true of each of them. It shares nothing with the program: what is true is
 * decided first, by the clock on the wall, and the logs are written from it. Times are epoch seconds.
 */

/** What a person wanted, and how it went. */
export interface TrueWait {
  readonly person: number;
  readonly feature: string;
  /** The first refusal. */
  readonly from: number;
  /** The checkout, or the last refusal. */
  readonly to: number;
  readonly ended: 'got' | 'gave_up';
  /** What the collection says of the first refusal. */
  readonly cause: SiteState;
}

/** What is true of the licenses of a feature while they are all in use somewhere. */
export type SiteState = 'free_elsewhere' | 'reserved_for_others' | 'held_idle' | 'all_busy';
const states: readonly SiteState[] = ['all_busy', 'all_busy', 'free_elsewhere', 'reserved_for_others', 'held_idle'];

/** A line of a log. */
export interface LogLine {
  /** When it was written, by the clock on the wall. */
  readonly at: number;
  /** The second that it has, by the clock of the server. */
  readonly stamp: number;
  readonly text: string;
}

export interface ServerLog {
  readonly server: string;
  /** Seconds by which its clock is ahead. */
  readonly ahead: number;
  readonly lines: readonly LogLine[];
  /** When another file was begun. */
  readonly rotations: readonly number[];
}

/** What a log says of a request. */
interface Request {
  readonly feature: string;
  readonly user: string;
  readonly host: string;
}

export interface WaitingSite {
  readonly manager: 'flexnet' | 'rlm';
  /** Refusals have the minute alone, as in the standard form of RLM. */
  readonly isWithoutSeconds: boolean;
  readonly servers: readonly ServerLog[];
  readonly waits: readonly TrueWait[];
  readonly from: number;
  readonly to: number;
  /** @param at epoch seconds */
  readonly stateOf: (feature: string, at: number) => SiteState;
}

const HOUR = 3600;
const FEATURES = ['solver', 'Mesh_Pro', 'post'];
/** Of one client, between two servers of its list. */
const NEXT_SERVER = 0.4;
/** After a wait, the person wants nothing of the feature for so long. */
const REST = 1800;

const two = (value: number): string => String(value).padStart(2, '0');

interface Written {
  readonly begun: (day: Date) => string;
  readonly refused: (request: Request) => string;
  readonly out: (request: Request) => string;
  readonly in: (request: Request) => string;
}

const clockOf = (day: Date): string =>
  `${two(day.getUTCHours())}:${two(day.getUTCMinutes())}:${two(day.getUTCSeconds())}`;
const dateOf = (day: Date): string => `${two(day.getUTCMonth() + 1)}/${two(day.getUTCDate())}`;

/** How license managers write it; times are added in front of lines of FlexNet, and behind those of RLM. */
const formats: Readonly<Record<WaitingSite['manager'], Written>> = {
  flexnet: {
    begun: (day) => `TIMESTAMP ${day.getUTCMonth() + 1}/${day.getUTCDate()}/${day.getUTCFullYear()}`,
    refused: ({ feature, user, host }) =>
      `DENIED: "${feature}" ${user}@${host}  (Licensed number of users already reached. (-4,342))`,
    out: ({ feature, user, host }) => `OUT: "${feature}" ${user}@${host}  `,
    in: ({ feature, user, host }) => `IN: "${feature}" ${user}@${host}  `,
  },
  rlm: {
    begun: () => 'SWITCH rlm.log',
    refused: ({ feature, user, host }) => `DENY ${feature} 1.0 ${user} ${host} "" 1 -22 1`,
    out: ({ feature, user, host }) => `OUT ${feature} 1.0 1 ${user} ${host} "" 1 1 0 2f 0 0`,
    in: ({ feature, user, host }) => `IN 4 ${feature} 1.0 ${user} ${host} "" 1 0 0 2f`,
  },
};

/** In UTC. */
function lineOf(
  { manager, isWithoutSeconds }: Pick<WaitingSite, 'manager' | 'isWithoutSeconds'>,
  at: number,
  ahead: number,
  message: string,
): LogLine {
  const stamp = Math.floor(at + ahead);
  const day = new Date(stamp * 1000);
  const isShort = isWithoutSeconds && message.startsWith('DENY');
  const time = isShort ? clockOf(day).slice(0, 5) : clockOf(day);
  const text = manager === 'flexnet' ? `${time} (vend) ${message}` : `${message} ${dateOf(day)} ${time}`;
  return { at, stamp, text };
}

/** A day and more, over midnight. */
export function generateWaitingSite({ next }: Random): WaitingSite {
  const int = (below: number): number => Math.floor(next() * below);
  const one = <T>(of: readonly T[]): T => of[int(of.length)] as T;
  const manager = next() < 0.7 ? 'flexnet' : 'rlm';
  const words = formats[manager];
  const form = { manager, isWithoutSeconds: manager === 'rlm' && next() < 0.5 } as const;
  const from = Date.UTC(2026, 10, 2 + int(5), 14 + int(8)) / 1000;
  const to = from + (10 + int(14)) * HOUR;
  const servers = Array.from({ length: 2 + int(4) }, (_, i) => ({
    server: `lic${i + 1}`,
    ahead: Math.round((next() * 2 - 1) * 20),
    lines: [] as LogLine[],
    rotations: next() < 0.5 ? [from + int(to - from)] : [],
  }));
  type Server = (typeof servers)[number];
  const changes = new Map(
    FEATURES.map((feature) => [feature, Array.from({ length: 24 }, () => ({ state: one(states), hours: 1 + int(4) }))]),
  );
  const stateOf = (feature: string, at: number): SiteState => {
    let end = from - HOUR;
    for (const { state, hours } of changes.get(feature) ?? []) {
      end += hours * HOUR;
      if (at < end) return state;
    }
    return 'all_busy';
  };

  const write = ({ lines, ahead }: Server, at: number, message: string): void => {
    lines.push(lineOf(form, at, ahead, message));
  };
  const checkOut = (server: Server, at: number, request: Request): void => {
    write(server, at, words.out(request));
    write(server, at + 60 + int(4 * HOUR), words.in(request));
  };
  /** All servers of a client refuse. */
  const refuseAll = (order: readonly Server[], at: number, request: Request): number => {
    for (const [i, server] of order.entries()) write(server, at + i * NEXT_SERVER, words.refused(request));
    return at + (order.length - 1) * NEXT_SERVER;
  };
  /** The names by which one person is known on her hosts. */
  const nameOf = (person: number): string => {
    const name = `user${person}`;
    return one([name, name, name, name.toUpperCase(), `CORP\\${name}`]);
  };

  const waits: TrueWait[] = [];
  const add = (person: number, feature: string, wait: Pick<TrueWait, 'from' | 'to' | 'ended'>): void => {
    waits.push({ person, feature, ...wait, cause: stateOf(feature, wait.from) });
  };
  const busyUntil = new Map<string, number>();
  const people = 15 + int(40);
  for (let i = people * 4; i > 0; i -= 1) {
    const person = int(people);
    const feature = one(FEATURES);
    const at = from + next() * (to - from);
    const pair = `${person} ${feature}`;
    const order = servers.toSorted(() => next() - 0.5).slice(0, 1 + int(servers.length));
    const retry = one([10, 10, 10, 30, 60, 240]);
    const length = Math.min(next() ** 2 * 2 * HOUR, to - at - 60);
    if (length < 0 || at < (busyUntil.get(pair) ?? 0)) continue;
    const request = { feature, user: nameOf(person), host: `ws${int(400)}` };
    const kind = next();
    const others = (host: string) => ({ feature, user: nameOf(person), host: `${host}${int(400)}` });
    busyUntil.set(pair, at + length + REST);
    if (kind < 0.2) {
      // refused here, granted there
      const other = servers.find((server) => !order.includes(server));
      refuseAll(order, at, request);
      if (other === undefined) checkOut(one(order), at + 1 + next() * 3, request);
      else checkOut(other, at + order.length * NEXT_SERVER + next(), request);
    } else if (kind < 0.3) {
      // nothing is refused
      checkOut(one(order), at, request);
    } else if (kind < 0.4) {
      // a job on twenty hosts, which begins when it has its first license, or is given up
      const clients = Array.from({ length: 20 }, () => others('node'));
      let last = at;
      for (const [j, own] of clients.entries())
        for (let when = at + j * 0.3; when <= at + length; when += 10)
          last = Math.max(last, refuseAll(order, when, own));
      if (next() < 0.7) {
        const got = at + length + 8 + next() * 4;
        for (const own of clients) checkOut(one(order), got + next() * 2, own);
        add(person, feature, { from: at, to: got, ended: 'got' });
      } else {
        add(person, feature, { from: at, to: last, ended: 'gave_up' });
      }
    } else {
      let when = at;
      let last = at;
      for (; when <= at + length; when += retry) last = refuseAll(order, when, request);
      if (next() < 0.7) {
        const got = when + (order.length - 1) * NEXT_SERVER;
        // sometimes on another host of hers
        checkOut(one(order), got, next() < 0.2 ? others('ws') : request);
        add(person, feature, { from: at, to: got, ended: 'got' });
      } else add(person, feature, { from: at, to: last, ended: 'gave_up' });
    }
  }
  for (const server of servers) {
    for (let at = from; at < to; at += 4 * HOUR) {
      const day = new Date((at + server.ahead) * 1000);
      write(server, at, words.begun(day));
    }
    if (manager === 'flexnet' && next() < 0.5)
      write(server, from + next() * (to - from), 'Server started on lic for: solver');
    server.lines.sort((a, b) => a.at - b.at);
  }
  return { ...form, servers, waits, from, to, stateOf };
}
