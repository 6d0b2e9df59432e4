import type { DenialCause } from '../../base/model/observation/observation.ts';
import type { Pair } from './episodes.ts';

/** What one log says of people who ask for licenses. */

/** A request that was refused. */
export interface Refused {
  /** `server;daemon` or `server;daemon;part`. */
  readonly vendorLicense: string;
  readonly feature: string;
  /** Undefined if the log does not say it. */
  readonly cause: DenialCause | undefined;
}

/** Whether a later refusal of a wait says more of its cause: a client can ask for several versions, and one of them is only busy. */
export const saysMore = (later: Pick<Refused, 'cause'>, earlier: Pick<Refused, 'cause'>): boolean =>
  later.cause === 'all_in_use' && earlier.cause !== 'all_in_use';

/** Who asked for what, as a line names it. */
export interface Asked {
  readonly daemon: string;
  readonly feature: string;
  /** User and host. */
  readonly client: string;
}

/** How a log names those who ask, and what they ask for. */
export interface NamesInLog {
  readonly userOf: (client: string) => string;
  readonly vendorLicenseOf: (daemon: string) => string;
}

/** How a log finds those it names. */
export interface PersonLogOptions extends NamesInLog {
  /** Of a line, which knows the log by this. */
  readonly id: number;
  readonly find: (user: string, feature: string) => Pair<Refused>;
  /** Called with the time of each line, epoch seconds. */
  readonly onLine: (at: number) => void;
  /** Called for a refusal that does not say who was refused. */
  readonly onUnnamed: (vendorLicense: string, feature: string) => void;
  /** Called when everything that was written is read. */
  readonly onSettled: () => void;
  readonly onClosed: () => void;
}

/** What lines of one person and feature have in common. */
interface Known {
  readonly pair: Pair<Refused>;
  refused: Refused;
}

/** A line of a log, in its time. */
interface Line {
  readonly known: Known;
  readonly refused: Refused | undefined;
  at: number;
  readonly within: number;
}

const MAX_NAMES = 20_000;
const MAX_UNDATED = 20_000;

/** Names are looked up, and remembered from one look at the log to the next. */
export class PersonLog {
  readonly #options: PersonLogOptions;
  /** By the key of a line. */
  readonly #known = new Map<string, Known>();
  /** Of a log that has no date yet. */
  #undated: Line[] = [];
  #offset: number | undefined;
  #since = 0;

  constructor(options: PersonLogOptions) {
    this.#options = options;
  }

  /**
   * @param offset from times of the log to epoch seconds; undefined while the log has no date
   * @param since what was written before is too old, epoch seconds
   */
  date(offset: number | undefined, since: number): void {
    this.#offset = offset;
    this.#since = since;
    if (offset === undefined || this.#undated.length === 0) return;
    for (const line of this.#takeUndated()) this.#tell(line, line.at + offset);
  }

  /** All times that were told before are wrong by as many seconds. */
  shift(seconds: number): void {
    for (const line of this.#undated) line.at += seconds;
  }

  /** A request was refused, of nobody knows whom. */
  refusedUnnamed({ daemon, feature }: Omit<Asked, 'client'>): void {
    this.#options.onUnnamed(this.#options.vendorLicenseOf(daemon), feature);
  }

  /**
   * @param key of the line: the same for one person and feature
   * @param at in the time of the log
   * @param within seconds by which that can be wrong
   */
  refused(key: string, asked: Asked, at: number, cause: DenialCause | undefined, within = 0): void {
    const known = this.#find(key, asked);
    if (known.refused.cause !== cause) known.refused = { ...known.refused, cause };
    this.#say({ known, refused: known.refused, at, within });
  }

  /** The person has the license. */
  got(key: string, asked: Asked, at: number): void {
    this.#say({ known: this.#find(key, asked), refused: undefined, at, within: 0 });
  }

  /** Everything that was written is read. */
  settle(): void {
    this.#options.onSettled();
  }

  /** The names of those who were found. */
  forget(): void {
    this.#known.clear();
  }

  close(): void {
    this.#takeUndated();
    this.#options.onClosed();
  }

  #find(key: string, { daemon, feature, client }: Asked): Known {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_NAMES) this.#known.clear();
    const { find, userOf, vendorLicenseOf } = this.#options;
    const found = {
      pair: find(userOf(client), feature),
      refused: { vendorLicense: vendorLicenseOf(daemon), feature, cause: undefined },
    };
    this.#known.set(key, found);
    return found;
  }

  #say(line: Line): void {
    if (this.#offset !== undefined) this.#tell(line, line.at + this.#offset);
    else if (this.#undated.length < MAX_UNDATED) {
      this.#undated.push(line);
      line.known.pair.undated += 1;
    }
  }

  #takeUndated(): readonly Line[] {
    const lines = this.#undated;
    for (const { known } of lines) known.pair.undated -= 1;
    this.#undated = [];
    return lines;
  }

  #tell({ known: { pair }, refused, within }: Line, at: number): void {
    if (at < this.#since) return;
    pair.say(this.#options.id, at, refused, within);
    this.#options.onLine(at);
  }
}
