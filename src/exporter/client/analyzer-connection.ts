import type { Log } from '../../base/model/log.ts';
import { limitRepeats } from '../../base/model/repeat-log.ts';
import { type AnalyzerConfig, analyzer as analyzerSection } from '../../base/settings/analyzer.ts';
import { sectionDefaults } from '../../base/settings/table.ts';
import { createCredentialsLog, createDispatcher, createPasswordRefresh } from './account.ts';
import type { CredentialGate } from './credential-gate.ts';
import { createOwnTransport, type OwnTransportOptions } from './own-transport.ts';
import type { NtlmStats } from './stats.ts';
import type { RequestObservation, Transport } from './transport.ts';
import { createTransport } from './transport.ts';

/** How the pipeline asks its analyzer: over HTTP with an account, or in this process. */

export interface Logons {
  readonly gate: CredentialGate;
  readonly stats: NtlmStats;
}

/** How an analyzer is asked. */
export interface Connection {
  readonly transport: Transport;
  /** `undefined` where nobody logs on. */
  readonly logons: Logons | undefined;
}

/** Who is told about requests. */
export interface ConnectionListeners {
  readonly observe: (request: RequestObservation) => void;
  /** Called when logons work again after a logon without a verdict. */
  readonly onRecovered: () => void;
}

/** What a connection to an analyzer elsewhere needs. */
export interface AccountDeps {
  readonly gate: CredentialGate;
  readonly version: string;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** Asks over HTTP with NTLM. */
export function connectByHttp(
  analyzer: AnalyzerConfig,
  { gate, version, now, log }: AccountDeps,
  { observe, onRecovered }: ConnectionListeners,
): Connection {
  const dispatcher = createDispatcher(analyzer, gate, log, onRecovered);
  const logCredentials = createCredentialsLog({ gate, log });
  logCredentials();
  const transport = createTransport({
    baseUrl: analyzer.url,
    dispatcher,
    refreshCredentials: createPasswordRefresh(analyzer, { gate, now, log: limitRepeats(log) }),
    timeout: analyzer.timeout,
    maxResponseSize: analyzer.maxResponseSize,
    maxChartSize: analyzer.maxChartSize,
    userAgent: `license-exporter/${version}`,
    now,
    observe: (request) => {
      observe(request);
      logCredentials();
    },
  });
  return { transport, logons: { gate, stats: dispatcher.stats } };
}

/** Asks the analyzer of this process, which hands its answers over. */
export function connectInProcess(
  ask: OwnTransportOptions['ask'],
  { observe }: Pick<ConnectionListeners, 'observe'>,
): Connection {
  const transport = createOwnTransport({
    ask,
    timeout: sectionDefaults(analyzerSection).timeout,
    observe,
  });
  return { transport, logons: undefined };
}
