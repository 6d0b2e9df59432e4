import { type Inspection, inspectAnswer } from '../client/inspection.ts';
import { createQueryClient, type QueryClient } from '../client/query-client.ts';
import type { AnalyzerConfig } from '../config/config.ts';
import type { QueryError } from '../model/failure.ts';
import type { Log } from '../model/log.ts';
import type { Answer, DiscardReason } from '../model/records.ts';
import { type EndpointName, endpointNames } from '../query-api/endpoints.ts';
import { createDispatcher, openAccount } from '../upstream.ts';

/** What came of one endpoint. */
export interface Finding {
  readonly endpoint: EndpointName;
  /** `deviates`: answered, but a specified field is missing or of another type. */
  readonly result: 'ok' | 'deviates' | 'failed' | 'not asked';
  /** Of the request, the logon included where there was one. */
  readonly seconds?: number;
  readonly records?: number;
  readonly missing?: readonly string[];
  readonly extra?: readonly string[];
  readonly mistyped?: readonly string[];
  /** Values the exporter would not take over, by reason. */
  readonly dropped?: Readonly<Partial<Record<DiscardReason, number>>>;
  /** Why it failed or was not asked. */
  readonly reason?: string;
}

export interface Diagnosis {
  readonly analyzer: string;
  /** Who the analyzer says we are, where it got so far. */
  readonly identity: string | undefined;
  readonly healthy: boolean;
  readonly endpoints: readonly Finding[];
}

export interface DiagnosisOptions {
  readonly analyzer: AnalyzerConfig;
  readonly storagePath: string | undefined;
  readonly log: Log;
  readonly version: string;
}

const reasonOf = ({ kind, code, message }: QueryError): string =>
  `${kind}${code === undefined ? '' : ` (${code})`}: ${message}`;

/** After one of these nothing more is sent: another logon could lock the account. */
const isLogonFailure = ({ kind }: QueryError): boolean => kind === 'auth' || kind === 'auth_suspended';

function dropsOf(answer: unknown): NonNullable<Finding['dropped']> {
  const { discarded } = answer as Partial<Answer<unknown>>;
  return Object.fromEntries(Object.entries(discarded ?? {}).filter(([, count]) => count > 0));
}

interface Probe {
  /** Asks one endpoint and keeps what is found; `undefined` when it failed. */
  ask<T>(
    endpoint: EndpointName,
    call: (client: QueryClient, signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined>;
  skip(endpoints: readonly EndpointName[], reason: string): void;
  findings(): readonly Finding[];
  close(): Promise<void>;
}

function createProbe({ analyzer, storagePath, log, version }: DiagnosisOptions): Probe {
  const account = openAccount(analyzer, storagePath, log);
  const found = new Map<EndpointName, Finding>();
  let inspection: Inspection | undefined;
  let seconds = 0;
  let stop: string | undefined;
  const client = createQueryClient({
    baseUrl: analyzer.url,
    dispatcher: createDispatcher(analyzer, account.gate, log),
    timeout: analyzer.timeout,
    maxResponseSize: analyzer.maxResponseSize,
    maxChartSize: analyzer.maxChartSize,
    permanentAfter: Number.MAX_SAFE_INTEGER,
    userAgent: `license-exporter/${version} doctor`,
    observe: (observation) => {
      seconds = observation.seconds;
    },
    onBody: (endpoint, body) => {
      inspection = undefined;
      // what is not JSON is told by the client
      try {
        inspection = inspectAnswer(endpoint, body);
      } catch {}
    },
  });
  return {
    ask: async (endpoint, call) => {
      if (stop !== undefined) {
        found.set(endpoint, { endpoint, result: 'not asked', reason: stop });
        return undefined;
      }
      try {
        const answer = await call(client, new AbortController().signal);
        const { records, missing = [], extra = [], mistyped = [] } = inspection ?? {};
        const result = missing.length + mistyped.length === 0 ? 'ok' : 'deviates';
        const dropped = dropsOf(answer);
        const counted = records === undefined ? {} : { records };
        found.set(endpoint, { endpoint, result, seconds, ...counted, missing, extra, mistyped, dropped });
        return answer;
      } catch (error) {
        const failure = error as QueryError;
        if (isLogonFailure(failure)) stop = 'an earlier logon was not accepted';
        found.set(endpoint, { endpoint, result: 'failed', seconds, reason: reasonOf(failure) });
        return undefined;
      }
    },
    skip: (endpoints, reason) => {
      for (const endpoint of endpoints) found.set(endpoint, { endpoint, result: 'not asked', reason: stop ?? reason });
    },
    findings: () => endpointNames.flatMap((name) => found.get(name) ?? []),
    close: async () => {
      await client.close();
      account.close();
    },
  };
}

/** Endpoints that are asked about a feature. */
const ofFeatures = ['GetUsers', 'GetHistory', 'GetHistoryReserved', 'GetEfficiency', 'GetHeatMap'] as const;

/** Asks every endpoint once, the later ones about what the earlier ones named. */
async function examine({ ask, skip }: Probe): Promise<string | undefined> {
  const identity = await ask('GetHttpUserName', (client, signal) => client.getHttpUserName({}, signal));
  await ask('GetServerDown', (client, signal) => client.getServerDown({}, signal));
  await ask('GetConcurrentUsers', (client, signal) => client.getConcurrentUsers({}, signal));
  const products = await ask('GetProducts', (client, signal) => client.getProducts({}, signal));
  const { product } = products?.records.find(({ isCurrent }) => isCurrent) ?? products?.records[0] ?? {};
  if (product === undefined) {
    const rest = ['GetFeatures', 'GetExpirationFeatures', ...ofFeatures] as const;
    skip(rest, 'GetProducts names no vendor license to ask about');
    return identity;
  }
  const features = await ask('GetFeatures', (client, signal) => client.getFeatures({ product }, signal));
  await ask('GetExpirationFeatures', (client, signal) =>
    client.getExpirationFeatures({ product, search: '2' }, signal),
  );
  const [busiest] = (features?.records ?? []).toSorted((a, b) => (b.inUse ?? 0) - (a.inUse ?? 0));
  if (busiest === undefined) {
    skip(ofFeatures, 'GetFeatures names no feature to ask about');
    return identity;
  }
  const { feature, package: packageName } = busiest;
  const whose = { product, feature, package: packageName };
  const now = new Date();
  const window = { ...whose, year: String(now.getFullYear()), month: String(now.getMonth() + 1) };
  await ask('GetUsers', (client, signal) =>
    client.getUsers({ format: 'sql', sortdatafield: 'Username', ...whose }, signal),
  );
  await ask('GetHistory', (client, signal) => client.getHistory(whose, signal));
  await ask('GetHistoryReserved', (client, signal) => client.getHistoryReserved(whose, signal));
  await ask('GetEfficiency', (client, signal) => client.getEfficiency(window, signal));
  await ask('GetHeatMap', (client, signal) => client.getHeatMap(window, signal));
  return identity;
}

/** Calls every endpoint once, and none any more after a rejected logon. */
export async function diagnose(options: DiagnosisOptions): Promise<Diagnosis> {
  const probe = createProbe(options);
  try {
    const identity = await examine(probe);
    const endpoints = probe.findings();
    const healthy = endpoints.every(({ result }) => result === 'ok');
    return { analyzer: options.analyzer.url, identity, healthy, endpoints };
  } finally {
    await probe.close();
  }
}
