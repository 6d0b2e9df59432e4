import { randomBytes, scryptSync } from 'node:crypto';
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../model/operator-error.ts';
import type { Credentials } from '../ntlm/client-codec.ts';
import { emptyRecord, type LogonRecord } from '../ntlm/logon-budget.ts';
import type { LogonStore } from '../ntlm/logon-store.ts';

/** The logon file cannot be used. The message contains its path, the reason and the remedy. */
export class LogonFileError extends OperatorError {
  override readonly name = 'LogonFileError';
}

export interface LogonFile extends LogonStore {
  close(): void;
}

/** How long to wait while another process locks the file, milliseconds. A change takes about 1 ms. */
const BUSY_MS = 2_000;

/** Records of passwords that were not used for this long are deleted, milliseconds. */
const FORGET_MS = 30 * 86_400_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS note (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS logons (
    account TEXT NOT NULL, fingerprint TEXT NOT NULL, record TEXT NOT NULL, changed INTEGER NOT NULL,
    PRIMARY KEY (account, fingerprint)
  ) WITHOUT ROWID;
`;

/** Primary result codes of SQLite. */
const reasons: Readonly<Record<number, string>> = {
  3: 'permission denied; change its owner to the user that runs license-exporter',
  5: 'it is locked by another process; stop that process',
  8: 'it is not writable; change the owner of the file and its directory to the user that runs license-exporter',
  10: 'reading or writing failed; check the disk',
  11: 'it is corrupt; delete it',
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

function explain(path: string, error: unknown): LogonFileError {
  const { errcode, code, message } = error as { errcode?: number; code?: string; message: string };
  const known = errcode === undefined ? systemReasons[code ?? ''] : reasons[errcode & 0xff];
  const reason = known ?? message;
  return new LogonFileError(`the logon file ${path} cannot be used: ${reason}`, { cause: error });
}

/** Creates the file for its owner only. If root runs a command, the owner of the directory becomes the owner of the file. */
function createFile(path: string): void {
  const directory = dirname(path);
  // `recursive` never returns if a parent cannot be created, for example in /proc
  if (!existsSync(directory) && existsSync(dirname(directory))) mkdirSync(directory, { mode: 0o700 });
  // opening it reports that it is a directory; SQLite does not
  if (existsSync(path) && !statSync(path).isDirectory()) return;
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(directory);
  chownSync(path, uid, gid);
}

/**
 * Stores the record of logons in a file that several processes can share. SQLite locks it. A change survives even if the
 * process is killed. The file contains a scrypt hash of the password, to detect a changed password.
 *
 * @param onProblem called when the file later cannot be read or written
 * @throws LogonFileError when the file cannot be opened
 */
export function openLogonFile(path: string, onProblem: (error: LogonFileError) => void): LogonFile {
  let database: DatabaseSync | undefined;
  let salt: Buffer;
  try {
    createFile(path);
    database = new DatabaseSync(path, { timeout: BUSY_MS });
    // a commit does not wait for the disk: only a power loss can lose changes, and then only the newest
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

  /** The hash of the newest credentials, cached because hashing takes tens of milliseconds. */
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
    if (!Array.isArray(record.messages)) throw new Error('it was written by another version; delete it');
    return record;
  };

  /** The last known record, used while the file cannot be read. */
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
          // SQLite has already rolled back, for example when the disk is full
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
