import { join } from 'node:path';
import { NtlmDispatcher } from '../client/dispatcher.ts';
import { openLogonFile } from '../client/logon-file.ts';
import type { AnalyzerConfig } from '../config/config.ts';
import { revealTls } from '../config/secret.ts';
import { tlsOptions } from '../model/client-tls.ts';
import type { Log } from '../model/log.ts';
import { type Credentials, normaliseDomain } from '../ntlm/client-codec.ts';
import { type CredentialGate, createCredentialGate, type GateLimits } from '../ntlm/credential-gate.ts';
import { createMemoryStore } from '../ntlm/logon-store.ts';
import { endpoints } from '../query-api/endpoints.ts';

/** Creates the client of the analyzer from the configuration, for the daemon and for other commands. */

const LOGON_FILE = 'logons.db';

/** How often a problem of the logon file is logged, milliseconds. */
const REPORT_MS = 300_000;

export function credentialsOf({ username, domain, workstation, password }: AnalyzerConfig): Credentials {
  return { username, domain: normaliseDomain(domain), workstation, password: password.reveal() };
}

export const limitsOf = ({ authRetry, maxFailedLogons }: AnalyzerConfig): GateLimits => ({
  authRetrySeconds: authRetry,
  maxFailedLogons,
});

/** The file that counts logons; `undefined` if they are counted in memory only. */
export function logonFileOf({ logonFile }: AnalyzerConfig, storagePath: string | undefined): string | undefined {
  return logonFile ?? (storagePath === undefined ? undefined : join(storagePath, LOGON_FILE));
}

/** The configured account. */
export interface Account {
  readonly gate: CredentialGate;
  close(): void;
}

/**
 * The gate of the configured account, with its logon file if there is one.
 *
 * @throws LogonFileError if the file cannot be used: without it, a service that restarts in a loop could lock the account
 */
export function openAccount(analyzer: AnalyzerConfig, storagePath: string | undefined, log: Log): Account {
  const path = logonFileOf(analyzer, storagePath);
  let reported = { reason: '', at: 0 };
  const file =
    path === undefined
      ? undefined
      : openLogonFile(path, ({ message: reason }) => {
          if (reason === reported.reason && Date.now() - reported.at < REPORT_MS) return;
          reported = { reason, at: Date.now() };
          log.error({ reason }, 'logons cannot be counted, no logon is sent');
        });
  const gate = createCredentialGate({
    credentials: credentialsOf(analyzer),
    ...limitsOf(analyzer),
    store: file ?? createMemoryStore(),
  });
  return { gate, close: () => file?.close() };
}

/** Logs changes of the credentials: proven, unproven or rejected. */
export function createCredentialsLog({ gate, log }: { readonly gate: CredentialGate; readonly log: Log }): () => void {
  let logged = '';
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

/** The path of the cheapest call, which carries the logon of a connection. */
export const logonPathOf = ({ url }: AnalyzerConfig): string =>
  `${new URL(url).pathname.replace(/\/+$/, '')}${endpoints.GetHttpUserName.path}`;

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
    logonPath: logonPathOf(analyzer),
    gate,
    onRecovered,
    connections: concurrency,
    headersTimeout: timeout * 1000,
    bodyTimeout: timeout * 1000,
    tls: tlsOptions(revealTls(tls)),
    onPerRequest: () => log.info({}, 'the analyzer requires a logon for each request, requests are sent one at a time'),
  });
}
