import type { Transport } from '../../analyzer/sources/transport/transport.ts';
import type { TransportHost } from '../../analyzer/sources/transport/transport-host.ts';
import { type FailureKind, QueryError } from '../../base/model/failure.ts';
import type { Log } from '../../base/model/log.ts';
import { SourceFailure, type SourceFailureKind } from '../../base/model/observation/source-failure.ts';
import { limitRepeats } from '../../base/model/repeat-log.ts';
import { type EndpointName, endpointNames } from '../../base/query-api/endpoints.ts';
import type { AnalyzerConfig } from '../../base/settings/analyzer.ts';
import { createStateWrites } from '../../base/storage/file-writes.ts';
import { createAccounts, createDispatcher, createPasswordRefresh } from '../../exporter/client/account.ts';
import { createQueryClient, type QueryClient } from '../../exporter/client/query-client.ts';
import { createTransport } from '../../exporter/client/transport.ts';
import { AskedDecoder } from '../../exporter/inventory/decoding/asked-decoder.ts';
import type { Answers } from '../../exporter/inventory/decoding/decode.ts';
import type { Decoder, IncomingAnswer } from '../../exporter/inventory/decoding/decoder.ts';

/** Other analyzers as sources: each is asked with its own account, whose logons are counted as those of a polled analyzer are. */

/** History has no expiries. */
const PERMANENT_AFTER = Number.POSITIVE_INFINITY;

/** An answer as the text that it is. */
type Texts = Readonly<Record<EndpointName, string>>;

class TextAnswer implements IncomingAnswer<string> {
  readonly #chunks: Buffer[] = [];
  readonly #whole = Promise.withResolvers<string>();
  readonly result = this.#whole.promise;

  write(chunk: Buffer): undefined {
    // its memory is used again
    this.#chunks.push(Buffer.from(chunk));
  }

  end(): void {
    this.#whole.resolve(Buffer.concat(this.#chunks).toString());
  }

  abort(): void {
    this.#chunks.length = 0;
  }
}

const texts: Decoder<Texts> = { open: () => new TextAnswer(), close: async () => undefined };

/** What a failed request means for a source. That an analyzer is not reached says nothing about its license servers. */
const kinds: Readonly<Partial<Record<FailureKind, SourceFailureKind>>> = {
  timeout: 'timeout',
  auth: 'refused',
  auth_suspended: 'refused',
  auth_protocol: 'protocol',
  connection_not_kept: 'protocol',
  parse: 'unparsed',
  schema: 'unparsed',
  too_large: 'too_large',
};

const isEndpoint = (name: string): name is EndpointName => endpointNames.includes(name as EndpointName);

/** `name=value` pairs. */
const parametersOf = (pairs: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pairs
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const)
      .filter(([, value]) => value !== ''),
  );

/** A client of another analyzer. */
export interface SourceClient {
  readonly client: QueryClient;
  close(): Promise<void>;
}

/** What asks other analyzers. */
export interface SourceAnalyzers {
  readonly transport: TransportHost['analyzer'];
  /** For what is not collected. @param client the configuration of an analyzer that is a source */
  clientOf(client: unknown): SourceClient;
  close(): void;
}

/** Asks other analyzers. @param now epoch seconds */
export function createSourceAnalyzers(
  storagePath: string | undefined,
  { now, log }: { readonly now: () => number; readonly log: Log },
): SourceAnalyzers {
  const limitedLog = limitRepeats(log);
  const accounts = createAccounts(log, createStateWrites(log));

  const requestsTo = (analyzer: AnalyzerConfig) => {
    const gate = accounts.gateOf({ analyzer, storagePath });
    return createTransport({
      baseUrl: analyzer.url,
      dispatcher: createDispatcher(analyzer, gate, log),
      refreshCredentials: createPasswordRefresh(analyzer, { gate, now, log: limitedLog }),
      timeout: analyzer.timeout,
      maxResponseSize: analyzer.maxResponseSize,
      maxChartSize: analyzer.maxChartSize,
      userAgent: 'license-exporter source',
      now,
    });
  };

  const clientOf = (client: unknown): SourceClient => {
    const analyzer = client as AnalyzerConfig;
    const requests = requestsTo(analyzer);
    const decoder = new AskedDecoder({ permanentAfter: PERMANENT_AFTER, maxResponseSize: analyzer.maxResponseSize });
    return {
      client: createQueryClient<Answers>(requests, decoder),
      close: async () => {
        await requests.close();
        await decoder.close();
      },
    };
  };

  const transport = ({ label, client }: Parameters<TransportHost['analyzer']>[0]): Transport => {
    const analyzer = client as AnalyzerConfig;
    const requests = requestsTo(analyzer);
    return {
      read: async ([endpoint = '', ...pairs], signal) => {
        if (!isEndpoint(endpoint)) throw new Error(`${endpoint} is no endpoint`);
        try {
          const parameters = parametersOf(pairs) as never;
          const stdout = await requests.request<Texts, EndpointName>(endpoint, parameters, signal, texts);
          return { stdout, stderr: '', exitCode: undefined, at: now() };
        } catch (error) {
          if (!(error instanceof QueryError)) throw error;
          const kind = kinds[error.kind] ?? 'no_analyzer';
          throw new SourceFailure(kind, `the analyzer ${analyzer.url} of the source ${label}: ${error.message}`, {
            cause: error,
          });
        }
      },
      close: () => requests.close(),
    };
  };
  return { transport, clientOf, close: () => accounts.close() };
}
