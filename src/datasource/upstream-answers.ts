import type { Answers } from '../client/decode.ts';
import type { FeatureEntry } from '../inventory/feature-entries.ts';
import { withoutFeatureUsage } from '../inventory/merge.ts';
import type { ExpirationRecord, FeatureRecord } from '../model/records.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import type { EndpointName, ParametersOf } from '../query-api/endpoints.ts';
import { requireSite, type Sources } from './backend.ts';
import { type Asked, askAll, type Combinations, combinationsOf, everyOwner, type Whose } from './combinations.ts';
import { DatasourceError } from './errors.ts';
import { type Context, shapeEfficiency, shapeHeatMap, shapeHistory, shapeReserved } from './history-answers.ts';
import { expirationAnswer, featureTable, isLetThrough } from './live-answers.ts';
import type { Answer, Item, Notice } from './panel-data.ts';
import { windowOf } from './period.ts';
import type { Site } from './polled-site.ts';
import type { Query } from './query.ts';
import { requireUsers, usersFilter, usersTable } from './user-names.ts';

/** Targets that the analyzer is asked for. */

type AnswerTarget = (query: Query, sources: Sources, signal: AbortSignal) => Promise<Answer>;

/** An optional parameter, left out where it is not given. */
const given = <N extends string>(name: N, value: string | undefined): { readonly [K in N]?: string } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in N]?: string };

/** Asks about every combination and shapes what comes back. */
async function fanOut<E extends EndpointName>(
  endpoint: E,
  query: Query,
  { site, questions }: Sources,
  signal: AbortSignal,
  parametersOf: (whose: Whose) => ParametersOf<E>,
  shape: (answers: Asked<Answers[E]>['answers'], combinations: Combinations) => readonly Item[],
): Promise<Answer> {
  const combinations = combinationsOf(query, site());
  const { answers, ...rest } = await askAll(combinations, endpoint, parametersOf, questions, signal);
  return { ...rest, items: shape(answers, combinations) };
}

/** Spec 4.6 and 4.7 take the type as `ftype`. */
const trendParameters =
  ({ values }: Query) =>
  ({ product, feature }: Whose) => ({
    product,
    feature,
    ...given('package', values.package),
    ...given('ftype', values.ftype),
  });

export const answerHistory: AnswerTarget = (query, sources, signal) =>
  fanOut('GetHistory', query, sources, signal, trendParameters(query), (answers, combinations) =>
    shapeHistory({ query, combinations, localTime: sources.localTime }, answers),
  );

export const answerReserved: AnswerTarget = (query, sources, signal) =>
  fanOut('GetHistoryReserved', query, sources, signal, trendParameters(query), (answers, combinations) =>
    shapeReserved({ query, combinations, localTime: sources.localTime }, answers),
  );

/** Asks one of the two endpoints that are about a window of time (spec 4.8, 4.9). */
async function askWindow<E extends 'GetEfficiency' | 'GetHeatMap'>(
  endpoint: E,
  query: Query,
  sources: Sources,
  signal: AbortSignal,
  shape: (context: Context, answers: Asked<Answers[E]>['answers']) => readonly Item[],
): Promise<Answer> {
  const { values, range } = query;
  const { localTime } = sources;
  const { notice, ...window } = windowOf(values, range, sources.now() * 1000, localTime);
  const asked = { package: values.package ?? '', ...window, ...given('type', values.type) };
  // both take the same parameters
  const parametersOf = ({ product, feature }: Whose) => ({ product, feature, ...asked }) as ParametersOf<E>;
  const answer = await fanOut(endpoint, query, sources, signal, parametersOf, (answers, combinations) =>
    shape({ query, combinations, localTime }, answers),
  );
  const notices: Notice[] = notice === undefined ? [] : [{ severity: 'info', text: notice }];
  return { ...answer, notices: [...notices, ...answer.notices] };
}

export const answerEfficiency: AnswerTarget = (query, sources, signal) =>
  askWindow('GetEfficiency', query, sources, signal, shapeEfficiency);

export const answerHeatMap: AnswerTarget = (query, sources, signal) =>
  askWindow('GetHeatMap', query, sources, signal, shapeHeatMap);

