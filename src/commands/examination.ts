import type { QueryClient } from '../client/query-client.ts';
import type { Config } from '../config/config.ts';
import type { Selection } from '../inventory/selection.ts';
import type { QueryError } from '../model/failure.ts';
import type { Answer, FeatureRecord } from '../model/records.ts';
import { type PolledAnswers, type Snapshot, WHOLE } from '../model/snapshot.ts';
import { isMissing } from '../poll/absence.ts';
import { featuresRefusals } from '../poll/endpoint-requests.ts';
import { searchRefusals } from '../poll/expiration-search.ts';
import { canonical, checkAllFeatures, checkFeatures, type Known } from '../poll/plausibility.ts';
import type { EndpointName } from '../query-api/endpoints.ts';

/** What is polled, and how: the exporter's own configuration. */
export interface Plan extends Pick<Config, 'poll' | 'featuresRequest' | 'expirationSearch'> {
  readonly ownsVendorLicense: Selection['ownsVendorLicense'];
}

/** What a failure is, where the exporter can do without the answer. */
type Excuse = (failure: QueryError) => { readonly result: 'deviates' | 'absent'; readonly reason: string } | undefined;

/** How one answer is to be taken. */
interface Manner<T> {
  /** Why the answer is not believed, although it is well-formed. */
  readonly doubt?: (answer: T) => string | undefined;
  /** What to say beside a good answer. */
  readonly remark?: (answer: T) => string | undefined;
  readonly excuse?: Excuse | undefined;
}

/** Asks endpoints and keeps what is found of each. */
export interface Probe {
  ask<T>(
    endpoint: EndpointName,
    call: (client: QueryClient, signal: AbortSignal) => Promise<T>,
    manner?: Manner<T>,
  ): Promise<{ readonly answer?: T; readonly failure?: QueryError }>;
  skip(endpoints: readonly EndpointName[], reason: string): void;
}

/** Endpoints that are asked about a feature. */
const ofFeatures = ['GetUsers', 'GetHistory', 'GetHistoryReserved', 'GetEfficiency', 'GetHeatMap'] as const;

/** What the exporter needs of it is the verdict on the logon, which any status gives. */
const excuseIdentity: Excuse = ({ kind }) =>
  kind === 'status' || kind === 'parse' || kind === 'too_large'
    ? { result: 'deviates', reason: 'the logon itself was accepted' }
    : undefined;

const excuseAbsence =
  (setting: string): Excuse =>
  (failure) =>
    isMissing(failure)
      ? { result: 'absent', reason: `the analyzer does not have this endpoint: set ${setting}: off` }
      : undefined;

const UNTIL_BELIEVED = 'no vendor license: an exporter that runs believes that after 3 such polls over at least 15 min';

/** Asks every endpoint once, the later ones about what the earlier ones named, and as the exporter does. */
export async function examine(probe: Probe, plan: Plan): Promise<string | undefined> {
  const { ask, skip } = probe;
  const { poll } = plan;
  const identity = await ask('GetHttpUserName', (client, signal) => client.getHttpUserName({}, signal), {
    excuse: excuseIdentity,
  });
  // GetProducts must be there before anything can be called absent
  const products = await ask('GetProducts', (client, signal) => client.getProducts({}, signal), {
    remark: ({ records }) => (records.length === 0 ? UNTIL_BELIEVED : undefined),
  });
  let down: Answer<{ readonly label: string }> | undefined;
  if (poll.serverDown === 'off') skip(['GetServerDown'], 'poll.server_down is off: servers that are down are not seen');
  else down = (await ask('GetServerDown', (client, signal) => client.getServerDown({}, signal))).answer;
  if (poll.concurrentUsers === 'off') skip(['GetConcurrentUsers'], 'poll.concurrent_users is off');
  else {
    const excuse = products.answer === undefined ? undefined : excuseAbsence('poll.concurrent_users');
    await ask('GetConcurrentUsers', (client, signal) => client.getConcurrentUsers({}, signal), {
      excuse,
      remark: (count) => (count === undefined ? 'NaN: the analyzer does not know the number' : undefined),
    });
  }
  const records = products.answer?.records ?? [];
  const { product } = records.find(({ isCurrent }) => isCurrent) ?? records[0] ?? {};
  if (product === undefined) {
    const rest = ['GetFeatures', 'GetExpirationFeatures', ...ofFeatures] as const;
    skip(rest, 'GetProducts names no vendor license to ask about');
    return identity.answer;
  }
  const known = knownOf(plan, { GetProducts: products.answer, GetServerDown: down });
  if (poll.expirations === 'off') skip(['GetExpirationFeatures'], 'poll.expirations is off');
  else await askExpirations(probe, product, plan);
  if (poll.features === 'off') {
    skip(['GetFeatures', ...ofFeatures], 'poll.features is off');
    return identity.answer;
  }
  const features = await askFeatures(probe, product, plan, known);
  await askAboutFeature(probe, product, features?.records ?? []);
  return identity.answer;
}

