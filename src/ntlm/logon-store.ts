import type { Credentials } from './client-codec.ts';
import { emptyRecord, type LogonRecord } from './logon-budget.ts';

/** Stores the record of an account's logons with one password. All processes that log on with the account share it. */
export interface LogonStore {
  read(credentials: Credentials): LogonRecord;
  /** Changes the record atomically. @throws Error with the reason in one sentence when it cannot be stored */
  change(credentials: Credentials, change: (record: LogonRecord) => LogonRecord): void;
}

/** A store for this process only. */
export function createMemoryStore(): LogonStore {
  const records = new Map<string, LogonRecord>();
  const keyOf = ({ domain, username, password }: Credentials): string => JSON.stringify([domain, username, password]);
  const read = (credentials: Credentials): LogonRecord => records.get(keyOf(credentials)) ?? emptyRecord;
  return { read, change: (credentials, change) => void records.set(keyOf(credentials), change(read(credentials))) };
}
