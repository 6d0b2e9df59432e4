import { resolve } from 'node:path';
import { type TlsRole, tryTls } from './certificates.ts';
import type { Given, Located } from './given.ts';
import { isReadableByAll, readText } from './named-files.ts';
import { mayMean, type Problem } from './problems.ts';
import { Secret } from './secret.ts';
import { read, shownPath } from './structures.ts';
import type { KeyOf, Sections, Table, ValueOf } from './table.ts';

/** The contents of files for TLS, in PEM. */
interface TlsFiles {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: Secret | undefined;
}

/** Where a file is named: a setting, or a part of its value. */
export interface FileReference<Key extends string> {
  readonly key: Key;
  readonly path: readonly PropertyKey[];
  readonly file: string | undefined;
}

interface SheetOptions {
  /** Paths in the file are relative to this folder. */
  readonly folder: string;
  /** Raw values that take precedence over the defaults of the schemas. */
  readonly defaults?: ReadonlyMap<string, unknown> | undefined;
}

/** Shown in place of a line for a setting that is not written anywhere. */
const UNWRITTEN = 'configuration';

/** Settings while they are checked: their values, the problems found so far, and the contents of the files they name. */
export class Sheet<S extends Sections> {
  readonly problems: Problem[];
  readonly warnings = new Set<string>();
  readonly #table: Table<S>;
  readonly #given: Given;
  readonly #folder: string;
  readonly #values = new Map<string, unknown>();
  readonly #wrong = new Set<string>();

  constructor(table: Table<S>, given: Given, { folder, defaults }: SheetOptions) {
    this.#table = table;
    this.#given = given;
    this.#folder = folder;
    this.problems = [...given.problems];
    for (const key of table.keys) this.#read(key, given.values.get(key)?.raw ?? defaults?.get(key));
  }

  #read(key: KeyOf<S>, raw: unknown): void {
    const { schema, secret } = this.#table.settings[key];
    const found = read(schema, raw);
    if (found.issues === undefined) this.#values.set(key, found.value);
    else for (const { path, message } of found.issues) this.refuse(key, secret ? 'is not a text' : message, path);
  }

  /** The value of a setting. It is `undefined` where the setting is wrong, so that no other problem follows from it. */
  value<K extends KeyOf<S>>(key: K): ValueOf<S, K> | undefined {
    return this.#values.get(key) as ValueOf<S, K> | undefined;
  }

  /** The raw value of a setting and its place; `undefined` where the setting has its default. */
  given(key: KeyOf<S>): Located | undefined {
    return this.#given.values.get(key);
  }

  /** The first setting below a section that is written anywhere. */
  firstOf(section: string): KeyOf<S> | undefined {
    return this.#table.keys.find((key) => key.startsWith(`${section}.`) && this.#given.values.has(key));
  }

  /** Where a section begins; `undefined` where nothing of it is written. */
  placeOf(section: string): string | undefined {
    const first = this.firstOf(section);
    return this.#given.sections.get(section) ?? (first && this.given(first)?.where([]));
  }

  /** Whether a setting has no value because it is wrong or misspelt. */
  isWrong(key: KeyOf<S>): boolean {
    return this.#wrong.has(key) || this.#given.mayBeMeant(key);
  }

  /** Reports a problem of a setting, or of the part of its value at this path. */
  refuse(key: KeyOf<S>, message: string, path: readonly PropertyKey[] = []): void {
    this.#wrong.add(key);
    this.#wrong.add(shownPath([key, ...path]));
    const where = this.given(key)?.where(path) ?? UNWRITTEN;
    this.problems.push({ key: shownPath([key, ...path]), where, message });
  }

  /** Reports a missing setting, unless it is wrong or misspelt. */
  need(key: KeyOf<S>, where: string | undefined, message: string): void {
    if (!this.isWrong(key)) this.problems.push({ key, where: where ?? UNWRITTEN, message });
  }

  /** An absolute path. Paths in the file are relative to the folder of the file, all others to the working directory. */
  pathOf(key: KeyOf<S>, file: unknown = this.value(key)): string | undefined {
    if (typeof file !== 'string') return undefined;
    return this.given(key)?.isFromFile ? resolve(this.#folder, file) : resolve(file);
  }

  /** A setting whose value is the name of a file. */
  reference(key: KeyOf<S>): FileReference<KeyOf<S>> {
    const file: unknown = this.value(key);
    return { key, path: [], file: typeof file === 'string' ? file : undefined };
  }

  /** The text of a file. Reports a file that cannot be read. */
  readFile({ key, path, file }: FileReference<KeyOf<S>>): string | undefined {
    const name = file === undefined ? undefined : this.pathOf(key, file);
    if (name === undefined) return undefined;
    const found = readText(name);
    if ('text' in found) return found.text;
    this.refuse(key, `${name} ${found.why}`, path);
    return undefined;
  }

  /** The text of a secret file. Warns of a file that every user can read. */
  readSecretFile(reference: FileReference<KeyOf<S>>): string | undefined {
    const found = this.readFile(reference);
    if (found !== undefined) this.warnOfReaders(this.pathOf(reference.key, reference.file));
    return found;
  }

  warnOfReaders(file: string | undefined): void {
    if (file === undefined || !isReadableByAll(file)) return;
    this.warnings.add(`${file} can be read by every user; give it mode 0600`);
  }

  /** Reads and checks files for TLS. A certificate needs its key, and a key its certificate. */
  readTls(references: Readonly<Partial<Record<TlsRole, FileReference<KeyOf<S>>>>>): TlsFiles {
    const { ca, cert, key } = references;
    if (cert !== undefined && key !== undefined) {
      if (cert.file !== undefined) this.#needFile(key, cert, 'needs key_file too');
      else if (key.file !== undefined) this.#needFile(cert, key, 'needs cert_file too');
    }
    const pem = { ca: ca && this.readFile(ca), cert: cert && this.readFile(cert), key: key && this.readFile(key) };
    for (const { role, message, isWarning } of tryTls(pem, Date.now())) {
      const reference = references[role];
      if (reference === undefined) continue;
      const text = `${this.pathOf(reference.key, reference.file)} ${message}`;
      if (isWarning) this.warnings.add(`${shownPath([reference.key, ...reference.path])}: ${text}`);
      else this.refuse(reference.key, text, reference.path);
    }
    return { ...pem, key: pem.key === undefined ? undefined : new Secret(pem.key) };
  }

  #needFile(needed: FileReference<KeyOf<S>>, by: FileReference<KeyOf<S>>, message: string): void {
    if (needed.file === undefined && !this.#isPartWrong(needed)) this.refuse(by.key, message, by.path);
  }

  /** Whether a part of a value is missing because it is wrong or misspelt. */
  #isPartWrong({ key, path }: FileReference<KeyOf<S>>): boolean {
    if (path.length === 0) return this.isWrong(key);
    const map = `${shownPath([key, ...path.slice(0, -1)])}.`;
    const name = String(path.at(-1));
    return [...this.#wrong].some((wrong) => wrong.startsWith(map) && mayMean(wrong.slice(map.length), name));
  }
}
