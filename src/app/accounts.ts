import type { Log } from '../model/log.ts';
import type { CredentialGate } from '../ntlm/credential-gate.ts';
import type { StateWrites } from '../storage/file-writes.ts';
import { type Account, credentialsOf, limitsOf, logonFileOf, openAccount } from './account.ts';
import type { AppConfig } from './pipeline.ts';

/** All accounts that were used since the start. A reload must not forget their logons. */
export interface Accounts {
  /** The gate of the configured account, with the configured credentials and limits. */
  gateOf(config: AppConfig): CredentialGate;
  close(): void;
}

export function createAccounts(log: Log, writes: StateWrites): Accounts {
  const accounts = new Map<string, Account>();
  return {
    gateOf: ({ analyzer, storagePath }) => {
      const { domain, username } = credentialsOf(analyzer);
      const key = JSON.stringify([domain.toLowerCase(), username.toLowerCase(), logonFileOf(analyzer, storagePath)]);
      const account = accounts.get(key) ?? openAccount({ analyzer, storagePath, log, writes, mayReplace: true });
      accounts.set(key, account);
      account.gate.reconfigure(credentialsOf(analyzer), limitsOf(analyzer));
      return account.gate;
    },
    close: () => {
      for (const account of accounts.values()) account.close();
    },
  };
}
