import { createReadStream, createWriteStream, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { openFilesProblem } from '../../base/model/explanation.ts';
import { OperatorError } from '../../base/model/operator-error.ts';

/** The files that are imported: those of a folder, compressed ones, and those in archives. */

/** A file with lines. */
export interface InputFile {
  /** As it is shown: below the folder or in the archive that was given. */
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
type Content = Compression | 'tar' | 'zip' | 'bzip2' | 'xz' | 'other';

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

/** Finds the files of a path. Archives are unpacked into a folder of the caller. */
export class InputFiles {
  readonly files: InputFile[] = [];
  readonly leftOut: LeftOut[] = [];
  readonly #folder: string;
  #archives = 0;

  /** @param folder where archives are unpacked: it exists, and others cannot read it */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws OperatorError if the path cannot be read */
  async add(path: string): Promise<void> {
    try {
      if (statSync(path).isDirectory()) await this.#addFolder(path, path, '');
      else await this.#addFile(path, basename(path));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined || error instanceof OperatorError) throw error;
      const why = openFilesProblem(error) ?? `cannot be read: ${code}; check the path and its mode`;
      throw new OperatorError(`${path} ${why}`, { cause: error });
    }
  }

  async #addFolder(root: string, folder: string, prefix: string): Promise<void> {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const path of paths.sort()) await this.#addFile(path, `${prefix}${relative(root, path)}`);
  }

  async #addFile(path: string, name: string): Promise<void> {
    const { size, mtimeMs } = statSync(path);
    if (size === 0) return;
    const content = contentOf(await headOf(path));
    if (content === 'tar') return this.#unpack(path, name, undefined);
    if (content === 'zip') return this.#unpackZip(path, name);
    if (content === 'bzip2' || content === 'xz') {
      this.leftOut.push({ name, why: `is compressed with ${content}; decompress it first` });
      return;
    }
    const compression = content === 'other' ? undefined : content;
    if (compression !== undefined && contentOf(await innerHead(path, compression)) === 'tar')
      return this.#unpack(path, name, compression);
    this.files.push({ name, path, size, writtenAt: mtimeMs / 1000, compression });
  }

  #newFolder(): string {
    this.#archives += 1;
    const folder = join(this.#folder, `archive-${this.#archives}`);
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }

  async #unpack(path: string, name: string, compression: Compression | undefined): Promise<void> {
    const folder = this.#newFolder();
    const { unpackTar } = await import('modern-tar/fs');
    const target = unpackTar(folder, { filter: ({ type }) => type === 'file' });
    await this.#orLeaveOut(name, () => pipeline(contentStream({ path, compression }), target));
    await this.#addFolder(folder, folder, `${name}/`);
  }

  async #unpackZip(path: string, name: string): Promise<void> {
    const folder = this.#newFolder();
    const { default: yauzl } = await import('yauzl');
    await this.#orLeaveOut(name, async () => {
      const archive = await yauzl.openPromise(path);
      let count = 0;
      for await (const entry of archive.eachEntry()) {
        if (entry.fileName.endsWith('/')) continue;
        // names in an archive may be paths out of the folder
        const own = join(folder, String(count).padStart(6, '0'));
        count += 1;
        mkdirSync(own, { mode: 0o700 });
        const file = join(own, basename(entry.fileName));
        await pipeline(await archive.openReadStreamPromise(entry), createWriteStream(file, { mode: 0o600 }));
        utimesSync(file, entry.getLastModDate(), entry.getLastModDate());
      }
    });
    await this.#addFolder(folder, folder, `${name}/`);
  }

  async #orLeaveOut(name: string, unpack: () => Promise<void>): Promise<void> {
    try {
      await unpack();
    } catch (error) {
      this.leftOut.push({ name, why: `cannot be unpacked (${(error as Error).message}); unpack it first` });
    }
  }
}
