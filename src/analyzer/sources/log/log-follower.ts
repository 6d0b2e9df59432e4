import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { openFilesFailure, SourceFailure, type SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { LineDecoder } from './line-decoder.ts';

/** Bytes that one read asks for. */
const CHUNK = 256 * 1024;
/** Bytes before the position by which a changed file is found. */
const MARK = 64;
const HEAD = 8192;

/** Bytes that may be read still. */
export interface ByteBudget {
  left: number;
}

interface LogRead {
  readonly lines: string[];
  /** The file was truncated or written again: its lines begin from the start. */
  readonly isNew: boolean;
}

/** A position in a file, and by what it is found in another one. */
export interface LogPlace {
  readonly position: number;
  readonly mark: Buffer;
  readonly head: string;
  readonly decoder: LineDecoder;
}

/** A log file that stays open, so that it can be read to its end after it was renamed. */
class OpenLog {
  /** Device and number of the file. */
  readonly id: string;
  readonly #handle: FileHandle;
  #decoder: LineDecoder;
  #head = '';
  #position = 0;
  /** The bytes before the position. */
  #mark: Buffer = Buffer.alloc(0);
  #isAtEnd = false;

  private constructor(handle: FileHandle, id: string, decoder: LineDecoder) {
    this.#handle = handle;
    this.id = id;
    this.#decoder = decoder;
  }

  /**
   * @throws the errors of `open`; an error with the code ENOTREG if it is not a regular file
   */
  static async open(path: string, encoding: string | undefined): Promise<OpenLog> {
    // a FIFO without a writer would hold a blocking open
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      const { dev, ino } = await regularFile(handle);
      return new OpenLog(handle, `${dev}:${ino}`, new LineDecoder(encoding));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The beginning, as Latin-1, as it was at the last read. */
  get head(): string {
    return this.#head;
  }

  /** Whether the last read reached the end of the file. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** Goes to the end, and reads the lines in the bytes before it. */
  async skipToEnd(bytes: number): Promise<string[]> {
    const { size } = await this.#handle.stat();
    const start = Math.max(0, size - bytes);
    // even, for UTF-16
    this.#position = start - (start % 2);
    // one more, to see the end
    return await this.#readLines({ left: size - this.#position + 1 });
  }

  /** Where the next read begins. */
  get place(): LogPlace {
    return { position: this.#position, mark: this.#mark, head: this.#head, decoder: this.#decoder.copy() };
  }

  /**
   * Goes on where another file was left, if this one has the same content: it is a copy, or the same file after its file
   * system was mounted again.
   */
  async resume({ position, mark, head, decoder }: LogPlace): Promise<boolean> {
    if (mark.length < MARK || !(await this.#hasMark(position, mark))) return false;
    const ownHead = await readAt(this.#handle, Buffer.alloc(head.length), 0);
    if (ownHead.toString('latin1') !== head) return false;
    this.#position = position;
    this.#mark = mark;
    // with the beginning of a line, which ends here
    this.#decoder = decoder;
    return true;
  }

  /** The lines that were appended, as far as the budget allows. */
  async read(budget: ByteBudget): Promise<LogRead> {
    const isNew = await this.#isRewritten();
    if (isNew) {
      this.#head = '';
      this.#position = 0;
      this.#mark = Buffer.alloc(0);
      this.#decoder.drop();
    }
    return { lines: await this.#readLines(budget), isNew };
  }

  /** Closes the file. @returns a last line without an end */
  async close(): Promise<string[]> {
    await this.#handle.close();
    return this.#decoder.flush();
  }

  async #readLines(budget: ByteBudget): Promise<string[]> {
    // a short beginning may have grown
    if (this.#head.length < HEAD) this.#head = (await readAt(this.#handle, Buffer.alloc(HEAD), 0)).toString('latin1');
    const lines: string[] = [];
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (;;) {
      const wanted = Math.min(CHUNK, budget.left);
      const bytes = await readAt(this.#handle, buffer.subarray(0, wanted), this.#position);
      this.#isAtEnd = bytes.length < wanted;
      this.#position += bytes.length;
      budget.left -= bytes.length;
      // one by one: a chunk can have more lines than a call can have arguments
      for (const line of this.#decoder.push(bytes)) lines.push(line);
      if (bytes.length > 0) this.#mark = Buffer.concat([this.#mark, bytes.subarray(-MARK)]).subarray(-MARK);
      if (this.#isAtEnd || budget.left <= 0) return lines;
    }
  }

  /** Whether the last bytes that were read are not there any more. */
  async #isRewritten(): Promise<boolean> {
    if (await this.#hasMark(this.#position, this.#mark)) return false;
    // the writer goes on at its old position after the file was truncated; zeros stand for what was removed
    return !(await this.#hasMark(this.#position, Buffer.alloc(this.#mark.length)));
  }

  async #hasMark(position: number, mark: Buffer): Promise<boolean> {
    return mark.equals(await readAt(this.#handle, Buffer.alloc(mark.length), position - mark.length));
  }
}

async function regularFile(handle: FileHandle): Promise<{ dev: bigint; ino: bigint }> {
  const found = await handle.stat({ bigint: true });
  if (!found.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'ENOTREG' });
  return found;
}

/** Fills the buffer as far as the file goes. */
async function readAt(handle: FileHandle, buffer: Buffer, position: number): Promise<Buffer> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

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