/** What an exporter would know after the same answers. */
function knownOf(
  { ownsVendorLicense }: Plan,
  answers: { readonly [E in 'GetProducts' | 'GetServerDown']: PolledAnswers[E] | undefined },
): Known {
  const now = Date.now() / 1000;
  const endpoints = Object.entries(answers).flatMap(([endpoint, value]) => {
    const parts = new Map([[WHOLE, { at: now, seconds: 0, ok: true, value }]]);
    return value === undefined ? [] : [[endpoint, { interval: 0, maxAge: Number.POSITIVE_INFINITY, parts }]];
  });
  return {
    snapshot: { at: now, endpoints: Object.fromEntries(endpoints) as Snapshot['endpoints'] },
    now,
    ownsVendorLicense,
  };
}

/** GetFeatures of all vendor licenses at once, or of one where that does not do. */
async function askFeatures({ ask }: Probe, product: string, { featuresRequest }: Plan, known: Known) {
  const askFor = (name: string, manner: Manner<Answer<FeatureRecord>>) =>
    ask('GetFeatures', (client, signal) => client.getFeatures({ product: name }, signal), manner);
  const askAlone = async (manner: Manner<Answer<FeatureRecord>> = {}) =>
    (await askFor(product, { doubt: (answer) => checkFeatures(product, answer, known), ...manner })).answer;
  if (featuresRequest === 'per_vendor_license') return askAlone();
  const isAuto = featuresRequest === 'auto';
  const { answer, failure } = await askFor('%', {
    doubt: (all) => checkFeatures(WHOLE, all, known) ?? (isAuto ? checkAllFeatures(all, known) : undefined),
  });
  if (failure === undefined || !isAuto || !featuresRefusals.has(failure.kind)) return answer;
  return askAlone({ remark: () => `product=%: ${failure.message}; asked per vendor license, as the exporter does` });
}

/** GetExpirationFeatures of one vendor license, with the search level or, where that is refused, without. */
async function askExpirations({ ask }: Probe, product: string, { expirationSearch }: Plan): Promise<void> {
  const excuse = excuseAbsence('poll.expirations');
  const askWith = (level: Plan['expirationSearch'], remark?: string) => {
    const parameters = level === 'none' ? { product } : { product, search: level };
    const call = (client: QueryClient, signal: AbortSignal) => client.getExpirationFeatures(parameters, signal);
    return ask('GetExpirationFeatures', call, { excuse, remark: () => remark });
  };
  const { failure } = await askWith(expirationSearch);
  if (failure === undefined || expirationSearch === 'none' || !searchRefusals.has(failure.kind)) return;
  await askWith('none', `search=${expirationSearch}: ${failure.message}; asked without it, as the exporter does`);
}

/** What Grafana asks about a feature, about the one with most licenses in use. */
async function askAboutFeature(
  { ask, skip }: Probe,
  product: string,
  records: readonly FeatureRecord[],
): Promise<void> {
  const owner = canonical(product);
  const own = records.filter(({ serverName, daemon }) => canonical(`${serverName};${daemon}`) === owner);
  // records of a single vendor license may not name it
  const [busiest] = (own.length > 0 ? own : records).toSorted((a, b) => (b.inUse ?? 0) - (a.inUse ?? 0));
  if (busiest === undefined) {
    skip(ofFeatures, 'GetFeatures names no feature to ask about');
    return;
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
}
