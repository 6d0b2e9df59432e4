import type { Credentials } from '../../base/ntlm/client-codec.ts';
import type { LogonRecord } from './logon-budget.ts';

/** Stores the record of an account's logons. All processes that log on with the account share it. */
export interface LogonStore {
  /** The record of the account, as a process with these credentials sees it. Never throws. */
  read(credentials: Credentials): LogonRecord;
  /** Changes the record atomically. Never throws, but if it cannot be stored, the record that is changed is incomplete. */
  change(credentials: Credentials, change: (record: LogonRecord) => LogonRecord): void;
}

/** The account, as directories compare it. */
export const accountOf = ({ domain, username }: Credentials): string => `${domain}\\${username}`.toLowerCase();

/** A store for this process only. */
export function createMemoryStore(): LogonStore {
  const records = new Map<string, LogonRecord>();
  const read = (credentials: Credentials): LogonRecord => ({
    ...(records.get(accountOf(credentials)) ?? { messages: [], verdicts: {} }),
    password: credentials.password,
  });
  return {
    read,
    change: (credentials, change) => void records.set(accountOf(credentials), change(read(credentials))),
  };
}
