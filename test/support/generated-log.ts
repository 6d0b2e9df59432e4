import type { LocalTime } from '../../src/base/model/local-time.ts';

/** A debug log of FlexNet that is made up, with what really happened. */

export interface Session {
  readonly daemon: string;
  readonly feature: string;
  readonly from: number;
  readonly to: number;
  readonly licenses: number;
}

export interface GeneratedLog {
  readonly text: string;
  readonly sessions: readonly Session[];
  readonly denials: readonly { readonly daemon: string; readonly feature: string; readonly at: number }[];
}

export interface GeneratedLogOptions {
  readonly localTime: LocalTime;
  readonly start: number;
  readonly days: number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Sessions in each time between two starts of a daemon. */
  readonly sessions: number;
}

const DAY = 86_400;

const two = (value: number): string => String(value).padStart(2, '0');

/** Writes lines as `lmgrd` and vendor daemons do. */
class LogWriter {
  readonly #localTime: LocalTime;
  readonly #lines: { readonly at: number; readonly text: string }[] = [];

  constructor(localTime: LocalTime) {
    this.#localTime = localTime;
  }

  add(at: number, daemon: string, message: string): void {
    const clock = (((at + this.#localTime.offsetAt(at)) % DAY) + DAY) % DAY;
    const time = `${Math.floor(clock / 3600)}:${two(Math.floor(clock / 60) % 60)}:${two(clock % 60)}`;
    this.#lines.push({ at, text: `${time.padStart(8)} (${daemon}) ${message}` });
  }

  addDate(at: number): void {
    const date = new Date((at + this.#localTime.offsetAt(at)) * 1000);
    this.add(at, 'lmgrd', `TIMESTAMP ${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`);
  }

  text(): string {
    // in the order of time, and for the same second as they were added
    const sorted = this.#lines.map((line, i) => ({ ...line, i })).sort((a, b) => a.at - b.at || a.i - b.i);
    return sorted.map(({ text }) => `${text}\n`).join('');
  }
}

/** Times in which a daemon runs. It ends in one of the ways of a real one. */
function runsOf(daemon: string, log: LogWriter, { start, days, random }: GeneratedLogOptions, isInMidst: boolean) {
  const int = (below: number): number => Math.floor(random() * below);
  const end = start + days * DAY;
  const runs: { from: number; to: number }[] = [];
  let at = start + (isInMidst ? 0 : 5);
  if (!isInMidst) {
    log.add(at, 'lmgrd', `Started ${daemon} (internet tcp_port 4711 pid 12)`);
    log.add(at, daemon, 'Server started on lic1 for: f0 f1');
  }
  for (;;) {
    const next = at + 3600 + int(4 * DAY);
    const to = next > end - 100 || random() < 0.3 ? end : next;
    runs.push({ from: at, to });
    if (to === end) return runs;
    const way = int(3);
    at = to + ([60 + int(20_000), int(3)][way] ?? 0);
    if (way === 0) log.add(to, daemon, 'daemon shutdown requested - shutting down');
    if (way === 1) log.add(to, 'lmgrd', `${daemon} exited with status 28 (Communications error)`);
    // of one that is gone without a word, the last line is all that is known
    if (way === 2) log.add(to, daemon, 'TCP_NODELAY NOT enabled');
    if (at >= end) return runs;
    log.add(at, 'lmgrd', `${way === 0 ? 'Started' : 'REStarted'} ${daemon} (internet tcp_port 4712 pid 13)`);
  }
}

/** Sessions over midnight and over the end of the daemon, several licenses in a line, borrowed ones, and some begun before the log. */
export function generateLog(options: GeneratedLogOptions): GeneratedLog {
  const { localTime, start, days, random } = options;
  const int = (below: number): number => Math.floor(random() * below);
  const log = new LogWriter(localTime);
  const sessions: Session[] = [];
  const denials: { daemon: string; feature: string; at: number }[] = [];
  const isInMidst = random() < 0.3;
  let clients = 0;
  for (const daemon of ['vendA', 'vendB'].slice(0, 1 + int(2))) {
    const features = Array.from({ length: 1 + int(4) }, (_, i) => `f${i}`);
    for (const [run, { from, to }] of runsOf(daemon, log, options, isInMidst).entries()) {
      for (let i = int(options.sessions); i > 0; i -= 1) {
        const feature = features[int(features.length)] ?? '';
        const licenses = random() < 0.2 ? 1 + int(5) : 1;
        const isBefore = isInMidst && run === 0 && random() < 0.2;
        const begin = isBefore ? from : from + int(to - from);
        const length = 1 + int(random() < 0.1 ? 3 * DAY : 20_000);
        const end = Math.min(begin + length, to);
        clients += 1;
        const who = `u${int(10)}@h${clients % 50}${licenses > 1 ? `  (${licenses} licenses)` : '  '}`;
        // of one that begins before the log and ends after it, the log does not tell
        if (isBefore && end === to) continue;
        if (!isBefore) log.add(begin, daemon, `OUT: "${feature}" ${who}`);
        if (end < to) log.add(end, daemon, `IN: "${feature}" ${who}`);
        sessions.push({ daemon, feature, from: begin, to: end, licenses });
        if (random() > 0.2) continue;
        const at = from + int(to - from);
        log.add(
          at,
          daemon,
          `DENIED: "${feature}" x${clients}@d1  (Licensed number of users already reached. (-4,342))`,
        );
        denials.push({ daemon, feature, at });
      }
    }
    // of a time that the clock shows twice, the order of lines tells which one it is
    for (let at = start + 300; at < start + days * DAY; at += 900) log.add(at, daemon, 'TCP_NODELAY NOT enabled');
  }
  for (let at = start; at <= start + days * DAY; at += 6 * 3600) log.addDate(at);
  return { text: log.text(), sessions, denials };
}

export interface DayTruth {
  peak: number;
  licenseSeconds: number;
  denials: number;
}

/** What happened on each day, by `daemon feature day`; only where something did. Nothing of it is computed as by a replay. */
export function truthOf({ sessions, denials }: GeneratedLog, localTime: LocalTime): ReadonlyMap<string, DayTruth> {
  const days = new Map<string, DayTruth>();
  const at = (key: string): DayTruth => {
    const known = days.get(key) ?? { peak: 0, licenseSeconds: 0, denials: 0 };
    days.set(key, known);
    return known;
  };
  for (const [name, own] of Map.groupBy(sessions, ({ daemon, feature }) => `${daemon} ${feature}`)) {
    for (const { from, to, licenses } of own) {
      for (let day = localTime.dayOf(from); day <= localTime.dayOf(to - 1); day += 1) {
        const begin = Math.max(from, localTime.startOf(day));
        const end = Math.min(to, localTime.startOf(day + 1));
        const truth = at(`${name} ${day}`);
        truth.licenseSeconds += licenses * Math.max(0, end - begin);
        // in use is most where a session begins, or where the day does
        const moments = own.map((other) => other.from).filter((moment) => moment >= begin && moment < end);
        for (const moment of [begin, ...moments]) {
          const inUse = own.reduce((sum, one) => sum + (one.from <= moment && moment < one.to ? one.licenses : 0), 0);
          truth.peak = Math.max(truth.peak, inUse);
        }
      }
    }
  }
  for (const denial of denials) at(`${denial.daemon} ${denial.feature} ${localTime.dayOf(denial.at)}`).denials += 1;
  return days;
}
