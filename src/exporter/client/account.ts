import { basename, join } from 'node:path';
import { followTls } from '../../base/files/followed-tls.ts';
import { readPasswordFile } from '../../base/files/named-files.ts';
import { tlsOptions } from '../../base/model/client-tls.ts';
import type { Log } from '../../base/model/log.ts';
import { type Credentials, normaliseDomain } from '../../base/ntlm/client-codec.ts';
import type { AnalyzerConfig } from '../../base/settings/analyzer.ts';
import type { StateWrites } from '../../base/storage/file-writes.ts';
import { CredentialGate, createMemoryStore, type GateLimits, type LogonStore } from './credential-gate.ts';
import { NtlmDispatcher } from './dispatcher.ts';
import { LogonFile, type LogonFileOptions } from './logon-file.ts';
import { logonPathOf } from './transport.ts';

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
  { logonFile, isOfDemo }: AnalyzerConfig,
  storagePath: string | undefined,
): string | undefined {
  if (isOfDemo) return undefined;
  return logonFile ?? (storagePath === undefined ? undefined : join(storagePath, LOGON_FILE));
}

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

/** Where logons are counted: a file, or the memory of this process. */
interface Counted {
  readonly store: LogonStore;
  problem(): string | undefined;
  close(): void;
}

function openStore(
  path: string | undefined,
  { writes, ...options }: Omit<AccountOptions, 'analyzer' | 'storagePath'>,
): Counted {
  if (path === undefined) return { store: createMemoryStore(), problem: () => undefined, close: () => undefined };
  const ofFile = writes.of(basename(path));
  const file = new LogonFile({ path, writes: ofFile, ...options });
  return { store: file, problem: () => ofFile.problem(), close: () => file.close() };
}

const createGate = (analyzer: AnalyzerConfig, store: LogonStore): CredentialGate =>
  new CredentialGate({ credentials: credentialsOf(analyzer), ...limitsOf(analyzer), store });

/** The gate of the configured account, with its logon file if there is one. */
export function openAccount({ analyzer, storagePath, ...options }: AccountOptions): Account {
  const { store, problem, close } = openStore(logonFileOf(analyzer, storagePath), options);
  return { gate: createGate(analyzer, store), problem, close };
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
  const { url, timeout, concurrency } = analyzer;
  const tls = followTls(analyzer.tls, log);
  return new NtlmDispatcher({
    origin: url,
    logonPath: logonPathOf(url),
    gate,
    onRecovered,
    connections: concurrency,
    headersTimeout: timeout * 1000,
    bodyTimeout: timeout * 1000,
    tls: () => tlsOptions(tls),
    onIdleLimit: (ms) =>
      log.info(
        { idle_seconds: ms / 1000 },
        'questions to the analyzer were not answered on connections that were idle, but were on others, perhaps because of a firewall: for a day, a connection that was idle for this time is not used again',
      ),
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
  /** The gate of an account at an analyzer, with the configured credentials and limits. */
  gateOf(config: Pick<AccountOptions, 'analyzer' | 'storagePath'>): CredentialGate;
  close(): void;
}

/**
 * The accounts of this process, so that a reload does not forget logons that failed. Logons of one account are counted together,
 * also at several analyzers, where it can have different passwords.
 */
export function createAccounts(log: Log, writes: StateWrites): Accounts {
  const counted = new Map<string | undefined, Counted>();
  const gates = new Map<string, CredentialGate>();
  return {
    gateOf: ({ analyzer, storagePath }) => {
      const path = logonFileOf(analyzer, storagePath);
      const known = counted.get(path) ?? openStore(path, { log, writes, mayReplace: true });
      counted.set(path, known);
      const { domain, username } = credentialsOf(analyzer);
      const key = JSON.stringify([domain.toLowerCase(), username.toLowerCase(), path, new URL(analyzer.url).origin]);
      const gate = gates.get(key) ?? createGate(analyzer, known.store);
      gates.set(key, gate);
      gate.reconfigure(credentialsOf(analyzer), limitsOf(analyzer));
      return gate;
    },
    close: () => {
      for (const { close } of counted.values()) close();
    },
  };
}
