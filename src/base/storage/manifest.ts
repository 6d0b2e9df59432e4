import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OperatorError, openFilesProblem } from '../model/operator-error.ts';

/** The list of the files of a backup. It is written last. */
export const MANIFEST = 'backup.json';
const VERSION = 1;
const CHUNK = 2 ** 20;

/** A file of a backup with what proves that it is complete. */
export interface ManifestFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** The list of the files of a backup, which is written last. */
export interface Manifest {
  readonly version: number;
  /** The version of license-exporter that wrote it. */
  readonly program: string;
  /** As ISO 8601. */
  readonly created: string;
  readonly files: readonly ManifestFile[];
}

/** Waits until a file or a directory is on the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The size and checksum of a file. It is read in pieces, because a history can be larger than the memory. */
export function describeFile(path: string): ManifestFile {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK);
  const file = openSync(path, 'r');
  try {
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer))
      hash.update(buffer.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return { name: basename(path), size: statSync(path).size, sha256: hash.digest('hex') };
}

/** Writes the manifest of a directory with these files. */
export function writeManifest(directory: string, program: string, files: readonly ManifestFile[]): void {
  const manifest: Manifest = { version: VERSION, program, created: new Date().toISOString(), files };
  const path = join(directory, MANIFEST);
  writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 });
  syncPath(path);
}

const isFile = (value: unknown): value is ManifestFile => {
  const { name, size, sha256 } = (value ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && typeof size === 'number' && typeof sha256 === 'string';
};

/**
 * Reads the manifest of a backup.
 *
 * @param known the names that its files can have
 * @throws OperatorError if it is missing or damaged, or of a newer version
 */
export function readManifest(directory: string, known: readonly string[]): Manifest {
  const refuse = (why: string): OperatorError => new OperatorError(`${directory} cannot be restored: ${why}`);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(join(directory, MANIFEST), 'utf8')) as Manifest;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw refuse(`${MANIFEST} is damaged; use another backup`);
    const missing = existsSync(directory) ? `it has no ${MANIFEST}` : 'it does not exist';
    const why = code === 'ENOTDIR' ? 'it is not a directory' : missing;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw refuse(`${MANIFEST} ${openFilesProblem(error) ?? `cannot be read (${code})`}`);
    throw refuse(`${why}; name a directory that "license-exporter backup" has written`);
  }
  if (manifest?.version > VERSION) throw refuse('a newer version of license-exporter wrote it; use that version');
  const { version, files } = manifest ?? {};
  if (version !== VERSION || !Array.isArray(files) || files.length === 0 || !files.every(isFile)) {
    throw refuse(`${MANIFEST} is damaged; use another backup`);
  }
  const strange = files.find(({ name }) => !known.includes(name));
  if (strange !== undefined) throw refuse(`${MANIFEST} lists a file that no backup has; use another backup`);
  return manifest;
}
