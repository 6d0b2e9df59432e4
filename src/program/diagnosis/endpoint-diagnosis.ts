import { type FailureKind, QueryError } from '../../base/model/failure.ts';
import type { Answer, DiscardReason } from '../../base/model/records.ts';
import type { Snapshot } from '../../base/model/snapshot.ts';
import { type EndpointName, endpointNames } from '../../base/query-api/endpoints.ts';
import type { Fields } from '../../base/query-api/field.ts';
import { fieldEndpoints, recordFields } from '../../base/query-api/records.ts';
import { createStateWrites } from '../../base/storage/file-writes.ts';
import { createDispatcher, openAccount } from '../../exporter/client/account.ts';
import { createQueryClient } from '../../exporter/client/query-client.ts';
import { createTransport, type RequestObservation, type Transport } from '../../exporter/client/transport.ts';
import { type Inspection, inspectAnswer } from '../../exporter/inventory/decoding/inspection.ts';
import { createLocalDecoder } from '../../exporter/inventory/decoding/local-decoder.ts';
import { askNames, examine, type ListAnswers, type Plan, type Probe, snapshotOf } from './examination.ts';
import type { AnalyzerSite } from './site.ts';

/** The result for one endpoint. */
export interface Finding {
  readonly endpoint: EndpointName;
  /**
   * `deviates`: not as specified, but the exporter accepts it. `absent`: the analyzer does not have the endpoint, and the
   * exporter does not need it. `failed`: the exporter would reject the answer.
   */
  readonly result: 'ok' | 'deviates' | 'absent' | 'failed' | 'not asked';
  /** Duration of the request, including a logon. */
  readonly seconds?: number;
  readonly records?: number;
  readonly missing?: readonly string[];
  /** Fields that the source of the analyzer cannot know in some or all records. Not a deviation. */
  readonly unknown?: readonly string[];
  readonly extra?: readonly string[];
  readonly mistyped?: readonly string[];
  /** Number of values that the exporter would discard, by reason. */
  readonly dropped?: Readonly<Partial<Record<DiscardReason, number>>>;
  /** Why it failed or was not called, or a remark. */
  readonly reason?: string;
}

/** What every endpoint answered, compared with the contract. */
export interface Diagnosis {
  readonly analyzer: string;
  readonly hasLogon: boolean;
  /** The user as reported by the analyzer; `undefined` if it did not answer. */
  readonly identity: string | undefined;
  /** Whether the exporter accepts every answer. */
  readonly healthy: boolean;
  readonly endpoints: readonly Finding[];
  /** Why the logon, or the connection for it, failed; `undefined` if it did not. */
  readonly logonFailure: QueryError | undefined;
  /** Why the logon file cannot be used; `undefined` if it can, or without a file. */
  readonly logonFileProblem?: string | undefined;
  /** What a daemon would know of the site; absent if it was not asked. */
  readonly snapshot?: Snapshot;
}

export interface Asking {
  readonly transport: Transport;
  /** Why the logon file cannot be used; `undefined` if it can, or without a file. */
  logonFileProblem(): string | undefined;
  close(): Promise<void>;
}

export interface DiagnosisOptions {
  /** What the exporter would poll. */
  readonly plan: Plan;
  /** The analyzer for people. */
  readonly analyzer: string;
  readonly absentFields: readonly string[];
  /** Whether the names of all features are wanted: they take more requests. */
  readonly wantsNames: boolean;
  readonly ask: (observe: (request: RequestObservation) => void) => Asking;
}

/** Asks over HTTP with the configured account. */
export const askByHttp =
  ({ analyzer, storagePath, log, version }: Pick<AnalyzerSite, 'analyzer' | 'storagePath' | 'log' | 'version'>) =>
  (observe: (request: RequestObservation) => void): Asking => {
    const account = openAccount({ analyzer, storagePath, writes: createStateWrites(log), log, mayReplace: false });
    const transport = createTransport({
      baseUrl: analyzer.url,
      dispatcher: createDispatcher(analyzer, account.gate, log),
      timeout: analyzer.timeout,
      maxResponseSize: analyzer.maxResponseSize,
      maxChartSize: analyzer.maxChartSize,
      userAgent: `license-exporter/${version} doctor`,
      now: () => Date.now() / 1000,
      observe,
    });
    return {
      transport,
      logonFileProblem: account.problem,
      close: async () => {
        await transport.close();
        account.close();
      },
    };
  };

const reasonOf = ({ kind, code, message }: QueryError): string =>
  `${kind}${code === undefined ? '' : ` (${code})`}: ${message}`;

/** After such a failure no more requests are sent: another logon could lock the account. */
const isLogonFailure = ({ kind }: QueryError): boolean => kind === 'auth' || kind === 'auth_suspended';

function dropsOf(answer: unknown): NonNullable<Finding['dropped']> {
  const { discarded } = (answer ?? {}) as Partial<Answer<unknown>>;
  return Object.fromEntries(Object.entries(discarded ?? {}).filter(([, count]) => count > 0));
}

/** The endpoints whose fields the exporter follows. */
const fieldsOf = new Map<EndpointName, Fields>(fieldEndpoints.map((endpoint) => [endpoint, recordFields[endpoint]]));

/** Fields that no record has, although a page, an alert or a capacity rests on them. */
const neededOf = (endpoint: EndpointName, lacking: readonly string[], absent: readonly string[]): readonly string[] =>
  lacking.filter(
    (field) => fieldsOf.get(endpoint)?.[field]?.isNeeded === true && !absent.includes(`${endpoint}.${field}`),
  );

