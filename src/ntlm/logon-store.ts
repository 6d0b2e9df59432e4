import type { Credentials } from './client-codec.ts';
import { emptyRecord, type LogonRecord } from './logon-budget.ts';

/** Keeps the record of an account's logons with one password; shared by every process that logs on with it. */
export interface LogonStore {
  read(credentials: Credentials): LogonRecord;
  /** Changes the record, atomically. @throws Error that says in a sentence why it cannot be kept */
  change(credentials: Credentials, change: (record: LogonRecord) => LogonRecord): void;
}

/** A store of this process alone. */
export function createMemoryStore(): LogonStore {
  const records = new Map<string, LogonRecord>();
  const keyOf = ({ domain, username, password }: Credentials): string => JSON.stringify([domain, username, password]);
  const read = (credentials: Credentials): LogonRecord => records.get(keyOf(credentials)) ?? emptyRecord;
  return { read, change: (credentials, change) => void records.set(keyOf(credentials), change(read(credentials))) };
}
