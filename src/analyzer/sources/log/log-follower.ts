import { stat } from 'node:fs/promises';
import { openFilesFailure, SourceFailure, type SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { type ByteBudget, type LogPlace, OpenLog } from './open-log.ts';

/** Lines of a log, in their order. */
export interface LogPiece {
  readonly lines: readonly string[];
  /**
   * - `before`: they stood there before the log was followed
   * - `new`: they begin a file, because the log was rotated or truncated
   * - `next`: they follow the lines before
   */
  readonly place: 'before' | 'new' | 'next';
}

/** What was found at one look at a log. */
export interface Look {
  readonly pieces: readonly LogPiece[];
  /** Nothing is left for the next look. */
  readonly isAtEnd: boolean;
  /** All lines but those `before` were written within the last hour. */
  readonly isRecent: boolean;
  /** The beginning of the file as Latin-1; undefined if none was ever opened. */
  readonly head: string | undefined;
  /** Why the log cannot be read. The lines of its last file are read all the same. */
  readonly problem: SourceProblem | undefined;
}

/** What a log is called, and how its path is found. */
export interface LogKind {
  /** `debug log`. */
  readonly name: string;
  /** Where the operator finds the path, after `set`. */
  readonly remedy: string;
}

/** The log, its encoding, and how much of it is read at once. */
export interface LogFollowerOptions {
  readonly path: string;
  readonly kind: LogKind;
  /** Label of the WHATWG encoding standard; UTF-8, else Latin-1, without one. */
  readonly encoding: string | undefined;
  /** Seconds. */
  readonly elapsed: () => number;
  /** Bytes that one look reads. */
  readonly maxBytes?: number;
  /** Bytes before the end that are read for dates, when the log is seen for the first time. */
  readonly bytesBefore?: number;
}

const MEBIBYTE = 1 << 20;
/** Seconds since the last look up to which new lines are recent. */
const RECENT = 3600;
/** Seconds that a renamed log stays open after its last line: its writer may use it until it is restarted. */
const QUIET = 600;
const MAX_RENAMED = 3;
/** Seconds a log may be missing while it is rotated. */
const ROTATION = 60;

/** The path of a log cannot be followed for a reason that the operator can change. */
function failureOf(path: string, { name, remedy }: LogKind, error: unknown): SourceFailure {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new SourceFailure('missing_tool', `the ${name} ${path} does not exist; set ${remedy}`);
  if (code === 'EACCES' || code === 'EPERM')
    return new SourceFailure(
      'refused',
      `the ${name} ${path} may not be read by the user of this process; allow it (chmod a+r) also for the files that rotation creates, and check its directories`,
    );
  if (code === 'ENOTREG' || code === 'ENXIO' || code === 'EISDIR')
    return new SourceFailure('refused', `the ${name} ${path} is not a regular file; set the path of a file`);
  return (
    openFilesFailure(`the ${name} ${path}`, error) ??
    new SourceFailure(
      'unreachable',
      `the ${name} ${path} cannot be read${code === undefined ? '' : `: ${code}`}; check its file system`,
    )
  );
}

interface RenamedLog {
  readonly log: OpenLog;
  quietSince: number;
}

/**
 * Follows a log from its end, through rotation and truncation. Lines are lost if the file in which they stand is truncated,
 * or created and renamed, between two looks.
 */
export class LogFollower {
  readonly #options: Required<LogFollowerOptions>;
  #log: OpenLog | undefined;
  /** Logs that have another name now, the newest last. */
  #renamed: RenamedLog[] = [];
  /** Of the last look that reached the end. */
  #readAt: number | undefined;
  /** Of the last look that found the file. */
  #foundAt: number | undefined;
  #isClosed = false;

  /** @throws RangeError for an encoding that does not exist */
  constructor(options: LogFollowerOptions) {
    // refused at once if it does not exist
    new TextDecoder(options.encoding);
    this.#options = { maxBytes: 4 * MEBIBYTE, bytesBefore: MEBIBYTE, ...options };
  }

  /** Must not be called again before it has ended. Never throws for a file that cannot be read. */
  async look(): Promise<Look> {
    const now = this.#options.elapsed();
    const isRecent = this.#readAt !== undefined && now - this.#readAt <= RECENT;
    const budget: ByteBudget = { left: this.#options.maxBytes };
    const pieces: LogPiece[] = [];
    await this.#readRenamed(pieces, budget, now);
    const before = this.#log?.place;
    const readError = await this.#readLog(pieces, budget);
    const problem = await this.#openNew(pieces, budget, { now, before, isReadable: readError === undefined }).then(
      () => {
        this.#foundAt = now;
        return undefined;
      },
      (error: unknown) => this.#problemOf(error, now),
    );
    const isAtEnd = this.#logs.every((log) => log.isAtEnd);
    if (isAtEnd && problem === undefined && this.#log !== undefined) this.#readAt = now;
    return {
      pieces: pieces.filter(({ lines, place }) => lines.length > 0 || place === 'new'),
      isAtEnd,
      isRecent,
      head: this.#log?.head,
      problem,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const logs = this.#logs;
    this.#renamed = [];
    this.#log = undefined;
    await Promise.all(logs.map((log) => log.close()));
  }

  get #logs(): readonly OpenLog[] {
    return [...this.#renamed.map(({ log }) => log), ...(this.#log === undefined ? [] : [this.#log])];
  }

  /** @returns why the file that is open cannot be read any more, for instance because its file system was unmounted */
  async #readLog(pieces: LogPiece[], budget: ByteBudget): Promise<unknown> {
    try {
      const read = await this.#log?.read(budget);
      if (read !== undefined) pieces.push({ lines: read.lines, place: read.isNew ? 'new' : 'next' });
      return undefined;
    } catch (error) {
      return error;
    }
  }

  async #readRenamed(pieces: LogPiece[], budget: ByteBudget, now: number): Promise<void> {
    const kept: RenamedLog[] = [];
    for (const [at, renamed] of this.#renamed.entries()) {
      const { lines } = await renamed.log.read(budget).catch(() => ({ lines: [] }));
      if (lines.length > 0) renamed.quietSince = now;
      pieces.push({ lines, place: 'next' });
      const isOver = now - renamed.quietSince > QUIET || at < this.#renamed.length - MAX_RENAMED;
      if (isOver) pieces.push({ lines: await renamed.log.close(), place: 'next' });
      else kept.push(renamed);
    }
    this.#renamed = kept;
  }

  /** Opens the file that has the path now, unless it is open. */
  async #openNew(
    pieces: LogPiece[],
    budget: ByteBudget,
    { now, before, isReadable }: { now: number; before: LogPlace | undefined; isReadable: boolean },
  ): Promise<void> {
    const { path, encoding, bytesBefore } = this.#options;
    const { dev, ino } = await stat(path, { bigint: true });
    const known = this.#log;
    if (isReadable && known?.id === `${dev}:${ino}`) return;
    const log = await OpenLog.open(path, encoding);
    if (this.#isClosed) {
      await log.close();
      return;
    }
    if (known === undefined) {
      pieces.push({ lines: await log.skipToEnd(bytesBefore), place: 'before' });
    } else {
      // a copy may not have the newest lines of the old file
      const isSame = (await log.resume(known.place)) || (before !== undefined && (await log.resume(before)));
      if (isReadable) this.#renamed.push({ log: known, quietSince: now });
      else await known.close();
      pieces.push({ lines: (await log.read(budget)).lines, place: isSame ? 'next' : 'new' });
    }
    this.#log = log;
  }

  #problemOf(error: unknown, now: number): SourceProblem | undefined {
    const failure = failureOf(this.#options.path, this.#options.kind, error);
    const isRotating =
      failure.kind === 'missing_tool' && this.#foundAt !== undefined && now - this.#foundAt <= ROTATION;
    return isRotating ? undefined : failure;
  }
}
