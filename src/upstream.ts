import { join } from 'node:path';
import { NtlmDispatcher } from './client/dispatcher.ts';
import { createHoldFile } from './client/hold-file.ts';
import type { AnalyzerConfig } from './config/config.ts';
import type { Log } from './model/log.ts';
import { type Credentials, normaliseDomain } from './ntlm/client-codec.ts';
import { type CredentialGate, createCredentialGate } from './ntlm/credential-gate.ts';

/** How a configuration becomes the way to the analyzer: for the daemon, and for commands that ask beside it. */

const HOLD_FILE = 'logon-hold.json';

export function credentialsOf({ username, domain, workstation, password }: AnalyzerConfig): Credentials {
  return { username, domain: normaliseDomain(domain), workstation, password: password.reveal() };
}

/** The gate of the configured account; with a storage path it knows of rejected logons of other processes. */
export function createGate(analyzer: AnalyzerConfig, storagePath: string | undefined, log: Log): CredentialGate {
  return createCredentialGate({
    credentials: credentialsOf(analyzer),
    holdSeconds: analyzer.authRetry,
    ...(storagePath !== undefined && {
      store: createHoldFile(join(storagePath, HOLD_FILE), (problem) => log.warn({ problem }, 'logon hold not kept')),
    }),
  });
}

export function createDispatcher(analyzer: AnalyzerConfig, gate: CredentialGate, log: Log): NtlmDispatcher {
  const { url, timeout, concurrency, maxResponseSize, tls } = analyzer;
  return new NtlmDispatcher({
    origin: url,
    gate,
    connections: concurrency,
    headersTimeout: timeout * 1000,
    bodyTimeout: timeout * 1000,
    maxResponseSize,
    tls: {
      ...(tls.ca !== undefined && { ca: tls.ca }),
      ...(tls.cert !== undefined && { cert: tls.cert }),
      ...(tls.key !== undefined && { key: tls.key.reveal() }),
      ...(tls.serverName !== undefined && { servername: tls.serverName }),
      rejectUnauthorized: !tls.insecureSkipVerify,
    },
    onPerRequest: () => log.info({}, 'the analyzer wants a logon for each request, so they go one at a time'),
  });
}
