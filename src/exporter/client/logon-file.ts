import { randomBytes, scryptSync } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../../base/model/log.ts';
import { steadyNow } from '../../base/model/steady-clock.ts';
import type { Credentials } from '../../base/ntlm/client-codec.ts';
import type { FileWrites } from '../../base/storage/file-writes.ts';
import { fileLimitProblem } from '../../base/storage/files.ts';
import { isDamage, setAside } from '../../base/storage/set-aside.ts';
import { accountOf, type LogonStore } from './credential-gate.ts';
import type { LogonRecord } from './logon-budget.ts';
import { type AccountRecord, type LogonDatabase, MalformedRecord, openLogonDatabase } from './logon-database.ts';

/** The file in which logons of an account are counted across restarts, and how writing it goes. */
export interface LogonFileOptions {
  readonly path: string;
  readonly writes: FileWrites;
  readonly log: Log;
  /** Whether a damaged file is set aside. If not, it is a file that cannot be used. */
  readonly mayReplace: boolean;
}

/** How often a file that cannot be used is tried again, milliseconds. */
const RETRY_MS = 10_000;

const LOST = 'earlier logons are not known, so none is sent before they stop counting';

/** Primary result codes of SQLite. */
const reasons: Readonly<Record<number, string>> = {
  3: 'permission denied; change its owner to the user that runs license-exporter',
  5: 'it is locked by another process; stop that process',
  8: 'it is not writable; change the owner of the file and its directory to the user that runs license-exporter',
  10: 'reading or writing failed; check the disk',
  11: 'it is corrupt; move it away',
  13: 'the disk is full; free some space',
  14: 'it cannot be opened; create its directory and make it writable for the user that runs license-exporter',
  26: 'it is not a logon file; set analyzer.logon_file to another path, or move the file away',
};

/** System error codes of creating the file. */
const systemReasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; make its directory writable for the user that runs license-exporter',
  EISDIR: 'it is a directory; set analyzer.logon_file to another path, or move the directory away',
  ENOENT: 'its directory does not exist; create it and make it writable for the user that runs license-exporter',
  ENOSPC: 'the disk is full; free some space',
  ENOTDIR: 'part of its path is a file; set storage.path or analyzer.logon_file to another path',
  EPERM: 'permission denied; make its directory writable for the user that runs license-exporter',
  EROFS: 'its file system is read-only; set storage.path or analyzer.logon_file to a writable path',
};

function reasonOf(error: unknown): string {
  const { errcode, code, message } = error as { errcode?: number; code?: string; message: string };
  const limit = fileLimitProblem(error);
  if (limit !== undefined) return `it ${limit}`;
  const known = errcode === undefined ? systemReasons[code ?? ''] : reasons[errcode & 0xff];
  return known ?? message;
}

/** When a file or its journal was last written, on the steady clock; `undefined` without a file. Not after now. */
function lastWritten(path: string): number | undefined {
  try {
    const times = [path, `${path}-wal`].flatMap((name) => statSync(name, { throwIfNoEntry: false })?.mtimeMs ?? []);
    return times.length === 0 ? undefined : steadyNow() - Math.max(0, Date.now() - Math.max(...times));
  } catch {
    // its directory cannot be read
    return undefined;
  }
}

/** When the newest of the files that were set aside was last written: what it counted is not known. */
function lastSetAside(path: string): number {
  const prefix = `${basename(path)}.damaged-`;
  const names = readdirSync(dirname(path)).filter(
    (name) => name.startsWith(prefix) && !/-(wal|shm|journal)$/.test(name),
  );
  return Math.max(...names.map((name) => lastWritten(join(dirname(path), name)) ?? Number.NEGATIVE_INFINITY));
}

/** What the file could not be given, and what it contained before. */
interface Unwritten {
  readonly base: AccountRecord;
  readonly record: AccountRecord;
}

const emptyAccount: AccountRecord = { messages: [], verdicts: {} };

/** The record in the file with what could not be written. Other processes may have changed it meanwhile. */
function merge(stored: AccountRecord, { base, record }: Unwritten): AccountRecord {
  const seen = new Set([...base.messages, ...record.messages].map(({ id }) => id));
  const others = stored.messages.filter(({ id }) => !seen.has(id));
  return {
    messages: [...others, ...record.messages].sort((a, b) => a.sentAt - b.sentAt),
    verdicts: { ...stored.verdicts, ...record.verdicts },
  };
}

/**
 * The file that counts logons, which several processes share. It contains a scrypt hash of each password, to detect a changed one. A
 * file that cannot be used does not end the process: logons are then counted in memory, and none is sent while what the file may
 * have counted matters. A file that can be used again gets what was counted meanwhile. Nothing throws.
 */
