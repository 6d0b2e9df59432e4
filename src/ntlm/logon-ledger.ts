import type { Credentials } from './client-codec.ts';
import { current, type LogonRecord } from './logon-budget.ts';
import type { LogonStore } from './logon-store.ts';

/** The store of logons as of now, with what could not be written to it yet. */
export interface LogonLedger {
  /** What counts. */
  read(credentials: Credentials): LogonRecord;
  /** Changes the record. What cannot be written, which the store reports, is written before the next message. */
  change(credentials: Credentials, change: (known: LogonRecord) => LogonRecord): void;
  /** Changes the record, after everything that could not be written before. @throws Error as the store's `change` */
  changeOrThrow(credentials: Credentials, change: (known: LogonRecord) => LogonRecord): void;
  /** Writes what could not be written before. */
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
      // that the clock was set back is written down: else messages would count until it has caught up
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
