import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { openFilesFailure, SourceFailure } from '../../../base/model/observation/source-failure.ts';
import type { FileSettings } from '../source-settings.ts';
import { decodeWith } from './decode-output.ts';
import { Reads } from './reads.ts';
import { OutOfTime } from './shared-work.ts';
import type { Output, Transport, TransportSettings } from './transport.ts';
import type { FileHost } from './transport-host.ts';

/** Seconds a file may be newer than now, for the clock of a file server. */
const AHEAD = 300;
const RENAME = 'let the job that writes it write a temporary file in the same directory, and rename that';

interface FileContent {
  readonly bytes: Uint8Array;
  /** Epoch seconds. */
  readonly modifiedAt: number;
}

function openFailure(path: string, error: unknown, setting: string | undefined): SourceFailure {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new SourceFailure(
      'missing_tool',
      setting === undefined
        ? `the file ${path} does not exist; check the job that writes it: it should write a temporary file in the same directory, and rename that`
        : `the file ${path} does not exist; correct the path in \`${setting}\`, or check that its directory is mounted`,
    );
  if (code === 'EACCES' || code === 'EPERM')
    return new SourceFailure(
      'refused',
      `the file ${path} may not be read by the user of this process; allow it (chmod a+r), and check its directories`,
    );
  // a socket, or a device without a driver
  if (code === 'ENXIO' || code === 'ENODEV') return notRegular(path);
  return (
    openFilesFailure(`the file ${path}`, error) ??
    new SourceFailure('unreachable', `the file ${path} cannot be read: ${code}; check its file system`)
  );
}

const notRegular = (path: string): SourceFailure =>
  new SourceFailure('refused', `${path} is not a regular file; name a file that contains the output in \`file\``);

/** Fills the buffer from the beginning of the file. @returns bytes read */
async function fill(file: FileHandle, buffer: Uint8Array): Promise<number> {
  let size = 0;
  while (size < buffer.length) {
    const { bytesRead } = await file.read(buffer, size, buffer.length - size, size);
    if (bytesRead === 0) break;
    size += bytesRead;
  }
  return size;
}

/** One attempt to read a file. `changed` if it was written or replaced meanwhile. */
async function readOnce(path: string, maxOutput: number): Promise<FileContent | 'changed'> {
  // a FIFO without a writer would hold a blocking open
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const before = await file.stat({ bigint: true });
    if (!before.isFile()) throw notRegular(path);
    const tooLarge = new SourceFailure(
      'too_large',
      `the file ${path} has more than ${maxOutput} bytes; check the job that writes it, or set a larger max_output`,
    );
    if (before.size > maxOutput) throw tooLarge;
    // one more byte, to see that nothing was appended
    const buffer = new Uint8Array(Number(before.size) + 1);
    const size = await fill(file, buffer);
    const after = await stat(path, { bigint: true });
    const isSame =
      BigInt(size) === before.size &&
      after.size === before.size &&
      after.mtimeNs === before.mtimeNs &&
      after.ino === before.ino;
    return isSame
      ? { bytes: buffer.subarray(0, size), modifiedAt: Number(before.mtimeNs / 1_000_000n) / 1000 }
      : 'changed';
  } finally {
    await file.close();
  }
}

async function readUnchanged(path: string, maxOutput: number, setting: string | undefined): Promise<FileContent> {
  try {
    const first = await readOnce(path, maxOutput);
    const content = first === 'changed' ? await readOnce(path, maxOutput) : first;
    if (content === 'changed')
      throw new SourceFailure(
        'unparsed',
        `the file ${path} changes while it is read, so it may be incomplete; ${RENAME}`,
      );
    return content;
  } catch (error) {
    throw error instanceof SourceFailure ? error : openFailure(path, error, setting);
  }
}

/**
 * Reads a file that another program writes. It is refused when it is too old, and while it is being written.
 *
 * @param setting of a file that no job writes: the setting that names it
 */
export function createFileTransport(
  settings: FileSettings & TransportSettings,
  host: FileHost,
  setting?: string,
): Transport {
  const { file: path, maxAge, maxOutput, timeout, encoding } = settings;
  const reads = new Reads();

  const checkAge = (modifiedAt: number): void => {
    const age = host.now() - modifiedAt;
    if (age > maxAge)
      throw new SourceFailure(
        'too_old',
        `the file ${path} was written ${Math.round(age)} s ago, more than ${maxAge} s (max_age); check the job that writes it`,
      );
    // a file that is never too old needs no age
    if (age < -AHEAD && Number.isFinite(maxAge))
      throw new SourceFailure(
        'clock',
        `the file ${path} was written ${Math.round(-age)} s in the future, so its age is not known; correct the clock of this host or of the host that writes it`,
      );
  };

  const failureOf = (error: unknown, signal: AbortSignal): unknown => {
    if (error instanceof SourceFailure) return error;
    if (error instanceof OutOfTime)
      return new SourceFailure(
        'timeout',
        `the file ${path} could not be read within ${timeout} s; check its file system (NFS)`,
      );
    if (signal.aborted)
      return new SourceFailure(
        'timeout',
        `the file ${path} was not read before the next collection was due or this process stopped; check its file system (NFS)`,
      );
    return error;
  };

  const read = async (signal: AbortSignal): Promise<Output> => {
    try {
      const { bytes, modifiedAt } = await host.files.run(
        `${maxOutput} ${path}`,
        () => readUnchanged(path, maxOutput, setting),
        {
          timeoutMs: timeout * 1000,
          signal,
        },
      );
      checkAge(modifiedAt);
      const { text, encoding: readIn } = decodeWith(bytes, encoding);
      return { stdout: text, stderr: '', exitCode: undefined, at: modifiedAt, encoding: readIn };
    } catch (error) {
      throw failureOf(error, signal);
    }
  };

  return { read: (_args, signal) => reads.run(signal, read), close: () => reads.close() };
}
