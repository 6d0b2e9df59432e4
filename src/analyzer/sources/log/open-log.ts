import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
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
export class OpenLog {
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
  const stat = await handle.stat({ bigint: true });
  if (!stat.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'ENOTREG' });
  return stat;
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
