import type { QueryError } from '../../base/model/failure.ts';
import type { Answer, FeatureRecord } from '../../base/model/records.ts';
import { type PolledAnswers, type PolledEndpoint, type Snapshot, WHOLE } from '../../base/model/snapshot.ts';
import { canonical, parseVendorLicense } from '../../base/model/vendor-license.ts';
import type { EndpointName } from '../../base/query-api/endpoints.ts';
import type { QueryClient } from '../../exporter/client/query-client.ts';
import { emptinessOf } from '../../exporter/inventory/inventory.ts';
import { createSelection, type Selection } from '../../exporter/inventory/selection.ts';
import { featuresRefusals } from '../../exporter/poll/endpoint-requests.ts';
import { searchRefusals } from '../../exporter/poll/expiration-search.ts';
import { checkAllFeatures, checkFeatures, isMissing, type Known } from '../../exporter/poll/plausibility.ts';
import type { Config } from '../config/config.ts';

/** The exporter's configuration of polling. */
export interface Plan extends Pick<Config, 'poll' | 'features' | 'expiration'>, Selection {
  /** Whether the analyzer knows who asks. */
  readonly hasLogon: boolean;
}

/** What a daemon with this configuration polls. */
export const planOf = ({ poll, features, expiration, shard, select }: Config, hasLogon: boolean): Plan => ({
  poll,
  features,
  expiration,
  hasLogon,
  ...createSelection({ shard, ...select }),
});

/** The result of a failure that the exporter tolerates; `undefined` if it does not. */
type Excuse = (failure: QueryError) => { readonly result: 'deviates' | 'absent'; readonly reason: string } | undefined;

/** How the answer of an endpoint is evaluated. */
interface Evaluation<T> {
  /** Why a well-formed answer is rejected: it contradicts itself or other answers. */
  readonly contradiction?: (answer: T) => string | undefined;
  /** A remark about a good answer. */
  readonly remark?: (answer: T) => string | undefined;
  readonly excuse?: Excuse | undefined;
}

