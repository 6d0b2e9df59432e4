import { basename, join } from 'node:path';
import { NtlmDispatcher } from '../client/dispatcher.ts';
import { LogonFile, type LogonFileOptions } from '../client/logon-file.ts';
import { logonPathOf } from '../client/transport.ts';
import type { AnalyzerConfig } from '../config/config.ts';
import { revealTls } from '../config/secret.ts';
import { readPasswordFile } from '../config/upstream-analyzer.ts';
import { tlsOptions } from '../model/client-tls.ts';
import type { Log } from '../model/log.ts';
import { type Credentials, normaliseDomain } from '../ntlm/client-codec.ts';
import { CredentialGate, type GateLimits } from '../ntlm/credential-gate.ts';
import { createMemoryStore } from '../ntlm/logon-store.ts';
import type { StateWrites } from '../storage/file-writes.ts';
import type { AppConfig } from './pipeline.ts';

/** Creates the client of the analyzer from the configuration, for the daemon and for other commands. */

const LOGON_FILE = 'logons.db';

function credentialsOf({ username, domain, workstation, password }: AnalyzerConfig): Credentials {
  return { username, domain: normaliseDomain(domain), workstation, password: password.reveal() };
}

const limitsOf = ({ authRetry, maxFailedLogons }: AnalyzerConfig): GateLimits => ({
  authRetrySeconds: authRetry,
  maxFailedLogons,
});

/** The file that counts logons; `undefined` if they are counted in memory only: nobody can lock generated credentials. */
export function logonFileOf(
  { logonFile, isInProcess }: AnalyzerConfig,
  storagePath: string | undefined,
): string | undefined {
  if (isInProcess) return undefined;
  return logonFile ?? (storagePath === undefined ? undefined : join(storagePath, LOGON_FILE));
}

/** The configured account. */
export interface Account {
  readonly gate: CredentialGate;
  /** Why its logon file cannot be used; `undefined` if it can, or without a file. */
  problem(): string | undefined;
  close(): void;
}

/** The account of an analyzer, and where its logons are counted. */
export interface AccountOptions extends Pick<LogonFileOptions, 'log' | 'mayReplace'> {
  readonly analyzer: AnalyzerConfig;
  readonly storagePath: string | undefined;
  readonly writes: StateWrites;
}

/** The gate of the configured account, with its logon file if there is one. */
export function openAccount({ analyzer, storagePath, writes, ...options }: AccountOptions): Account {
  const path = logonFileOf(analyzer, storagePath);
  const ofFile = path === undefined ? undefined : writes.of(basename(path));
  const file =
    path === undefined || ofFile === undefined ? undefined : new LogonFile({ path, writes: ofFile, ...options });
  const gate = new CredentialGate({
    credentials: credentialsOf(analyzer),
    ...limitsOf(analyzer),
    store: file ?? createMemoryStore(),
  });
  return { gate, problem: () => ofFile?.problem(), close: () => file?.close() };
}

/** Logs changes of the credentials: proven, unproven or rejected. */
export function createCredentialsLog({ gate, log }: { readonly gate: CredentialGate; readonly log: Log }): () => void {
  // that nothing was sent yet is no news
  let logged = 'unproven';
  return () => {
    const { authenticated } = gate;
    const credentials = authenticated === undefined ? 'unproven' : authenticated ? 'proven' : 'rejected';
    if (credentials === logged) return;
    logged = credentials;
    const reason = gate.refusal()?.message;
    if (credentials === 'rejected') log.error({ credentials, reason }, 'the analyzer rejects the credentials');
    else log.info({ credentials }, 'state of the credentials');
  };
}

/** @param onRecovered called when logons work again after a logon without a verdict */
export function createDispatcher(
  analyzer: AnalyzerConfig,
  gate: CredentialGate,
  log: Log,
  onRecovered: () => void = () => undefined,
): NtlmDispatcher {
  const { url, timeout, concurrency, tls } = analyzer;
  return new NtlmDispatcher({
    origin: url,
    logonPath: logonPathOf(url),
    gate,
    onRecovered,
    connections: concurrency,
    headersTimeout: timeout * 1000,
    bodyTimeout: timeout * 1000,
    tls: tlsOptions(revealTls(tls)),
    onPerRequest: () => log.info({}, 'the analyzer requires a logon for each request, requests are sent one at a time'),
  });
}

interface PasswordRefreshOptions {
  readonly gate: CredentialGate;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** Reads the password file again, at most once a second, so that a corrected password is used without a restart. */
export function createPasswordRefresh(
  { passwordFile }: AnalyzerConfig,
  { gate, now, log }: PasswordRefreshOptions,
): () => void {
  let readAt = 0;
  return () => {
    if (passwordFile === undefined || now() - readAt < 1) return;
    readAt = now();
    try {
      const password = readPasswordFile(passwordFile).reveal();
      if (gate.reconfigure({ ...gate.credentials, password })) log.info({}, 'new password is used');
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'password file cannot be used, the last password is kept');
    }
  };
}

/** All accounts that were used since the start. A reload must not forget their logons. */
interface Accounts {
  /** The gate of the configured account, with the configured credentials and limits. */
  gateOf(config: Pick<AppConfig, 'analyzer' | 'storagePath'>): CredentialGate;
  close(): void;
}

/** The accounts of this process, so that a reload does not forget logons that failed. */
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