const lackingText = (endpoint: EndpointName, fields: readonly string[]): string =>
  `no record has ${fields.join(', ')}, so that the data is not known; if the analyzer does not have it, add ${fields.map((field) => `${endpoint}.${field}`).join(', ')} to analyzer.absent_fields`;

/** Failures that say something about the answer of the endpoint, and not about the logon. */
const afterLogon: ReadonlySet<FailureKind> = new Set(['status', 'parse', 'schema', 'too_large']);

interface OwnedProbe extends Probe {
  logonFailure(): QueryError | undefined;
  logonFileProblem(): string | undefined;
  findings(): readonly Finding[];
  close(): Promise<void>;
}

function createProbe({ absentFields, ask }: DiagnosisOptions): OwnedProbe {
  const found = new Map<EndpointName, Finding>();
  let inspection: Inspection | undefined;
  let seconds = 0;
  let stop: string | undefined;
  let logonFailure: QueryError | undefined;
  const { transport, logonFileProblem, close } = ask((observation) => {
    seconds = observation.seconds;
  });
  const decoder = createLocalDecoder({
    permanentAfter: Number.MAX_SAFE_INTEGER,
    onBody: (endpoint, body) => {
      inspection = undefined;
      // the client reports a body that is not JSON
      try {
        inspection = inspectAnswer(endpoint, body);
      } catch {}
    },
  });
  const client = createQueryClient(transport, decoder);
  /** Records the result of a usable answer. */
  const accept = (endpoint: EndpointName, answer: unknown, remark: string | undefined): void => {
    const { records, missing = [], unknown = [], lacking = [], extra = [], mistyped = [] } = inspection ?? {};
    // an analyzer of this program leaves out what its sources do not know, and has no other fields
    const isOwn = transport.isOwnAnalyzer && extra.length === 0;
    const needed = isOwn ? [] : neededOf(endpoint, lacking, absentFields);
    const result = missing.length + mistyped.length + needed.length === 0 ? 'ok' : 'deviates';
    const counted = records === undefined ? {} : { records };
    const lack = needed.length === 0 ? [] : [lackingText(endpoint, needed)];
    const remarks = [...lack, ...(remark === undefined ? [] : [remark])];
    const reason = remarks.length === 0 ? {} : { reason: remarks.join('; ') };
    const dropped = dropsOf(answer);
    const differences = {
      missing,
      unknown: unknown.filter((field) => !needed.includes(field)),
      extra,
      mistyped,
      dropped,
    };
    found.set(endpoint, { endpoint, result, seconds, ...counted, ...differences, ...reason });
  };

  return {
    ask: async (endpoint, call, { contradiction, remark, excuse } = {}) => {
      if (stop !== undefined) {
        found.set(endpoint, { endpoint, result: 'not asked', reason: stop });
        return {};
      }
      try {
        const answer = await call(client, new AbortController().signal);
        const reason = contradiction?.(answer);
        if (reason !== undefined) throw new QueryError('schema', reason);
        accept(endpoint, answer, remark?.(answer));
        return { answer };
      } catch (error) {
        // anything else is a bug, or for the operator to correct
        if (!(error instanceof QueryError)) throw error;
        const failure = error;
        if (endpoint === 'GetHttpUserName' && (!afterLogon.has(failure.kind) || failure.code === 'NTLM_NO_VERDICT')) {
          logonFailure = failure;
        }
        if (isLogonFailure(failure)) stop = 'an earlier logon was not accepted';
        const excused = excuse?.(failure);
        const reason = [reasonOf(failure), ...(excused === undefined ? [] : [excused.reason])].join('; ');
        found.set(endpoint, { endpoint, result: excused?.result ?? 'failed', seconds, reason });
        return { failure };
      }
    },
    askMore: async (call) => {
      if (stop !== undefined) return undefined;
      try {
        return await call(client, new AbortController().signal);
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
        if (isLogonFailure(error)) stop = 'an earlier logon was not accepted';
        return undefined;
      }
    },
    skip: (endpoints, reason) => {
      for (const endpoint of endpoints) found.set(endpoint, { endpoint, result: 'not asked', reason: stop ?? reason });
    },
    logonFailure: () => logonFailure,
    logonFileProblem,
    findings: () => endpointNames.flatMap((name) => found.get(name) ?? []),
    close: async () => {
      await decoder.close();
      await close();
    },
  };
}

/** The diagnosis when no endpoint can be called. */
export const notAsked = (analyzer: string, hasLogon: boolean, reason: string): Diagnosis => ({
  analyzer,
  hasLogon,
  identity: undefined,
  healthy: false,
  endpoints: endpointNames.map((endpoint) => ({ endpoint, result: 'not asked', reason })),
  logonFailure: undefined,
});

/** Calls every endpoint once. Stops after a rejected logon. */
export async function diagnose(options: DiagnosisOptions): Promise<Diagnosis> {
  const probe = createProbe(options);
  try {
    const lists: ListAnswers = { features: new Map(), expirations: new Map() };
    const identity = await examine(probe, options.plan, lists);
    if (options.wantsNames) await askNames(probe, options.plan, lists);
    const snapshot = snapshotOf(options.plan, lists, Date.now() / 1000);
    const endpoints = probe.findings();
    const healthy = endpoints.every(({ result }) => result !== 'failed');
    const logonFailure = probe.logonFailure();
    const logonFileProblem = probe.logonFileProblem();
    const { hasLogon } = options.plan;
    return {
      analyzer: options.analyzer,
      hasLogon,
      identity,
      healthy,
      endpoints,
      logonFailure,
      logonFileProblem,
      snapshot,
    };
  } finally {
    await probe.close();
  }
}