export const answerUsers: AnswerTarget = async (query, sources, signal) => {
  requireUsers(sources.users);
  const { values } = query;
  const parametersOf = ({ product, feature }: Whose) => ({
    format: values.format ?? 'sql',
    product,
    feature,
    sortdatafield: values.sortdatafield ?? 'Username',
    ...given('package', values.package),
    ...given('type', values.type),
    ...given('tokenpool', values.tokenpool),
    ...given('sortorder', values.sortorder),
    ...given('filters', usersFilter(query, sources.users)),
  });
  return fanOut('GetUsers', query, sources, signal, parametersOf, (answers, combinations) => [
    usersTable(query, combinations, answers, sources.users),
  ]);
};

/** An answer with what asking for it came to. */
const both = (asked: Omit<Answer, 'items'>, answer: Answer): Answer => ({
  ...answer,
  ...asked,
  notices: [...asked.notices, ...answer.notices],
});

/** A record of the analyzer as an entry of the tables. */
const entryOf = (
  vendorLicense: string,
  { feature, version, package: pkg, featureType, ...record }: FeatureRecord | ExpirationRecord,
  usage?: FeatureRecord,
): FeatureEntry => ({
  key: '',
  vendorLicense,
  feature,
  version,
  package: pkg,
  featureType,
  record: usage,
  expiration: record.licenseExpiration,
  minExpiration: undefined,
  expired: record.showExpired,
  expirationWarning: record.showWarning,
});

/** Feature records as entries. Usage of a vendor license that is not current is withheld, as in the last poll. */
function featureEntriesOf(records: readonly FeatureRecord[], { inventory }: Site): readonly FeatureEntry[] {
  const isWithheld = new Set(
    inventory.vendorLicenses.filter((entry) => entry.isWithheld).map((entry) => entry.vendorLicense.toLowerCase()),
  );
  return records.map((record) => {
    const name = `${record.serverName};${record.daemon}`;
    return entryOf(name, record, isWithheld.has(name.toLowerCase()) ? withoutFeatureUsage(record) : record);
  });
}

/** Which features a user holds licenses of. */
export const answerFeaturesOfUser = async (
  user: string,
  query: Query,
  sources: Sources,
  signal: AbortSignal,
): Promise<Answer> => {
  requireUsers(sources.users);
  if (sources.users.pseudonymKey !== undefined) {
    throw new DatasourceError('users_not_served', 'features cannot be asked for by user where names are hidden');
  }
  const site = requireSite(sources);
  const asked = everyOwner(query, site, [query.values.filters ?? '%']);
  const parametersOf = ({ product, feature }: Whose) => ({
    product,
    user,
    filters: feature,
    ...given('package', query.values.package),
  });
  const { answers, ...rest } = await askAll(asked, 'GetFeatures', parametersOf, sources.questions, signal);
  const entries = featureEntriesOf(
    answers.flatMap(({ answer }) => answer.records),
    site,
  ).filter((entry) => isLetThrough(query, entry));
  return both(rest, featureTable(entries, site.inventory.at));
};

/** Expirations of packages and components too, which are not polled. */
export const answerSearchedExpirations = async (
  search: string,
  query: Query,
  sources: Sources,
  signal: AbortSignal,
): Promise<Answer> => {
  const site = requireSite(sources);
  const { features } = query.values;
  // the records name no vendor license, so each is asked about by itself
  const asked = everyOwner(query, site, features.length > 0 ? features : ['%']);
  const parametersOf = ({ product, feature }: Whose) => ({
    product,
    filters: feature,
    search,
    ...given('package', query.values.package),
  });
  const { answers, ...rest } = await askAll(asked, 'GetExpirationFeatures', parametersOf, sources.questions, signal);
  const entries = answers
    .flatMap(({ whose, answer }) =>
      answer.records.map((record) => entryOf(parseVendorLicense(whose.product).vendorLicense, record)),
    )
    // no date means permanent to whoever reads the answer
    .filter((entry) => entry.expiration !== undefined && isLetThrough(query, entry));
  return both(rest, expirationAnswer(query, entries, site.inventory.at, sources.localTime));
};