export class LogonFile implements LogonStore {
  readonly #options: LogonFileOptions;
  readonly #startedAt = steadyNow();
  #salt = randomBytes(16).toString('hex');
  #database: LogonDatabase | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** When the file was last written before it could not be used. Later attempts may have written a part of it. */
  #usableUntil: number | undefined;
  /** When the newest file that was set aside was last written. */
  #lostUntil = Number.NEGATIVE_INFINITY;
  /** By account. */
  readonly #unwritten = new Map<string, Unwritten>();
  readonly #lastRead = new Map<string, AccountRecord>();
  /** The hash of the newest credentials, cached because hashing takes tens of milliseconds. */
  #hashed: { readonly of: Credentials; readonly salt: string; readonly fingerprint: string } | undefined;

  constructor(options: LogonFileOptions) {
    this.#options = options;
    this.#attempt(() => undefined);
  }

  read(credentials: Credentials): LogonRecord {
    const account = accountOf(credentials);
    const loaded = this.#attempt((opened) => opened.load(account));
    if (loaded !== undefined) this.#lastRead.set(account, loaded.value);
    return this.#recordOf(credentials, loaded?.value ?? this.#inMemory(account));
  }

  change(credentials: Credentials, change: (known: LogonRecord) => LogonRecord): void {
    const account = accountOf(credentials);
    const changeKnown = (found: AccountRecord): AccountRecord => {
      const before = this.#recordOf(credentials, found);
      const after = change(before);
      return after === before ? found : { messages: after.messages, verdicts: after.verdicts };
    };
    if (this.#attempt((opened) => opened.change(account, changeKnown)) !== undefined) return;
    const known = this.#inMemory(account);
    const base = this.#unwritten.get(account)?.base ?? known;
    this.#unwritten.set(account, { base, record: changeKnown(known) });
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  /** Works with the file, or with the new one in its place. Returns `undefined` if it cannot be used. */
  #attempt<T>(work: (opened: LogonDatabase) => T): { readonly value: T } | undefined {
    if (steadyNow() - this.#failedAt < RETRY_MS) return undefined;
    for (const isNew of [false, true]) {
      try {
        const opened = this.#open();
        for (const [account, missing] of this.#unwritten) opened.change(account, (stored) => merge(stored, missing));
        this.#unwritten.clear();
        const value = work(opened);
        this.#failedAt = Number.NEGATIVE_INFINITY;
        this.#usableUntil = undefined;
        this.#options.writes.succeeded();
        return { value };
      } catch (error) {
        if (!this.#fail(error, isNew)) return undefined;
      }
    }
    return undefined;
  }

  #open(): LogonDatabase {
    if (this.#database?.isReplaced() === true) this.close();
    if (this.#database !== undefined) return this.#database;
    const { path } = this.#options;
    this.#database = openLogonDatabase(path, this.#salt);
    this.#salt = this.#database.salt;
    this.#lostUntil = lastSetAside(path);
    return this.#database;
  }

  /** Returns whether a damaged file was set aside, so that a new one can take its place. */
  #fail(error: unknown, isNew: boolean): boolean {
    const { path, mayReplace, writes, log } = this.#options;
    this.close();
    const reason = reasonOf(error);
    // a directory is not ours: the path is a mistake of the configuration
    const isDirectory = (error as NodeJS.ErrnoException).code === 'EISDIR';
    const isDamaged = error instanceof MalformedRecord || (isDamage(path, error) && !isDirectory);
    if (isDamaged && mayReplace && !isNew && setAside({ path, reason, lost: LOST }, log) !== undefined) return true;
    this.#usableUntil ??= lastWritten(path) ?? this.#startedAt;
    this.#failedAt = steadyNow();
    writes.failed(`the logon file ${path} cannot be used: ${reason}`);
    return false;
  }

  /** The record of the account while the file cannot be used. */
  #inMemory(account: string): AccountRecord {
    return this.#unwritten.get(account)?.record ?? this.#lastRead.get(account) ?? emptyAccount;
  }

  #recordOf(credentials: Credentials, known: AccountRecord): LogonRecord {
    return {
      ...known,
      password: this.#fingerprintOf(credentials),
      incompleteUntil: Math.max(this.#lostUntil, this.#usableUntil ?? Number.NEGATIVE_INFINITY),
    };
  }

  #fingerprintOf(credentials: Credentials): string {
    const salt = this.#salt;
    if (this.#hashed?.of !== credentials || this.#hashed.salt !== salt) {
      const text = JSON.stringify([accountOf(credentials), credentials.password]);
      const fingerprint = scryptSync(text, Buffer.from(salt, 'hex'), 32).toString('hex');
      this.#hashed = { of: credentials, salt, fingerprint };
    }
    return this.#hashed.fingerprint;
  }
}
