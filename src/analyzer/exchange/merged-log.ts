import type { LogBeginning } from '../sources/log/usage-log.ts';
import type { Said } from './log-merge.ts';
import type { UsageReplay } from './usage-replay.ts';

/** Seconds by which a clock may be set back. More is a file of several logs in the wrong order. */
const DISORDER = 7200;
/** Seconds after which a daemon that says nothing may not have run: `lmgrd` writes the time every six hours. */
const SILENCE = 7 * 3600;
/** Seconds for which lines are remembered, so that those of other files are known again. */
const REMEMBERED = 120;

/** What only a server says that serves. */
const GIVES: ReadonlySet<Said['kind']> = new Set(['out', 'in', 'denied']);

/** What the merge knows of a file. */
export interface LogPart {
  readonly beginning: LogBeginning;
  /** Of a group of redundant servers, the one that wrote it, if that is known. */
  readonly member: string | undefined;
}

/** How often a line was told, and how often each file has it. */
interface Copies {
  told: number;
  readonly inFile: Map<LogPart, number>;
}

/**
 * Gives a replay what the files of a log say: lines that several files have count as often as the file has them that has most,
 * what is missing between files is not known, and of a group of redundant servers the one counts that serves.
 */
export class MergedLog {
  /** Lines that were told by another file. */
  repeated = 0;
  /** Lines that are older than those before them in the same file. */
  disordered = 0;
  readonly #replay: UsageReplay;
  readonly #parts: readonly LogPart[];
  /** The lines of the last minutes, in two generations. */
  #recent = new Map<string, Copies>();
  #older = new Map<string, Copies>();
  #generation = Number.NEGATIVE_INFINITY;
  /** The line that is told now, and whether it counts. */
  #present: { readonly part: LogPart; readonly number: number; readonly isTold: boolean } | undefined;
  readonly #daemons = new Set<string>();
  /** When each daemon has said something that counts last. */
  readonly #lastAt = new Map<string, number>();
  /** Daemons that each file has named. */
  readonly #named = new Map<LogPart, Set<string>>();
  /** The member of the group that serves. */
  #serving: string | undefined;
  #servingSince = Number.NEGATIVE_INFINITY;
  /** Daemons of which no log of that member is there. */
  readonly #missing = new Set<string>();

  /** @param parts all files */
  constructor(replay: UsageReplay, parts: readonly LogPart[]) {
    this.#replay = replay;
    this.#parts = parts;
  }

  add(part: LogPart, said: Said): void {
    const { kind, name, at } = said;
    if (kind === 'isOn') return;
    if (kind === 'serving') {
      if (this.#isNew(part, said)) this.#serve(part, name, at);
      return;
    }
    this.#daemons.add(name);
    // what an idle member writes counts for nothing, not even as a repeat of what the other one writes
    if (this.#isIdle(part, kind) || !this.#isNew(part, said)) return;
    this.#serving ??= part.member;
    this.#beginLate(part, name);
    this.#continue(part, said);
    said.tell(this.#replay);
  }

  /** Before a line says who serves, the one does that gives licenses: of the others, what they write says nothing. */
  #isIdle({ member }: LogPart, kind: Said['kind']): boolean {
    if (member === undefined) return false;
    return this.#serving === undefined ? !GIVES.has(kind) : member !== this.#serving;
  }

  /** A line says who serves. Of a file that may be of any member, nobody knows whether that one is meant. */
  #serve({ member }: LogPart, host: string, at: number): void {
    if (member !== undefined) this.#serveFrom(host, at);
    else if (this.#serving === undefined) for (const daemon of this.#daemons) this.#replay.loses(daemon);
  }

  /** Another member of the group serves: what was checked out is so from there, and logged there again. */
  #serveFrom(host: string, at: number): void {
    const member = memberName(host);
    if (member === this.#serving) return;
    const isChange = this.#serving !== undefined;
    this.#serving = member;
    this.#servingSince = at;
    if (!isChange) return;
    const hasLog = this.#parts.some((part) => part.member === member && part.beginning.at <= at);
    for (const daemon of this.#daemons) {
      this.#replay.stops(daemon, at);
      this.#lastAt.set(daemon, at);
      if (!hasLog) {
        this.#missing.add(daemon);
        continue;
      }
      this.#missing.delete(daemon);
      this.#replay.starts(daemon, at);
    }
  }

  /** The log of the member that serves begins later than it does: nothing is known until then. */
  #beginLate({ beginning }: LogPart, daemon: string): void {
    if (!this.#missing.delete(daemon)) return;
    this.#replay.loses(daemon);
    this.#replay.runs(daemon, beginning.at);
  }

  /** What is between the last line about a daemon and the first one in this file. */
  #continue(part: LogPart, { name, kind, at }: Said): void {
    const last = this.#lastAt.get(name);
    this.#lastAt.set(name, Math.max(last ?? at, at));
    const named = this.#named.get(part) ?? new Set();
    if (named.has(name)) return;
    this.#named.set(part, named.add(name));
    const begin = part.member === undefined ? part.beginning.at : Math.max(part.beginning.at, this.#servingSince);
    // a log that is written to every six hours lacks a file
    const isLost = last !== undefined && begin - last > SILENCE;
    if (isLost) this.#replay.loses(name);
    const isStart = kind === 'starts' || kind === 'hasEnded';
    // a daemon that does not start in the file has run before its first line
    if (!isStart && (last === undefined || isLost)) this.#replay.runs(name, begin);
  }

  #isNew(part: LogPart, { line, number, at, key }: Said): boolean {
    if (this.#present?.part === part && this.#present.number === number) return this.#present.isTold;
    const isTold = this.#counts(part, line, at, key);
    this.#present = { part, number, isTold };
    return isTold;
  }

  #counts(part: LogPart, line: string, at: number, key: number): boolean {
    if (at < key - DISORDER) {
      this.disordered += 1;
      return false;
    }
    if (this.#parts.length === 1) return true;
    if (key >= this.#generation + REMEMBERED) {
      this.#older = key < this.#generation + 2 * REMEMBERED ? this.#recent : new Map();
      this.#recent = new Map();
      this.#generation = key;
    }
    const id = `${key} ${line}`;
    const copies = this.#recent.get(id) ?? this.#older.get(id) ?? { told: 0, inFile: new Map() };
    this.#recent.set(id, copies);
    const count = (copies.inFile.get(part) ?? 0) + 1;
    copies.inFile.set(part, count);
    if (count <= copies.told) {
      this.repeated += 1;
      return false;
    }
    copies.told = count;
    return true;
  }
}

/** A host as logs of its group name it: with its domain or without. */
export const memberName = (host: string): string => host.toLowerCase().replace(/\..*$/, '');
