import type { Random } from './random.ts';

/**
 * Logs of all kinds that are made up, as they lie on a disk after they were rotated, cut and copied, with what really happened.
 * Nothing of it is computed as by a replay.
 */

/** A checkout or a checkin of some licenses, in the order of their lines. */
interface Change {
  readonly at: number;
  readonly licenses: number;
}

/** What happened to a feature. */
export interface FeatureTruth {
  readonly daemon: string;
  readonly feature: string;
  readonly changes: Change[];
  /** Requests that were refused. */
  readonly denials: number[];
}

/** A time in which a daemon ran and its log tells of it. */
export interface Run {
  readonly daemon: string;
  readonly from: number;
  readonly to: number;
}

interface Line {
  readonly at: number;
  readonly text: string;
  /** What follows within seconds says what it means, so that a log is not cut there. */
  readonly isOpen: boolean;
}

/** A file of a log. */
export interface PastFile {
  readonly name: string;
  readonly text: string;
  /** When it was written to last, epoch seconds. */
  readonly writtenAt: number;
}

export const pastKinds = [
  'one log',
  'verbose',
  'log of lmgrd beside',
  'redundant group',
  'RLM std',
  'RLM small',
  'RLM detailed',
] as const;
export type PastKind = (typeof pastKinds)[number];

/** What happened, and all that was written about it. */
export interface Past {
  readonly features: readonly FeatureTruth[];
  readonly runs: readonly Run[];
  /** The files, as they were cut and copied. */
  readonly files: readonly PastFile[];
  /** The same lines in as few files as have them in the order of time. */
  readonly whole: readonly PastFile[];
}

export interface PastOptions {
  readonly kind: PastKind;
  /** The first second of a local day. */
  readonly start: number;
  readonly days: number;
  /** Of the clock in the logs, seconds east of UTC; it is not changed in these days. */
  readonly offset: number;
  readonly random: Random;
}

const DAY = 86_400;
const HOUR = 3600;

const two = (value: number): string => String(value).padStart(2, '0');

/** What is drawn. */
class Draw {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  int(below: number): number {
    return Math.floor(this.#random.next() * below);
  }

  is(share: number): boolean {
    return this.#random.next() < share;
  }

  one<T>(values: readonly T[]): T {
    return values[this.int(values.length)] as T;
  }

  shuffled<T>(values: readonly T[]): T[] {
    const left = [...values];
    return Array.from({ length: left.length }, () => left.splice(this.int(left.length), 1)[0] as T);
  }
}

/** A local time of the wall. */
const wall = (at: number, offset: number) => {
  const shown = new Date((at + offset) * 1000);
  const [month, date, year] = [shown.getUTCMonth() + 1, shown.getUTCDate(), shown.getUTCFullYear()];
  const [hour, minute, second] = [shown.getUTCHours(), shown.getUTCMinutes(), shown.getUTCSeconds()];
  return { month, date, year, hour, minute, second };
};

/** The logs that are written, and what happened. */
class Site {
  readonly logs = new Map<string, Line[]>();
  readonly features = new Map<string, FeatureTruth>();
  readonly runs: Run[] = [];

  write(log: string, at: number, text: string, isOpen = false): void {
    const lines = this.logs.get(log) ?? [];
    this.logs.set(log, lines);
    lines.push({ at, text, isOpen });
  }

  feature(daemon: string, feature: string): FeatureTruth {
    const key = `${daemon} ${feature}`;
    const known = this.features.get(key) ?? { daemon, feature, changes: [], denials: [] };
    this.features.set(key, known);
    return known;
  }