/** Calls endpoints and records the results. */
export interface Probe {
  ask<T>(
    endpoint: EndpointName,
    call: (client: QueryClient, signal: AbortSignal) => Promise<T>,
    evaluation?: Evaluation<T>,
  ): Promise<{ readonly answer?: T; readonly failure?: QueryError }>;
  /** Calls an endpoint once more, for names. Its result is not recorded. */
  askMore<T>(call: (client: QueryClient, signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
  skip(endpoints: readonly EndpointName[], reason: string): void;
}

/** Answers with the names of the site, as a daemon would know them. */
export interface ListAnswers {
  products?: PolledAnswers['GetProducts'];
  serverDown?: PolledAnswers['GetServerDown'];
  /** By vendor license as the API spells it, or `WHOLE`. */
  readonly features: Map<string, PolledAnswers['GetFeatures']>;
  readonly expirations: Map<string, PolledAnswers['GetExpirationFeatures']>;
}

/** Endpoints that are called for one feature. */
const ofFeatures = ['GetUsers', 'GetHistory', 'GetHistoryReserved', 'GetEfficiency', 'GetHeatMap'] as const;

/** The exporter only needs the verdict on the logon, and any HTTP status shows it. */
const excuseIdentity: Excuse = ({ kind, code }) =>
  (kind === 'status' && code !== 'NTLM_NO_VERDICT') || kind === 'parse' || kind === 'too_large'
    ? { result: 'deviates', reason: 'the logon itself was accepted' }
    : undefined;

const excuseAbsence =
  (setting: string): Excuse =>
  (failure) =>
    isMissing(failure)
      ? { result: 'absent', reason: `the analyzer does not have this endpoint: set ${setting}: off` }
      : undefined;

const EMPTY_SITE = 'no vendor license: a running exporter accepts that after 3 such polls over at least 15 min';

/**
 * Calls every endpoint once, as the exporter does. Later endpoints are called for names from earlier answers.
 *
 * @param lists gets the answers that have the names of the site
 * @returns the user as the analyzer reports it
 */
export async function examine(probe: Probe, plan: Plan, lists: ListAnswers): Promise<string | undefined> {
  const { ask, skip } = probe;
  const { poll, hasLogon } = plan;
  const identity: { readonly answer?: string } = hasLogon
    ? await ask('GetHttpUserName', (client, signal) => client.getHttpUserName({}, signal), { excuse: excuseIdentity })
    : {};
  // another endpoint counts as absent only if GetProducts answers
  const products = await ask('GetProducts', (client, signal) => client.getProducts({}, signal), {
    remark: ({ records: listed }) => (listed.length === 0 ? EMPTY_SITE : undefined),
    contradiction: ({ records: listed }) =>
      emptinessOf(
        listed.map((record) => record.product),
        plan,
      ) === 'not selected'
        ? `select.include and select.exclude leave none of ${listed.length} vendor licenses, such as ${listed[0]?.product}`
        : undefined,
  });
  let down: PolledAnswers['GetServerDown'] | undefined;
  if (poll.serverDown === 'off')
    skip(['GetServerDown'], 'poll.server_down is off: servers that are down are not detected');
  else down = (await ask('GetServerDown', (client, signal) => client.getServerDown({}, signal))).answer;
  if (poll.concurrentUsers === 'off') skip(['GetConcurrentUsers'], 'poll.concurrent_users is off');
  else {
    const excuse = products.answer === undefined ? undefined : excuseAbsence('poll.concurrent_users');
    await ask('GetConcurrentUsers', (client, signal) => client.getConcurrentUsers({}, signal), {
      excuse,
      remark: (count) => (count === undefined ? 'NaN: the analyzer does not know the number' : undefined),
    });
  }
  if (products.answer !== undefined) lists.products = products.answer;
  if (down !== undefined) lists.serverDown = down;
  const records = products.answer?.records ?? [];
  const { product } = records.find(({ isCurrent }) => isCurrent) ?? records[0] ?? {};
  if (product === undefined) {
    const rest = ['GetFeatures', 'GetExpirationFeatures', ...ofFeatures] as const;
    skip(rest, 'GetProducts lists no vendor license');
    return identity.answer;
  }
  const known = knownOf(plan, { GetProducts: products.answer, GetServerDown: down });
  if (poll.expirations === 'off') skip(['GetExpirationFeatures'], 'poll.expirations is off');
  else await askExpirations(probe, product, plan, lists);
  if (poll.features === 'off') {
    skip(['GetFeatures', ...ofFeatures], 'poll.features is off');
    return identity.answer;
  }
  const features = await askFeatures(probe, product, plan, known, lists);
  await askAboutFeature(probe, product, features?.records ?? []);
  return identity.answer;
}

/** What the exporter would know after the same answers. */
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

/** Calls GetFeatures for all vendor licenses at once, or for one if that is refused. */
async function askFeatures({ ask }: Probe, product: string, { features }: Plan, known: Known, lists: ListAnswers) {
  const askFor = async (name: string, evaluation: Evaluation<Answer<FeatureRecord>>) => {
    const found = await ask(
      'GetFeatures',
      (client, signal) => client.getFeatures({ product: name }, signal),
      evaluation,
    );
    if (found.answer !== undefined) lists.features.set(name === '%' ? WHOLE : name, found.answer);
    return found;
  };
  const askAlone = async (evaluation: Evaluation<Answer<FeatureRecord>> = {}) =>
    (
      await askFor(product, {
        contradiction: (alone) => checkFeatures(product, alone, known),
        ...evaluation,
      })
    ).answer;
  if (features.request === 'per_vendor_license') return askAlone();
  const isAuto = features.request === 'auto';
  const { answer, failure } = await askFor('%', {
    contradiction: (all) => checkFeatures(WHOLE, all, known) ?? (isAuto ? checkAllFeatures(all, known) : undefined),
  });
  if (failure === undefined || !isAuto || !featuresRefusals.has(failure.kind)) return answer;
  return askAlone({
    remark: () => `product=%: ${failure.message}; requested per vendor license, as the exporter does`,
  });
}

/** Calls GetExpirationFeatures for one vendor license, with the search level, or without it if that is refused. */
async function askExpirations(
  { ask }: Probe,
  product: string,
  { expiration: { search } }: Plan,
  lists: ListAnswers,
): Promise<void> {
  const excuse = excuseAbsence('poll.expirations');
  const askWith = async (level: Plan['expiration']['search'], remark?: string) => {
    const parameters = level === 'none' ? { product } : { product, search: level };
    const call = (client: QueryClient, signal: AbortSignal) => client.getExpirationFeatures(parameters, signal);
    const found = await ask('GetExpirationFeatures', call, { excuse, remark: () => remark });
    if (found.answer !== undefined) lists.expirations.set(product, found.answer);
    return found;
  };
  const { failure } = await askWith(search);
  if (failure === undefined || search === 'none' || !searchRefusals.has(failure.kind)) return;
  await askWith('none', `search=${search}: ${failure.message}; requested without it, as the exporter does`);
}

/** Calls what Grafana requests for a feature, for the one with most licenses in use. */
async function askAboutFeature(
  { ask, skip }: Probe,
  product: string,
  records: readonly FeatureRecord[],
): Promise<void> {
  const owner = canonical(product);
  const own = records.filter(({ serverName, daemon }) => canonical(`${serverName};${daemon}`) === owner);
  // records of a single vendor license may lack its name
  const [busiest] = (own.length > 0 ? own : records).toSorted((a, b) => (b.inUse ?? 0) - (a.inUse ?? 0));
  if (busiest === undefined) {
    skip(ofFeatures, 'GetFeatures lists no feature');
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

/** Vendor licenses that are asked for names: `doctor` sends no more requests than these, and two for each. */
const MOST_ASKED = 100;

/** Asks for the features of the vendor licenses that were not asked for, as a daemon does. */
export async function askNames({ askMore }: Probe, plan: Plan, lists: ListAnswers): Promise<void> {
  const { poll, expiration, ownsVendorLicense } = plan;
  const own = (lists.products?.records ?? [])
    .map(({ product }) => product)
    .filter((product) => ownsVendorLicense(parseVendorLicense(product).vendorLicense));
  const { search } = expiration;
  for (const product of [...new Set(own)].slice(0, MOST_ASKED)) {
    if (poll.features !== 'off' && !lists.features.has(WHOLE) && !lists.features.has(product)) {
      const answer = await askMore((client, signal) => client.getFeatures({ product }, signal));
      if (answer !== undefined) lists.features.set(product, answer);
    }
    // an analyzer that does not have the endpoint is not asked again
    if (poll.expirations === 'off' || lists.expirations.size === 0 || lists.expirations.has(product)) continue;
    const parameters = search === 'none' ? { product } : { product, search };
    const answer = await askMore((client, signal) => client.getExpirationFeatures(parameters, signal));
    if (answer !== undefined) lists.expirations.set(product, answer);
  }
}

/** What a daemon would know after these answers. @param now epoch seconds */
export function snapshotOf({ poll }: Plan, lists: ListAnswers, now: number): Snapshot {
  const stateOf = <T>(parts: ReadonlyMap<string, T>) => ({
    interval: 0,
    maxAge: Number.POSITIVE_INFINITY,
    parts: new Map([...parts].map(([part, value]) => [part, { at: now, seconds: 0, ok: true as const, value }])),
  });
  const { products, serverDown, features, expirations } = lists;
  const off: PolledEndpoint[] = [
    ...(poll.features === 'off' ? (['GetFeatures'] as const) : []),
    // not off, but without an answer there is nothing of it
    ...(poll.expirations === 'off' || expirations.size === 0 ? (['GetExpirationFeatures'] as const) : []),
  ];
  return {
    at: now,
    off,
    endpoints: {
      ...(products !== undefined && { GetProducts: stateOf(new Map([[WHOLE, products]])) }),
      ...(serverDown !== undefined && { GetServerDown: stateOf(new Map([[WHOLE, serverDown]])) }),
      ...(features.size > 0 && { GetFeatures: stateOf(features) }),
      ...(expirations.size > 0 && { GetExpirationFeatures: stateOf(expirations) }),
    },
  };
}
