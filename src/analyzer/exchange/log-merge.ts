import type {
  LicenseEvent,
  LicenseRefusal,
  LogBeginning,
  UsageEvents,
  UsageFileReader,
} from '../sources/log/usage-log.ts';

/** The lines of several files of a log, in the order of time. */

/** What a line says. A line can say several things. */
export interface Said {
  /** The line, without white space around it. */
  readonly line: string;
  /** Of the line in its file. */
  readonly number: number;
  /** Of the daemon or host that it is about. */
  readonly name: string;
  readonly kind: keyof UsageEvents;
  /** Epoch seconds. */
  readonly at: number;
  /** The latest time that the file has said so far: lines of several writers may be out of order. */
  readonly key: number;
  readonly tell: (events: UsageEvents) => void;
}

export interface MergedFile {
  readonly beginning: LogBeginning;
  /** @param events gets what the lines say */
  read(events: UsageEvents): UsageFileReader;
  /** Some lines at once. */
  lines(): AsyncIterable<readonly string[]>;
}

/** Keeps what a file says until it is its turn. */
class Kept implements UsageEvents {
  readonly said: Said[] = [];
  #key = Number.NEGATIVE_INFINITY;
  #line = '';
  #number = 0;

  /** The next events are what this line says. */
  begin(line: string): void {
    this.#line = line;
    this.#number += 1;
  }

  isOn(host: string, at: number): void {
    this.#add('isOn', host, at, (events) => events.isOn(host, at));
  }

  serving(host: string, at: number): void {
    this.#add('serving', host, at, (events) => events.serving(host, at));
  }

  runs(daemon: string, at: number): void {
    this.#add('runs', daemon, at, (events) => events.runs(daemon, at));
  }

  starts(daemon: string, at: number): void {
    this.#add('starts', daemon, at, (events) => events.starts(daemon, at));
  }

  stops(daemon: string, at: number): void {
    this.#add('stops', daemon, at, (events) => events.stops(daemon, at));
  }

  hasEnded(daemon: string, at: number): void {
    this.#add('hasEnded', daemon, at, (events) => events.hasEnded(daemon, at));
  }

  out(daemon: string, at: number, event: LicenseEvent): void {
    this.#add('out', daemon, at, (events) => events.out(daemon, at, event));
  }

  in(daemon: string, at: number, event: LicenseEvent): void {
    this.#add('in', daemon, at, (events) => events.in(daemon, at, event));
  }

  serves(daemon: string, at: number, feature: string): void {
    this.#add('serves', daemon, at, (events) => events.serves(daemon, at, feature));
  }

  asks(daemon: string, at: number, feature: string): void {
    this.#add('asks', daemon, at, (events) => events.asks(daemon, at, feature));
  }

  denied(daemon: string, at: number, refusal: LicenseRefusal): void {
    this.#add('denied', daemon, at, (events) => events.denied(daemon, at, refusal));
  }

  bought(daemon: string, at: number, feature: string, licenses: number): void {
    this.#add('bought', daemon, at, (events) => events.bought(daemon, at, feature, licenses));
  }

  #add(kind: Said['kind'], name: string, at: number, tell: Said['tell']): void {
    this.#key = Math.max(this.#key, at);
    this.said.push({ line: this.#line, number: this.#number, name, kind, at, key: this.#key, tell });
  }
}

/** A file of which the next thing is known that it says. */
class Reading<F extends MergedFile> {
  readonly file: F;
  readonly #kept = new Kept();
  readonly #reader: UsageFileReader;
  readonly #lines: AsyncIterator<readonly string[]>;
  #next = 0;

  constructor(file: F) {
    this.file = file;
    this.#reader = file.read(this.#kept);
    this.#lines = file.lines()[Symbol.asyncIterator]();
  }

  get next(): Said | undefined {
    return this.#kept.said[this.#next];
  }

  /** Goes on. @returns whether the next thing is in memory: otherwise, `fill` reads on */
  pass(): boolean {
    this.#next += 1;
    return this.#next < this.#kept.said.length;
  }

  /** Reads until something is said. @returns false at the end of the file */
  async fill(): Promise<boolean> {
    this.#kept.said.length = 0;
    this.#next = 0;
    while (this.#kept.said.length === 0) {
      const { value, done } = await this.#lines.next();
      if (done === true) {
        this.#reader.end();
        return this.#kept.said.length > 0;
      }
      for (const line of value) {
        this.#kept.begin(line.trim());
        this.#reader.push([line]);
      }
    }
    return true;
  }
}

/**
 * What files say, in the order of time; of one second, file by file. A file is opened when its time has come.
 *
 * @param files in the order of their beginnings
 */
export async function eachSaid<F extends MergedFile>(
  files: readonly F[],
  tell: (file: F, said: Said) => void,
): Promise<void> {
  const waiting = [...files];
  // in the order of their files
  let open: { readonly reading: Reading<F>; readonly rank: number }[] = [];
  let rank = 0;
  for (;;) {
    const first = open.reduce<(typeof open)[number] | undefined>(
      (a, b) => (a === undefined || keyOf(b.reading) < keyOf(a.reading) ? b : a),
      undefined,
    );
    const next = waiting[0];
    if (next !== undefined && (first === undefined || next.beginning.at <= keyOf(first.reading))) {
      waiting.shift();
      const reading = new Reading(next);
      if (await reading.fill()) open.push({ reading, rank });
      rank += 1;
      continue;
    }
    if (first === undefined) return;
    const { reading } = first;
    const isDone = !(await passWhile(reading, limitOf(first, open, next), tell));
    if (isDone) open = open.filter((one) => one !== first);
  }
}

const keyOf = <F extends MergedFile>({ next }: Reading<F>): number => next?.key ?? Number.POSITIVE_INFINITY;

/** Up to when no other file has its turn. */
function limitOf<F extends MergedFile>(
  own: { readonly rank: number },
  open: readonly { readonly reading: Reading<F>; readonly rank: number }[],
  next: F | undefined,
): number {
  let limit = next === undefined ? Number.POSITIVE_INFINITY : next.beginning.at;
  for (const { reading, rank } of open) {
    // of the same second, the earlier file comes first
    if (rank > own.rank) limit = Math.min(limit, keyOf(reading) + 0.5);
    else if (rank < own.rank) limit = Math.min(limit, keyOf(reading));
  }
  return limit;
}

/** Tells what a file says before a time. @returns whether there is more of it */
async function passWhile<F extends MergedFile>(
  reading: Reading<F>,
  limit: number,
  tell: (file: F, said: Said) => void,
): Promise<boolean> {
  for (;;) {
    const said = reading.next as Said;
    if (said.key >= limit) return true;
    tell(reading.file, said);
    if (!reading.pass() && !(await reading.fill())) return false;
  }
}
