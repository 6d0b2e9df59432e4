import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { steadyNow } from '../../base/model/steady-clock.ts';
import { createPrivateFile } from '../../base/storage/files.ts';
import { elapsed, type Stamp, stampOf } from '../../base/storage/stamp.ts';
import type { LogonMessage, LogonRecord, Verdict } from './logon-budget.ts';

/** The content is that of a logon file, but not of this program. */
export class MalformedRecord extends Error {
  override readonly name = 'MalformedRecord';
}

/** The logons of an account with all passwords. Times are those of the steady clock. */
export type AccountRecord = Omit<LogonRecord, 'password' | 'incompleteUntil'>;

/** An open logon file. Its functions throw the errors of SQLite, and `MalformedRecord`. */
export interface LogonDatabase {
  /** Of the hashes that stand for passwords. */
  readonly salt: string;
  /** Whether another file, or none, is in its place. */
  isReplaced(): boolean;
  load(account: string): AccountRecord;
  /** Changes the record atomically. */
  change(account: string, change: (record: AccountRecord) => AccountRecord): void;
  close(): void;
}

/** How long to wait while another process locks the file, milliseconds. A change takes about 1 ms. */
const BUSY_MS = 2_000;

/** Records of passwords that were not used for this long are deleted, seconds. */
const FORGET = 30 * 86_400;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS note (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS logons (
    account TEXT NOT NULL, fingerprint TEXT NOT NULL, record TEXT NOT NULL, changed INTEGER NOT NULL,
    PRIMARY KEY (account, fingerprint)
  ) WITHOUT ROWID;
`;

type StoredMessage = Omit<LogonMessage, 'password'>;

/** What a row keeps of the logons with one password. Its times are wall times as the clock was when it was written. */
interface StoredRecord extends Partial<Omit<Stamp, 'wall'>> {
  readonly messages: readonly StoredMessage[];
  readonly verdict?: Verdict;
}

interface Row {
  readonly fingerprint: string;
  readonly record: string;
  /** When the row was written, epoch milliseconds. */
  readonly changed: number;
}

function parse({ record }: Row): StoredRecord {
  let stored: StoredRecord;
  try {
    stored = JSON.parse(record) as StoredRecord;
  } catch {
    throw new MalformedRecord('one of its records is damaged');
  }
  if (!Array.isArray(stored?.messages)) throw new MalformedRecord('it was written by another version');
  return stored;
}

const stampNow = (): Stamp => stampOf(Date.now() / 1000);

/** When a row was written. One of an earlier version has neither an uptime nor a boot. */
const writtenAt = (row: Row, { uptime = 0, boot }: StoredRecord): Stamp => ({ wall: row.changed / 1000, uptime, boot });

/** Moves the times of a message from one clock to another. */
const moved = <M extends StoredMessage>(message: M, by: number): M => ({
  ...message,
  sentAt: message.sentAt + by,
  countsUntil: message.countsUntil + by,
});

/** Moves the times of a verdict from one clock to another. */
const movedVerdict = (verdict: Verdict, by: number): Verdict => ({
  ...verdict,
  at: verdict.at + by,
  ...(verdict.provenAt !== undefined && { provenAt: verdict.provenAt + by }),
});

function combine(rows: readonly Row[]): AccountRecord {
  const now = stampNow();
  const messages: LogonMessage[] = [];
  const verdicts: Record<string, Verdict> = {};
  for (const row of rows) {
    const stored = parse(row);
    const { fingerprint: password } = row;
    const by = steadyNow() - elapsed(writtenAt(row, stored), now) * 1000 - row.changed;
    messages.push(...stored.messages.map((message) => ({ ...moved(message, by), password })));
    if (stored.verdict !== undefined) verdicts[password] = movedVerdict(stored.verdict, by);
  }
  return { messages: messages.sort((a, b) => a.sentAt - b.sentAt), verdicts };
}

/** The record of one password as it is stored at this moment. */
function storedOf({ messages, verdicts }: AccountRecord, fingerprint: string, now: Stamp): StoredRecord {
  const by = now.wall * 1000 - steadyNow();
  const { uptime, boot } = now;
  const verdict = verdicts[fingerprint];
  return {
    messages: messages
      .filter(({ password }) => password === fingerprint)
      .map(({ password, ...message }) => moved(message, by)),
    ...(verdict !== undefined && { verdict: movedVerdict(verdict, by) }),
    uptime,
    boot,
  };
}

function prepare(database: DatabaseSync) {
  const select = database.prepare('SELECT fingerprint, record, changed FROM logons WHERE account = ?');
  const selectAll = database.prepare('SELECT account, fingerprint, record, changed FROM logons');
  const replace = database.prepare('INSERT OR REPLACE INTO logons VALUES (?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM logons WHERE account = ? AND fingerprint = ?');
  return {
    rowsOf: (account: string) => select.all(account) as unknown as readonly Row[],
    allRows: () => selectAll.all() as unknown as readonly (Row & { readonly account: string })[],
    remove: (account: string, fingerprint: string) => void remove.run(account, fingerprint),
    write: (account: string, fingerprint: string, stored: StoredRecord, { wall }: Stamp) =>
      void replace.run(account, fingerprint, JSON.stringify(stored), Math.round(wall * 1000)),
  };
}

type Statements = ReturnType<typeof prepare>;

/** Deletes what was not used for long, and writes the rest again: after the start of the host, only wall time tells ages. */
function refresh({ allRows, remove, write }: Statements): void {
  const now = stampNow();
  for (const row of allRows()) {
    const written = writtenAt(row, parse(row));
    if (elapsed(written, now) > FORGET) remove(row.account, row.fingerprint);
    else if (written.boot !== now.boot)
      write(row.account, row.fingerprint, storedOf(combine([row]), row.fingerprint, now), now);
  }
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    // SQLite has already rolled back, for example when the disk is full
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Which file is in a place. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev} ${found.ino}`;
}

/**
 * Opens the file in which several processes keep their logons, for its owner only. SQLite locks it. A change survives even
 * if the process is killed.
 *
 * @param salt for a new file
 * @throws Error of SQLite or the file system, and `MalformedRecord`
 */
export function openLogonDatabase(path: string, salt: string): LogonDatabase {
  createPrivateFile(path);
  const database = new DatabaseSync(path, { timeout: BUSY_MS });
  try {
    // a commit does not wait for the disk: only a power loss can lose changes, and then only the newest
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(SCHEMA);
    database.prepare("INSERT OR IGNORE INTO note VALUES ('salt', ?)").run(salt);
    const kept = database.prepare("SELECT value FROM note WHERE key = 'salt'").get() as { value: string };
    const statements = prepare(database);
    inTransaction(database, () => refresh(statements));
    const identity = identityOf(path);
    return {
      salt: kept.value,
      isReplaced: () => identityOf(path) !== identity,
      load: (account) => combine(statements.rowsOf(account)),
      change: (account, change) =>
        inTransaction(database, () => {
          const before = combine(statements.rowsOf(account));
          const after = change(before);
          if (after === before) return;
          const now = stampNow();
          const used = [...before.messages, ...after.messages].map(({ password }) => password);
          for (const fingerprint of new Set([...used, ...Object.keys(after.verdicts)])) {
            statements.write(account, fingerprint, storedOf(after, fingerprint, now), now);
          }
        }),
      close: () => {
        if (database.isOpen) database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
