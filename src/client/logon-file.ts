import { randomBytes, scryptSync } from 'node:crypto';
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../model/operator-error.ts';
import type { Credentials } from '../ntlm/client-codec.ts';
import { emptyRecord, type LogonRecord } from '../ntlm/logon-budget.ts';
import type { LogonStore } from '../ntlm/logon-store.ts';

/** The file that counts logons cannot be used. The message names it, says why, and what to do. */
export class LogonFileError extends OperatorError {
  override readonly name = 'LogonFileError';
}

export interface LogonFile extends LogonStore {
  close(): void;
}

/** How long another process may hold the file, milliseconds. Changing it takes about one. */
const BUSY_MS = 2_000;

/** Passwords that were not used for this long are forgotten, milliseconds. */
const FORGET_MS = 30 * 86_400_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS note (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS logons (
    account TEXT NOT NULL, fingerprint TEXT NOT NULL, record TEXT NOT NULL, changed INTEGER NOT NULL,
    PRIMARY KEY (account, fingerprint)
  ) WITHOUT ROWID;
`;

/** Result codes of SQLite, without their extension. */
const reasons: Readonly<Record<number, string>> = {
  3: 'no permission; give it to the user that runs license-exporter',
  5: 'another process holds it; end that process',
  8: 'it cannot be written to; give it and its directory to the user that runs license-exporter',
  10: 'reading or writing failed; look at the disk',
  11: 'it is damaged; remove it',
  13: 'the disk is full; make room',
  14: 'it cannot be opened; make its directory, and let the user that runs license-exporter write to it',
  26: 'it is another kind of file; set analyzer.logon_file to another path, or move it away',
};

/** Codes of the system, where the file is made. */
const systemReasons: Readonly<Record<string, string>> = {
  EACCES: 'no permission; let the user that runs license-exporter write to its directory',
  EISDIR: 'it is a directory; set analyzer.logon_file to another path, or move it away',
  ENOENT: 'its directory does not exist; make it, for the user that runs license-exporter',
  ENOSPC: 'the disk is full; make room',
  ENOTDIR: 'a part of the path is a file; set storage.path or analyzer.logon_file to another path',
  EPERM: 'no permission; let the user that runs license-exporter write to its directory',
  EROFS: 'its file system is read-only; set storage.path or analyzer.logon_file to a path that can be written to',
};

function explain(path: string, error: unknown): LogonFileError {
  const { errcode, code, message } = error as { errcode?: number; code?: string; message: string };
  const known = errcode === undefined ? systemReasons[code ?? ''] : reasons[errcode & 0xff];
  const reason = known ?? message;
  return new LogonFileError(`the file that counts logons, ${path}, cannot be used: ${reason}`, { cause: error });
}

/** Makes the file for its owner alone. A command that root runs must not take it from the service that owns the directory. */
function createFile(path: string): void {
  const directory = dirname(path);
  // `recursive` never returns where a parent cannot be made, in /proc for one
  if (!existsSync(directory) && existsSync(dirname(directory))) mkdirSync(directory, { mode: 0o700 });
  // opening a directory says what it is, and SQLite does not
  if (existsSync(path) && !statSync(path).isDirectory()) return;
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(directory);
  chownSync(path, uid, gid);
}

/**
 * Keeps the record of logons in a file that processes share: SQLite locks it, and a change survives the end of the
 * process, whatever ends it. It holds an scrypt hash of the password, which shows whether the password changed.
 *
 * @param onProblem called when the file cannot be read or written later on
 * @throws LogonFileError when it cannot be used now
 */
export function openLogonFile(path: string, onProblem: (error: LogonFileError) => void): LogonFile {
  let database: DatabaseSync | undefined;
  let salt: Buffer;
  try {
    createFile(path);
    database = new DatabaseSync(path, { timeout: BUSY_MS });
    // a commit waits for no disk: the end of the process is survived, and after a loss of power at most the newest change is missing
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(SCHEMA);
    const fresh = randomBytes(16).toString('hex');
    database.prepare("INSERT OR IGNORE INTO note VALUES ('salt', ?)").run(fresh);
    const row = database.prepare("SELECT value FROM note WHERE key = 'salt'").get() as { value: string };
    salt = Buffer.from(row.value, 'hex');
  } catch (error) {
    database?.close();
    throw explain(path, error);
  }
  const select = database.prepare('SELECT record FROM logons WHERE account = ? AND fingerprint = ?');
  const replace = database.prepare('INSERT OR REPLACE INTO logons VALUES (?, ?, ?, ?)');
  const forget = database.prepare('DELETE FROM logons WHERE changed < ?');

  /** Of the newest credentials: hashing takes tens of milliseconds. */
  let hashed: { readonly of: Credentials; readonly key: readonly [string, string] } | undefined;
  const keyOf = (credentials: Credentials): readonly [string, string] => {
    if (hashed?.of === credentials) return hashed.key;
    const account = `${credentials.domain}\\${credentials.username}`.toLowerCase();
    const fingerprint = scryptSync(JSON.stringify([account, credentials.password]), salt, 32).toString('hex');
    hashed = { of: credentials, key: [account, fingerprint] };
    return hashed.key;
  };

  const load = (key: readonly [string, string]): LogonRecord => {
    const row = select.get(...key) as { record: string } | undefined;
    const record = row === undefined ? emptyRecord : (JSON.parse(row.record) as LogonRecord);
    if (!Array.isArray(record.messages)) throw new Error('it is of another version; remove it');
    return record;
  };

  /** Shown while the file cannot be read. */
  let lastRead = emptyRecord;

  return {
    read: (credentials) => {
      try {
        lastRead = load(keyOf(credentials));
      } catch (error) {
        onProblem(explain(path, error));
      }
      return lastRead;
    },
    change: (credentials, change) => {
      const key = keyOf(credentials);
      try {
        database.exec('BEGIN IMMEDIATE');
        try {
          const before = load(key);
          const after = change(before);
          if (after !== before) replace.run(...key, JSON.stringify(after), Date.now());
          forget.run(Date.now() - FORGET_MS);
          database.exec('COMMIT');
        } catch (error) {
          // a full disk, for one, has undone it already
          if (database.isTransaction) database.exec('ROLLBACK');
          throw error;
        }
      } catch (error) {
        const problem = explain(path, error);
        onProblem(problem);
        throw problem;
      }
    },
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}
