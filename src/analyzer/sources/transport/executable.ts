import type { FileHandle } from 'node:fs/promises';

/** What kind of program a file is, by its first bytes. */
export type Executable =
  /** `interpreter` is the program that loads it (PT_INTERP), undefined if it needs none. */
  | { readonly is: 'elf'; readonly machine: number; readonly interpreter: string | undefined }
  /** `interpreter` is the program of the `#!` line as the system reads it, with a carriage return if there is one. */
  | { readonly is: 'script'; readonly interpreter: string }
  | { readonly is: 'other' };

/** As much of a `#!` line as Linux reads. */
const HEAD = 256;
const ELF_MAGIC = '\u007fELF';
const PT_INTERP = 3;
const MAX_PROGRAM_HEADERS = 16_384;
const MAX_PATH = 4096;

async function bytesAt(file: FileHandle, offset: number, length: number): Promise<DataView> {
  const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
  return new DataView(buffer.buffer, 0, bytesRead);
}

const textOf = (bytes: DataView): string => Buffer.from(bytes.buffer, 0, bytes.byteLength).toString('latin1');

/** Where the fields of an ELF file are: its class says whether addresses have 32 or 64 bits. */
interface Layout {
  readonly isWide: boolean;
  readonly isLittle: boolean;
}

const addressIn = (bytes: DataView, at: number, { isWide, isLittle }: Layout): number =>
  isWide ? Number(bytes.getBigUint64(at, isLittle)) : bytes.getUint32(at, isLittle);

/** The program that loads an ELF file. @throws RangeError if the file is cut off */
async function loaderOf(file: FileHandle, head: DataView, layout: Layout): Promise<string | undefined> {
  const { isWide, isLittle } = layout;
  const tableAt = addressIn(head, isWide ? 32 : 28, layout);
  const size = head.getUint16(isWide ? 54 : 42, isLittle);
  const count = head.getUint16(isWide ? 56 : 44, isLittle);
  if (size === 0 || size * count > MAX_PROGRAM_HEADERS) return undefined;
  const table = await bytesAt(file, tableAt, size * count);
  for (let at = 0; at < size * count; at += size) {
    if (table.getUint32(at, isLittle) !== PT_INTERP) continue;
    const length = addressIn(table, at + (isWide ? 32 : 16), layout);
    const path = await bytesAt(file, addressIn(table, at + (isWide ? 8 : 4), layout), Math.min(length, MAX_PATH));
    return textOf(path).split('\0')[0];
  }
  return undefined;
}

/** @throws NodeJS.ErrnoException if the file cannot be read */
export async function examineExecutable(file: FileHandle): Promise<Executable> {
  const head = await bytesAt(file, 0, HEAD);
  const text = textOf(head);
  if (text.startsWith('#!')) {
    const [line = ''] = text.slice(2).split('\n');
    const [interpreter = ''] = line.replace(/^[ \t]+/, '').split(/[ \t]/);
    return interpreter === '' ? { is: 'other' } : { is: 'script', interpreter };
  }
  if (!text.startsWith(ELF_MAGIC)) return { is: 'other' };
  try {
    const layout = { isWide: head.getUint8(4) === 2, isLittle: head.getUint8(5) === 1 };
    const machine = head.getUint16(18, layout.isLittle);
    return { is: 'elf', machine, interpreter: await loaderOf(file, head, layout) };
  } catch (error) {
    // a file that is cut off, or offsets of nonsense: the system refuses it as well
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE')
      return { is: 'other' };
    throw error;
  }
}