  /** In the order of time; of the same second, in the order in which they were written. */
  linesOf(log: string): readonly Line[] {
    return (this.logs.get(log) ?? []).toSorted((a, b) => a.at - b.at);
  }
}

/** What happens while a daemon runs, in the order of time. */
interface Happening {
  readonly at: number;
  /** One who asks is denied, and gets the license a moment later. */
  readonly kind: 'out' | 'in' | 'denied' | 'asks';
  readonly feature: string;
  readonly licenses: number;
  readonly client: number;
  /** Of an end: it goes with the daemon, and no line says so. */
  readonly isSilent?: boolean;
}

interface RunOptions {
  readonly from: number;
  readonly to: number;
  readonly features: readonly string[];
  readonly most: number;
  /** All times are whole minutes. */
  readonly unit: number;
  /** Whether there may be sessions that had begun before the first line. */
  readonly isInMidst: boolean;
  readonly isFlexNet: boolean;
}

let clients = 0;

function nextClient(): number {
  clients += 1;
  return clients;
}

function drawRun(
  draw: Draw,
  { from, to, features, most, unit, isInMidst, isFlexNet }: RunOptions,
): readonly Happening[] {
  const found: Happening[] = [];
  const moment = (): number => from + unit * (1 + draw.int(Math.max(1, Math.floor((to - from) / unit) - 2)));
  for (let i = draw.int(most); i > 0; i -= 1) {
    const feature = draw.one(features);
    const licenses = draw.is(0.2) ? 1 + draw.int(5) : 1;
    // some clients come again, also in the same second
    const known = isFlexNet && draw.is(0.2) ? draw.int(3) : nextClient();
    const begin = isInMidst && draw.is(0.2) ? from : moment();
    // of two sessions of one client, no line says which one had begun before
    const client = begin === from ? nextClient() : known;
    const end = begin + unit * draw.int(Math.ceil((draw.is(0.1) ? 2 * DAY : 20_000) / unit));
    // what had begun before and does not end in the log is in no line
    if (begin === from && end >= to) continue;
    const session = { feature, licenses, client };
    if (begin !== from) found.push({ ...session, at: begin, kind: 'out' });
    else found.push({ ...session, at: from, kind: 'out', isSilent: true });
    found.push({ ...session, at: Math.min(end, to), kind: 'in', isSilent: end >= to });
    if (draw.is(0.2)) {
      const asking = { at: moment(), feature, licenses: 1, client: nextClient() };
      const isDenied = !isFlexNet || draw.is(0.7) || asking.at + 100 > to;
      found.push({ ...asking, kind: isDenied ? 'denied' : 'asks' });
      if (!isDenied)
        found.push({ ...asking, at: asking.at + 2, kind: 'out' }, { ...asking, at: asking.at + 90, kind: 'in' });
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

/** FlexNet. */

const flexTime = (at: number, offset: number): string => {
  const { hour, minute, second } = wall(at, offset);
  return `${String(hour).padStart(2)}:${two(minute)}:${two(second)}`;
};
const flexLine = (at: number, offset: number, daemon: string, message: string): string =>
  `${flexTime(at, offset)} (${daemon}) ${message}`;
const flexDate = (at: number, offset: number): string => {
  const { month, date, year } = wall(at, offset);
  return `TIMESTAMP ${month}/${date}/${year}`;
};

/** Writes what happens in a run of a daemon. */
function writeFlexRun(
  site: Site,
  happenings: readonly Happening[],
  {
    daemon,
    log,
    offset,
    isVerbose,
  }: { readonly daemon: string; readonly log: string; readonly offset: number; readonly isVerbose: boolean },
): void {
  const inUse = new Map<string, number>();
  for (const { at, kind, feature, licenses, client, isSilent } of happenings) {
    const say = (second: number, message: string, isOpen = false): void =>
      site.write(log, second, flexLine(second, offset, daemon, message), isOpen);
    const who = `u${client % 7}@h${client}`;
    const details = (): string =>
      ` ^^^ 2.0 u${client % 7} 10.0.0.1 ${1000 + client} 0x1 ${inUse.get(feature) ?? 0} 90 - 11 19 ${flexTime(at, offset).trim()} NO ^^^`;
    const truth = site.feature(daemon, feature);
    if (kind === 'denied' || kind === 'asks') {
      const why = '(Licensed number of users already reached. (-4,342))';
      say(at, `DENIED: "${feature}" ${who}  ${why}${isVerbose ? details() : ''}`, kind === 'asks');
      if (kind === 'denied') truth.denials.push(at);
      continue;
    }
    const change = kind === 'out' ? licenses : -licenses;
    truth.changes.push({ at, licenses: change });
    inUse.set(feature, (inUse.get(feature) ?? 0) + change);
    if (isSilent) continue;
    const count = licenses > 1 ? `  (${licenses} licenses)` : '  ';
    say(at, `${kind.toUpperCase()}: "${feature}" ${who}${count}${isVerbose ? details() : ''}`);
  }
}

interface FlexNetOptions extends PastOptions {
  readonly draw: Draw;
}

/** Each daemon writes the date every six hours, as `lmgrd` does. */
function writeDates(
  site: Site,
  log: string,
  writer: string,
  { from, to, offset }: { from: number; to: number; offset: number },
): void {
  for (let at = from; at < to; at += 6 * HOUR) site.write(log, at, flexLine(at, offset, writer, flexDate(at, offset)));
  site.write(log, to, flexLine(to, offset, writer, flexDate(to, offset)));
}

/** One server. A daemon is shut down, exits, or is started again instead of one that is gone. */
function writeServer(site: Site, { kind, start, days, offset, draw }: FlexNetOptions): void {
  const end = start + days * DAY - 1;
  const isInMidst = draw.is(0.3);
  const isVerbose = kind === 'verbose';
  const lmgrd = 'lmgrd.log';
  const say = (log: string, at: number, writer: string, message: string, isOpen = false): void =>
    site.write(log, at, flexLine(at, offset, writer, message), isOpen);
  writeDates(site, lmgrd, 'lmgrd', { from: start, to: end, offset });
  for (const daemon of ['vendA', 'vendB'].slice(0, 1 + draw.int(2))) {
    const log = kind === 'log of lmgrd beside' ? `${daemon}.log` : lmgrd;
    const features = Array.from({ length: 1 + draw.int(3) }, (_, i) => `f${i}`);
    const begins = (moment: number): void => {
      say(lmgrd, moment, 'lmgrd', `Started ${daemon} (internet tcp_port 4711 pid 12)`, true);
      say(lmgrd, moment, daemon, 'FlexNet Licensing version v11.19.6');
      if (log !== lmgrd) say(log, moment + 2, daemon, flexDate(moment + 2, offset));
      say(log, moment + 1, daemon, `Server started on lic1 for:\t${features.join('\t\t')}\t\t`, true);
    };
    let at = start + (isInMidst ? 0 : 10);
    if (isInMidst) say(log, at, daemon, flexDate(at, offset));
    else begins(at);
    for (let run = 0; ; run += 1) {
      const next = at + HOUR + draw.int(2 * DAY);
      const to = next > end - 300 || draw.is(0.3) ? end : next;
      const isMidst = isInMidst && run === 0;
      const first = at + (isMidst ? 0 : 2);
      const options = { features, most: 12, unit: 1, isInMidst: isMidst, isFlexNet: true };
      writeFlexRun(site, drawRun(draw, { ...options, from: first, to }), { daemon, log, offset, isVerbose });
      for (let stamp = first + 5 * HOUR; stamp < to; stamp += 5 * HOUR)
        say(log, stamp, daemon, flexDate(stamp, offset));
      site.runs.push({ daemon, from: at, to });
      if (to === end) {
        say(log, end, daemon, flexDate(end, offset));
        break;
      }
      const way = draw.int(3);
      at = to + ([1 + draw.int(20_000), 1 + draw.int(2), 1 + draw.int(3)][way] ?? 0);
      // of one that is gone without a word and not started again, no line tells
      const isLast = at > end - 600;
      if (way === 0) say(log, to, daemon, 'daemon shutdown requested - shutting down');
      if (way === 1 || (way === 2 && isLast))
        say(lmgrd, to, 'lmgrd', `${daemon} exited with status 28 (Communications error)`);
      // one that is gone without a word is started again at once; its last line is all that is known
      if (way === 2 && !isLast) say(log, to, daemon, flexDate(to, offset));
      if (isLast) break;
      begins(at);
    }
  }
}

/** Three servers, of which one serves. */
function writeGroup(site: Site, { start, days, offset, draw }: FlexNetOptions): void {
  const end = start + days * DAY - 1;
  const hosts = ['lic1', 'lic2', 'lic3'];
  const daemon = 'vendA';
  const features = Array.from({ length: 1 + draw.int(3) }, (_, i) => `f${i}`);
  const say = (host: string, at: number, writer: string, message: string): void =>
    site.write(`${host}.log`, at, flexLine(at, offset, writer, message));
  const starts = (host: string, at: number): void => {
    const { month, date, year } = wall(at, offset);
    say(
      host,
      at,
      'lmgrd',
      `FlexNet Licensing (v11.19.6 build 1 x64_lsb) started on ${host} (linux) (${month}/${date}/${year})`,
    );
  };
  const serves = (host: string, at: number): void =>
    say(host, at, daemon, `Server started on ${host} for:\t${features.join('\t\t')}\t\t`);
  for (const host of hosts) {
    starts(host, start);
    serves(host, start + 4);
    writeDates(site, `${host}.log`, 'lmgrd', { from: start + 1, to: end, offset });
    // a daemon writes the date also where it does not serve
    writeDates(site, `${host}.log`, daemon, { from: start + HOUR, to: end, offset });
  }
  let master = 'lic1';
  for (let at = start + 3; ; ) {
    for (const host of hosts) say(host, at, 'lmgrd', `CONNECTED, master is ${master}`);
    const next = at + HOUR + draw.int(DAY);
    const to = next > end - 600 ? end : next;
    const options = { features, most: 8, unit: 1, isInMidst: false, isFlexNet: true };
    const happenings = drawRun(draw, { ...options, from: at + 5, to });
    writeFlexRun(site, happenings, { daemon, log: `${master}.log`, offset, isVerbose: false });
    site.runs.push({ daemon, from: at, to });
    if (to === end) return;
    const other = draw.one(hosts.filter((host) => host !== master));
    say(other, to, 'lmgrd', `Lost connection to ${master}`);
    const isShutDown = draw.is(0.5);
    if (isShutDown) {
      say(master, to, daemon, 'daemon shutdown requested - shutting down');
      say(master, to, 'lmgrd', 'EXITING DUE TO SIGNAL 15');
      starts(master, to + 60);
      say(master, to + 61, 'lmgrd', `CONNECTED, master is ${other}`);
    }
    master = other;
    at = isShutDown ? to + 1 : to;
  }
}

/** RLM. */

const rlmDate = (at: number, offset: number): string => {
  const { month, date, year, hour, minute } = wall(at, offset);
  return `${two(month)}/${two(date)}/${year} ${two(hour)}:${two(minute)}`;
};

/** One that holds licenses of its own or shares those of others. */
interface RlmSession {
  readonly handle: string;
  /** As the log writes it: of one that shares with nobody its own, or 0. */
  readonly share: string;
  readonly product: string;
  readonly user: string;
  readonly count: number;
  readonly group: { readonly first: string; readonly members: Set<string>; readonly count: number };
}

/** An ISV server that is switched to other files and started again. */
function writeReportLog(site: Site, { kind, start, days, offset, draw }: FlexNetOptions): void {
  const form = { 'RLM std': 0, 'RLM small': 1, 'RLM detailed': 2 }[kind as string] ?? 0;
  const isSmall = form === 1;
  const unit = 60;
  const end = start + days * DAY - 60;
  const daemon = 'acme';
  const products = ['cad', 'sim'];
  const hasOwnShare = draw.is(0.7);
  let part = 0;
  let log = '';
  const open = new Map<string, RlmSession>();
  const inUse = (product: string): number =>
    new Set([...open.values()].filter((one) => one.product === product).map(({ group }) => group))
      .values()
      .reduce((sum, { count }) => sum + count, 0);
  const time = (at: number): string => {
    const { month, date, hour, minute, second } = wall(at, offset);
    if (isSmall) return `${two(hour)}:${two(minute)}`;
    const exact = `${two(month)}/${two(date)} ${two(hour)}:${two(minute)}:${two(second)}`;
    return form === 2 ? `${exact}.0123` : exact;
  };
  const begin = (at: number, before: string | undefined): void => {
    part += 1;
    log = `acme-${part}.rl`;
    if (before !== undefined) site.write(log, at, `SWITCH from ${before}`);
    site.write(log, at, `RLM Report Log Format ${form}, version 14.2`);
    site.write(log, at, 'ISV: acme, RLM version 14.2 BL1');
    site.write(log, at, `START lic1 ${rlmDate(at, offset)}`);
    for (const [pool, product] of products.entries())
      site.write(log, at, `PRODUCT ${product} 3.0 ${pool + 1} 90 0 0 "" "" "" "" "" "" 0 0 0 0 0 0 0 0 0`);
    for (const { product, user, count, handle, share } of draw.shuffled([...open.values()])) {
      const { month, date, hour, minute, second } = wall(at, offset);
      const when = `${two(month)}/${two(date)} ${two(hour)}:${two(minute)}:${two(second)}`;
      site.write(
        log,
        at,
        `INUSE ${product} 3.0 ${products.indexOf(product) + 1} ${user} "" ${count} ${handle} ${share} 3e8 ${when}`,
      );
    }
  };
  const change = (product: string, at: number, licenses: number): void => {
    if (licenses !== 0) site.feature(daemon, product).changes.push({ at, licenses });
  };
  const out = (at: number, product: string, client: number, count: number): void => {
    const handle = (client + 16).toString(16);
    const other = draw.one([...open.values()].filter((one) => one.product === product));
    const isShared = other !== undefined && draw.is(0.3);
    const group = isShared ? other.group : { first: handle, members: new Set<string>(), count };
    group.members.add(handle);
    const share = isShared ? group.first : hasOwnShare ? handle : '0';
    const user = `u${client % 7} pc${client}`;
    open.set(handle, { handle, share, product, user, count: isShared ? group.count : count, group });
    change(product, at, isShared ? 0 : count);
    const what = `OUT ${product} 3.0`;
    const written = isShared ? group.count : count;
    if (isSmall) site.write(log, at, `${what} ${user} "" ${written} ${handle} ${share} ${time(at)}`);
    else {
      const rest = form === 2 ? ' "x64_l 5" "cad" 0 "" 10.0.0.1' : '';
      const pool = products.indexOf(product) + 1;
      site.write(
        log,
        at,
        `${what} ${pool} ${user} "" ${written} ${inUse(product)} 0 ${handle} ${share} 3e8 "" "${product}" "3.0" ${time(at)}${rest}`,
      );
    }
  };
  const into = (at: number, { handle, product, user, count, group }: RlmSession): void => {
    open.delete(handle);
    group.members.delete(handle);
    change(product, at, group.members.size === 0 ? -group.count : 0);
    if (isSmall) site.write(log, at, `IN 1 ${count} ${handle} ${time(at)}`);
    else site.write(log, at, `IN 1 ${product} 3.0 ${user} "" ${count} ${inUse(product)} 0 ${handle} ${time(at)}`);
  };
  let from = start;
  for (let at = start; ; ) {
    begin(at, undefined);
    from = at;
    const next = at + unit * (60 + draw.int((2 * DAY) / unit));
    const to = next > end - 7200 || draw.is(0.3) ? end : next;
    const moments = Array.from({ length: draw.int(40) }, () => at + unit * (1 + draw.int((to - at) / unit - 2)));
    const stamps: number[] = [];
    for (let stamp = at + 6 * HOUR; stamp < to; stamp += 6 * HOUR) stamps.push(stamp);
    const happenings = [
      ...moments.map((moment) => ({ moment, isStamp: false })),
      ...stamps.map((moment) => ({ moment, isStamp: true })),
    ];
    for (const { moment, isStamp } of happenings.sort((a, b) => a.moment - b.moment)) {
      const product = draw.one(products);
      if (isStamp) {
        if (draw.is(0.3) && moment > from) {
          const old = log;
          site.write(log, moment, `SWITCH to acme-${part + 1}.rl`);
          site.write(log, moment, `END ${rlmDate(moment, offset)}`);
          begin(moment, old);
        } else site.write(log, moment, rlmDate(moment, offset));
      } else if (draw.is(0.1)) {
        const { month, date, hour, minute } = wall(moment, offset);
        const when = `${two(month)}/${two(date)} ${two(hour)}:${two(minute)}`;
        site.write(log, moment, `DENY ${product} 3.0 bob pc2 "" 1 -22 1 ${when}`);
        site.feature(daemon, product).denials.push(moment);
      } else if (open.size > 0 && draw.is(0.45)) into(moment, draw.one([...open.values()]));
      else out(moment, product, nextClient(), draw.is(0.2) ? 1 + draw.int(5) : 1);
    }
    for (const { group, product } of open.values()) {
      change(product, to, -group.count * Number(group.members.size > 0));
      group.members.clear();
    }
    open.clear();
    site.runs.push({ daemon, from: at, to });
    const { month, date, hour, minute, second } = wall(to, offset);
    site.write(log, to, `SHUTDOWN root lic1 ${two(month)}/${two(date)} ${two(hour)}:${two(minute)}:${two(second)}`);
    site.write(log, to, `END ${rlmDate(to, offset)}`);
    if (to === end) return;
    at = to + unit * (1 + draw.int(120));
  }
}

/** Files. */

const lastAt = (lines: readonly Line[]): number => lines.at(-1)?.at ?? 0;

const fileOf = (name: string, lines: readonly Line[]): PastFile => ({
  name,
  text: lines.map(({ text }) => `${text}\n`).join(''),
  writtenAt: lastAt(lines) + 1,
});

/** Whether a log can be cut before a line: what says one thing stays together, and equal lines of one second do. */
function canCut(lines: readonly Line[], i: number): boolean {
  const at = lines[i]?.at ?? 0;
  const before = lines.slice(0, i).filter((line) => line.at >= at - 5);
  const texts = new Set(before.filter((line) => line.at === at).map(({ text }) => text));
  return !before.some(({ isOpen }) => isOpen) && !lines.slice(i).some((line) => line.at === at && texts.has(line.text));
}

/** Parts of a log that may overlap, under the names of rotation, and copies of some. */
function cutLog(draw: Draw, name: string, lines: readonly Line[]): readonly PastFile[] {
  const cuts = Array.from({ length: draw.int(5) }, () => draw.int(lines.length)).filter(
    (i) => i > 0 && canCut(lines, i),
  );
  const bounds = [...new Set([0, ...cuts, lines.length])].sort((a, b) => a - b);
  const isByDate = draw.is(0.5);
  const count = bounds.length - 1;
  return bounds.slice(1).flatMap((to, i) => {
    let from = bounds[i] ?? 0;
    // a copy of the log before it was rotated
    const earlier = Math.max(0, from - draw.int(30));
    if (draw.is(0.3) && canCut(lines, earlier)) from = earlier;
    const part = lines.slice(from, to);
    const dated = `${name}-${20_260_800 + i}`;
    const own = isByDate ? dated : i === count - 1 ? name : `${name}.${count - 1 - i}`;
    const file = fileOf(own, part);
    return draw.is(0.15) ? [file, { ...file, name: `copy of ${own}` }] : [file];
  });
}

/** Files that are switched by their writer; some are there twice, and some were copied before they were whole. */
function copyFiles(draw: Draw, logs: ReadonlyMap<string, readonly Line[]>): readonly PastFile[] {
  return [...logs].flatMap(([name, lines]) => {
    const file = fileOf(name, lines);
    if (draw.is(0.7)) return [file];
    const part = lines.slice(0, 8 + draw.int(lines.length));
    return [file, fileOf(`copy of ${name}`, part)];
  });
}

/** Draws what happened, and the files about it. */
export function generatePast(options: PastOptions): Past {
  const draw = new Draw(options.random);
  const site = new Site();
  const { kind } = options;
  const isRlm = kind.startsWith('RLM');
  if (isRlm) writeReportLog(site, { ...options, draw });
  else if (kind === 'redundant group') writeGroup(site, { ...options, draw });
  else writeServer(site, { ...options, draw });
  const logs = new Map([...site.logs.keys()].map((name) => [name, site.linesOf(name)]));
  const features = [...site.features.values()];
  const { runs } = site;
  if (isRlm) {
    const whole = [...logs].map(([name, lines]) => fileOf(name, lines));
    return { features, runs, files: draw.shuffled(copyFiles(draw, logs)), whole };
  }
  const all = [...logs.values()].flat().sort((a, b) => a.at - b.at);
  const whole =
    kind === 'redundant group' ? [...logs].map(([name, lines]) => fileOf(name, lines)) : [fileOf('all.log', all)];
  return {
    features,
    runs,
    files: draw.shuffled([...logs].flatMap(([name, lines]) => cutLog(draw, name, lines))),
    whole,
  };
}
