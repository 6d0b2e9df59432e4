import type { Credentials } from './client-codec.ts';
import { current, type LogonRecord } from './logon-budget.ts';
import type { LogonStore } from './logon-store.ts';

/** The current record of logons, including changes that could not be written to the store yet. */
export interface LogonLedger {
  /** The record, with only the messages that count. */
  read(credentials: Credentials): LogonRecord;
  /** Changes the record. If the store cannot be written, it reports that, and the change is written before the next message. */
  change(credentials: Credentials, change: (known: LogonRecord) => LogonRecord): void;
  /** Changes the record. @throws Error as the store's `change` */
  changeOrThrow(credentials: Credentials, change: (known: LogonRecord) => LogonRecord): void;
  /** Writes the changes that could not be written before. */
  flush(): void;
}

/** @param now epoch milliseconds */
export function createLogonLedger(store: LogonStore, now: () => number): LogonLedger {
  const unwritten: (() => void)[] = [];

  const changeOrThrow: LogonLedger['change'] = (credentials, change) =>
    store.change(credentials, (before) => change(current(before, now())));

  const change: LogonLedger['change'] = (credentials, next) => {
    try {
      changeOrThrow(credentials, next);
    } catch {
      unwritten.push(() => change(credentials, next));
    }
  };

  return {
    read: (credentials) => {
      const record = store.read(credentials);
      // after the clock was set back, the corrected times are stored; otherwise messages would count for too long
      const isAhead = record.messages.some(({ sentAt }) => sentAt > now());
      if (unwritten.length === 0 && isAhead) change(credentials, (known) => known);
      return current(record, now());
    },
    change,
    changeOrThrow,
    flush: () => {
      for (const write of unwritten.splice(0)) write();
    },
  };
}
