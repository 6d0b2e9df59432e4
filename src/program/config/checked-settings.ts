import { resolve } from 'node:path';
import { type TlsRole, tryTls } from '../../base/files/certificates.ts';
import { isReadableByAll, readText } from '../../base/files/named-files.ts';
import type { TlsContent, TlsPaths } from '../../base/model/client-tls.ts';
import { mayMean } from '../../base/settings/names.ts';
import { Secret } from '../../base/settings/secret.ts';
import { read, shownPath } from '../../base/settings/structures.ts';
import type { KeyOf, Sections, Table, ValueOf } from '../../base/settings/table.ts';
import type { Problem } from './problems.ts';
import type { RawSetting, RawSettings } from './raw-settings.ts';

/** The content of TLS files, as PEM, and their paths. */
export interface TlsFiles extends TlsContent<Secret> {
  readonly files: TlsPaths;
}

/** A file that is named by a setting, or by a part of its value. */
export interface FileReference<Key extends string> {
  readonly key: Key;
  readonly path: readonly PropertyKey[];
  readonly file: string | undefined;
}

interface CheckOptions {
  /** Paths in the file are relative to this folder. */
  readonly folder: string;
  /** Raw values that take precedence over the defaults of the schemas. */
  readonly defaults?: ReadonlyMap<string, unknown> | undefined;
}

/** The place of a setting that is not set anywhere. */
const NOT_SET = 'configuration';

/** Checks settings. Holds their values, the problems found so far, and reads the files that they name. */
export class CheckedSettings<S extends Sections> {
  readonly problems: Problem[];
  readonly warnings = new Set<string>();
  readonly #table: Table<S>;
  readonly #raw: RawSettings;
  /** Paths in the file are relative to it. */
  readonly folder: string;
  readonly #values = new Map<string, unknown>();
  readonly #invalid = new Set<string>();

  constructor(table: Table<S>, raw: RawSettings, { folder, defaults }: CheckOptions) {
    this.#table = table;
    this.#raw = raw;
    this.folder = folder;
    this.problems = [...raw.problems];
    for (const key of table.keys) this.#read(key, raw.values.get(key)?.raw ?? defaults?.get(key));
  }

  #read(key: KeyOf<S>, raw: unknown): void {
    const { schema, secret } = this.#table.settings[key];
    const found = read(schema, raw);
    if (found.issues === undefined) this.#values.set(key, found.value);
    else for (const { path, message } of found.issues) this.refuse(key, secret ? 'is not a string' : message, path);
  }

  /** The value of a setting. It is `undefined` if the setting is invalid, so that no other problem follows from it. */
  value<K extends KeyOf<S>>(key: K): ValueOf<S, K> | undefined {
    return this.#values.get(key) as ValueOf<S, K> | undefined;
  }

  /** The raw value of a setting and its place; `undefined` if the setting has its default. */
  rawSetting(key: KeyOf<S>): RawSetting | undefined {
    return this.#raw.values.get(key);
  }

  /** The key and the place of a part of a setting. */
  placeOfPart(key: KeyOf<S>, path: readonly PropertyKey[] = []): { readonly key: string; readonly where: string } {
    return { key: shownPath([key, ...path]), where: this.rawSetting(key)?.where(path) ?? NOT_SET };
  }

  /** The first setting of a section that is set. */
  firstSettingOf(section: string): KeyOf<S> | undefined {
    return this.#table.keys.find((key) => key.startsWith(`${section}.`) && this.#raw.values.has(key));
  }

  /** The place where a section begins; `undefined` if none of its settings is set. */
  placeOf(section: string): string | undefined {
    const first = this.firstSettingOf(section);
    return this.#raw.sections.get(section) ?? (first && this.rawSetting(first)?.where([]));
  }

  /** Whether a setting has no value because it is invalid or misspelt. */
  isInvalid(key: KeyOf<S>): boolean {
    return this.#invalid.has(key) || this.#raw.mayBeMeant(key);
  }

  /** Reports a problem of a setting, or of the part of its value at this path. */
  refuse(key: KeyOf<S>, message: string, path: readonly PropertyKey[] = []): void {
    this.#invalid.add(key);
    this.#invalid.add(shownPath([key, ...path]));
    this.problems.push({ ...this.placeOfPart(key, path), message });
  }

  /** Reports a missing setting, unless it is invalid or misspelt. */
  reportMissing(key: KeyOf<S>, where: string | undefined, message: string): void {
    if (!this.isInvalid(key)) this.problems.push({ key, where: where ?? NOT_SET, message });
  }

  /** An absolute path. Paths in the file are relative to the folder of the file, all others to the working directory. */
  pathOf(key: KeyOf<S>, file: unknown = this.value(key)): string | undefined {
    if (typeof file !== 'string') return undefined;
    return this.rawSetting(key)?.isFromFile ? resolve(this.folder, file) : resolve(file);
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
    this.warnings.add(`${file} can be read by every user; forbid it (chmod o= ${file})`);
  }

  /** Reads and checks files for TLS. A certificate needs its key, and a key its certificate. */
  readTls(references: Readonly<Partial<Record<TlsRole, FileReference<KeyOf<S>>>>>): TlsFiles {
    const { ca, cert, key } = references;
    if (cert !== undefined && key !== undefined) {
      if (cert.file !== undefined) this.#needFile(key, cert, 'needs key_file too');
      else if (key.file !== undefined) this.#needFile(cert, key, 'needs cert_file too');
    }
    const pem = {
      ca: ca && this.readFile(ca),
      cert: cert && this.readFile(cert),
      key: key && this.readSecretFile(key),
    };
    for (const { role, message, isWarning } of tryTls(pem, Date.now())) {
      const reference = references[role];
      if (reference === undefined) continue;
      const text = `${this.pathOf(reference.key, reference.file)} ${message}`;
      if (isWarning) this.warnings.add(`${shownPath([reference.key, ...reference.path])}: ${text}`);
      else this.refuse(reference.key, text, reference.path);
    }
    const pathTo = (reference: typeof ca) => reference && this.pathOf(reference.key, reference.file);
    const files = { ca: pathTo(ca), cert: pathTo(cert), key: pathTo(key) };
    return { ...pem, key: pem.key === undefined ? undefined : new Secret(pem.key), files };
  }

  #needFile(needed: FileReference<KeyOf<S>>, by: FileReference<KeyOf<S>>, message: string): void {
    if (needed.file === undefined && !this.#isPartInvalid(needed)) this.refuse(by.key, message, by.path);
  }

  /** Whether a part of a value is missing because it is wrong or misspelt. */
  #isPartInvalid({ key, path }: FileReference<KeyOf<S>>): boolean {
    if (path.length === 0) return this.isInvalid(key);
    const map = `${shownPath([key, ...path.slice(0, -1)])}.`;
    const name = String(path.at(-1));
    return [...this.#invalid].some((invalid) => invalid.startsWith(map) && mayMean(invalid.slice(map.length), name));
  }
}
