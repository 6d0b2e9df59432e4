import { createReadStream, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { OperatorError, openFilesProblem } from '../../base/model/operator-error.ts';

/** The files that are imported: one, or those of a folder. They can be compressed. */

export interface InputFile {
  /** As it is shown: below the folder that was given. */
  readonly name: string;
  readonly path: string;
  /** Bytes on the disk. */
  readonly size: number;
  /** When it was written to last, epoch seconds. */
  readonly writtenAt: number;
  readonly compression: Compression | undefined;
}

/** A file that is not read, and why, with a remedy. */
export interface LeftOut {
  readonly name: string;
  readonly why: string;
}

type Compression = 'gzip' | 'zstd';

/** Why files of these kinds are left out. */
const remedies = {
  tar: 'is an archive; unpack it first',
  zip: 'is an archive; unpack it first',
  bzip2: 'is compressed with bzip2; decompress it first',
  xz: 'is compressed with xz; decompress it first',
} as const;

type Content = Compression | keyof typeof remedies | 'other';

/** Enough for the mark of a tar archive. */
const HEAD = 512;
const CHUNK = 1 << 14;

const magics: readonly (readonly [at: number, bytes: string, Content])[] = [
  [0, '\x1f\x8b', 'gzip'],
  [0, '\x28\xb5\x2f\xfd', 'zstd'],
  [0, 'PK\x03\x04', 'zip'],
  [0, 'BZh', 'bzip2'],
  [0, '\xfd7zXZ\x00', 'xz'],
  [257, 'ustar', 'tar'],
];

const contentOf = (head: Buffer): Content =>
  magics.find(([at, bytes]) => head.toString('latin1', at, at + bytes.length) === bytes)?.[2] ?? 'other';

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const decompressors = { gzip: createGunzip, zstd: createZstdDecompress } as const;

/** The bytes of a file, decompressed. */
export function contentStream({ path, compression }: Pick<InputFile, 'path' | 'compression'>): Readable {
  const bytes = createReadStream(path, { highWaterMark: CHUNK });
  if (compression === undefined) return bytes;
  const decompressed = decompressors[compression]({ chunkSize: CHUNK });
  bytes.on('error', (error) => decompressed.destroy(error));
  return bytes.pipe(decompressed);
}

/** The first bytes of what a compressed file contains. */
async function innerHead(path: string, compression: Compression): Promise<Buffer> {
  for await (const chunk of contentStream({ path, compression })) return chunk as Buffer;
  return Buffer.alloc(0);
}

/** The files of a path: of a folder, those in it and below it. @throws OperatorError if the path cannot be read */
export async function findFiles(path: string): Promise<{ files: readonly InputFile[]; leftOut: readonly LeftOut[] }> {
  const files: InputFile[] = [];
  const leftOut: LeftOut[] = [];
  const add = async (file: string, name: string): Promise<void> => {
    const { size, mtimeMs } = statSync(file);
    if (size === 0) return;
    const content = contentOf(await headOf(file));
    if (content in remedies) {
      leftOut.push({ name, why: remedies[content as keyof typeof remedies] });
      return;
    }
    const compression = content === 'gzip' || content === 'zstd' ? content : undefined;
    if (compression !== undefined && contentOf(await innerHead(file, compression)) === 'tar') {
      leftOut.push({ name, why: remedies.tar });
      return;
    }
    files.push({ name, path: file, size, writtenAt: mtimeMs / 1000, compression });
  };
  try {
    if (statSync(path).isDirectory()) {
      const entries = readdirSync(path, { withFileTypes: true, recursive: true });
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      for (const file of paths.sort()) await add(file, relative(path, file));
    } else await add(path, basename(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = openFilesProblem(error) ?? `cannot be read: ${code}; check the path and its mode`;
    throw new OperatorError(`${path} ${why}`, { cause: error });
  }
  return { files, leftOut };
}
