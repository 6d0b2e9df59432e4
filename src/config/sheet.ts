import { resolve } from 'node:path';
import { type TlsRole, tryTls } from './certificates.ts';
import type { Given, Located } from './given.ts';
import { isReadableByAll, readText } from './named-files.ts';
import type { Problem } from './problems.ts';
import { Secret } from './secret.ts';
import { read, shownPath } from './structures.ts';
import type { KeyOf, Sections, Table, ValueOf } from './table.ts';

/** What files for TLS hold. */
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
  /** Files that the file names are meant relative to this. */
  readonly folder: string;
  /** Raw values that stand before the defaults of the schemas. */
  readonly defaults?: ReadonlyMap<string, unknown> | undefined;
}

/** Where something is that is written nowhere. */
const UNWRITTEN = 'configuration';

/** Settings while they are read: their values, what is wrong with them, and what the files hold that they name. */
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

  /** The value of a setting; `undefined` also where it is wrong, so that nothing follows from it. */
  value<K extends KeyOf<S>>(key: K): ValueOf<S, K> | undefined {
    return this.#values.get(key) as ValueOf<S, K> | undefined;
  }

  /** How and where a setting is written; `undefined` where it has its default. */
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

  /** Whether a setting is not there because it is wrong, or because it stands there misspelt. */
  isWrong(key: KeyOf<S>): boolean {
    return this.#wrong.has(key) || this.#given.mayBeMeant(key);
  }

  /** Reports what is wrong with a setting, or with the part of its value that the path leads to. */
  refuse(key: KeyOf<S>, message: string, path: readonly PropertyKey[] = []): void {
    this.#wrong.add(key);
    const where = this.given(key)?.where(path) ?? UNWRITTEN;
    this.problems.push({ key: shownPath([key, ...path]), where, message });
  }

  /** Reports a setting that is missing, unless it is wrong. */
  need(key: KeyOf<S>, where: string | undefined, message: string): void {
    if (!this.isWrong(key)) this.problems.push({ key, where: where ?? UNWRITTEN, message });
  }

  /** Files and directories named in the file are meant relative to it. */
  pathOf(key: KeyOf<S>, file: unknown = this.value(key)): string | undefined {
    if (typeof file !== 'string') return undefined;
    return this.given(key)?.isFromFile ? resolve(this.#folder, file) : resolve(file);
  }

  /** A setting whose value is the name of a file. */
  reference(key: KeyOf<S>): FileReference<KeyOf<S>> {
    const file: unknown = this.value(key);
    return { key, path: [], file: typeof file === 'string' ? file : undefined };
  }

  /** The text of a file; one that cannot be read is a problem. */
  readFile({ key, path, file }: FileReference<KeyOf<S>>): string | undefined {
    const name = file === undefined ? undefined : this.pathOf(key, file);
    if (name === undefined) return undefined;
    const found = readText(name);
    if ('text' in found) return found.text;
    this.refuse(key, `${name} ${found.why}`, path);
    return undefined;
  }

  /** The text of a file that only the daemon should read. */
  readSecretFile(reference: FileReference<KeyOf<S>>): string | undefined {
    const found = this.readFile(reference);
    if (found !== undefined) this.warnOfReaders(this.pathOf(reference.key, reference.file));
    return found;
  }

  warnOfReaders(file: string | undefined): void {
    if (file === undefined || !isReadableByAll(file)) return;
    this.warnings.add(`${file} can be read by every user; give it mode 0600`);
  }

  /** Reads files for TLS and tries them. A certificate needs its key, and the key its certificate. */
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
    if (needed.file === undefined && !this.isWrong(needed.key)) this.refuse(by.key, message, by.path);
  }
}
