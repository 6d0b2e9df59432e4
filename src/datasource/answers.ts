import type { FeatureEntry } from '../model/feature-entries.ts';
import type { LocalTime } from '../model/local-time.ts';
import { withoutFeatureUsage } from '../model/merge.ts';
import type { FeatureRecord } from '../model/records.ts';
import type { EndpointName, ParametersOf } from '../query-api/endpoints.ts';
import { DatasourceError } from './errors.ts';
import { type Asked, askAll, type Combinations, combinationsOf, everyOwner, type Whose } from './fan-out.ts';
import { shapeEfficiency, shapeHeatMap, shapeHistory, shapeReserved } from './history-answers.ts';
import type { Answer, Item, Notice } from './items.ts';
import {
  answerExpirations,
  answerFeatures,
  answerProducts,
  answerServerDown,
  expirationAnswer,
  featureTable,
} from './live-answers.ts';
import type { Query } from './query.ts';
import type { Questions } from './questions.ts';
import type { Site } from './site.ts';
import type { TargetName } from './targets.ts';
import { requireUsers, type UsersPolicy, usersFilter, usersTable } from './users.ts';
import { windowOf } from './window.ts';

/** Where answers come from. */
export interface Sources {
  /** Undefined before the first poll has been taken in. */
  readonly site: () => Site | undefined;
  readonly questions: Questions;
  readonly users: UsersPolicy;
  /** Calendar of the analyzer: in which `year` and `month` are meant, and days begin. */
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: () => number;
}

type AnswerTarget = (query: Query, sources: Sources, signal: AbortSignal) => Promise<Answer> | Answer;

/** @throws DatasourceError when nothing has been polled yet */
function requireSite({ site }: Sources): Site {
  const known = site();
  if (known === undefined) throw new DatasourceError('upstream_down', 'the analyzer has not been polled yet');
  return known;
}

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
  shape: (asked: Asked<never>['answers'], combinations: Combinations) => readonly Item[],
): Promise<Answer> {
  const combinations = combinationsOf(query, site());
  const { answers, ...rest } = await askAll(combinations, endpoint, parametersOf, questions, signal);
  return { ...rest, items: shape(answers as Asked<never>['answers'], combinations) };
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

const answerHistory: AnswerTarget = (query, sources, signal) =>
  fanOut('GetHistory', query, sources, signal, trendParameters(query), (answers, combinations) =>
    shapeHistory({ query, combinations, localTime: sources.localTime }, answers),
  );

const answerReserved: AnswerTarget = (query, sources, signal) =>
  fanOut('GetHistoryReserved', query, sources, signal, trendParameters(query), (answers, combinations) =>
    shapeReserved({ query, combinations, localTime: sources.localTime }, answers),
  );

/** The two endpoints that are asked about a window of time (spec 4.8, 4.9). */
const answerWindow =
  (endpoint: 'GetEfficiency' | 'GetHeatMap', shape: typeof shapeEfficiency | typeof shapeHeatMap): AnswerTarget =>
  async (query, sources, signal) => {
    const { values, range } = query;
    const { notice, ...window } = windowOf(values, range, sources.now() * 1000, sources.localTime);
    const parametersOf = ({ product, feature }: Whose) => ({
      product,
      feature,
      package: values.package ?? '',
      ...window,
      ...given('type', values.type),
    });
    const answer = await fanOut(endpoint, query, sources, signal, parametersOf, (answers, combinations) =>
      shape({ query, combinations, localTime: sources.localTime }, answers),
    );
    const notices: Notice[] = notice === undefined ? [] : [{ severity: 'info', text: notice }];
    return { ...answer, notices: [...notices, ...answer.notices] };
  };

const answerUsers: AnswerTarget = async (query, sources, signal) => {
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

/** A record of the analyzer as an entry; its usage is withheld where that of the last poll is. */
function entryOf(record: FeatureRecord, { inventory }: Site): FeatureEntry {
  const { serverName, daemon, feature, version, featureType } = record;
  const vendorLicense = `${serverName};${daemon}`;
  const owner = inventory.vendorLicenses.find((entry) => entry.vendorLicense === vendorLicense);
  return {
    key: '',
    vendorLicense,
    feature,
    version,
    package: record.package,
    featureType,
    record: owner?.isWithheld ? withoutFeatureUsage(record) : record,
    expiration: record.licenseExpiration,
    minExpiration: undefined,
    expired: record.showExpired,
    expirationWarning: record.showWarning,
  };
}

const answerFeaturesOfUser = async (
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
  const entries = answers
    .flatMap(({ answer }) => answer.records.map((record) => entryOf(record, site)))
    .filter(({ feature }) => query.allows('feature', feature));
  return both(rest, featureTable(entries, site.inventory.at));
};

const answerSearchedExpirations = async (
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
  const entries = answers.flatMap(({ whose, answer }) =>
    answer.records.map(
      (record): FeatureEntry => ({
        key: '',
        vendorLicense: whose.product,
        feature: record.feature,
        version: record.version,
        package: record.package,
        featureType: record.featureType,
        record: undefined,
        expiration: record.licenseExpiration,
        minExpiration: record.minLicenseExpiration,
        expired: record.showExpired,
        expirationWarning: record.showWarning,
      }),
    ),
  );
  return both(rest, expirationAnswer(query, entries, site.inventory.at, sources.localTime));
};

const answerers: Readonly<Record<TargetName, AnswerTarget>> = {
  history: answerHistory,
  reserved: answerReserved,
  efficiency: answerWindow('GetEfficiency', shapeEfficiency),
  heatmap: answerWindow('GetHeatMap', shapeHeatMap),
  users: answerUsers,
  expirations: (query, sources, signal) => {
    const { search } = query.values;
    if (search !== undefined) return answerSearchedExpirations(search, query, sources, signal);
    return answerExpirations(query, requireSite(sources), sources.localTime);
  },
  features: (query, sources, signal) => {
    const { user } = query.values;
    if (user !== undefined) return answerFeaturesOfUser(user, query, sources, signal);
    return answerFeatures(query, requireSite(sources));
  },
  products: (query, sources) => answerProducts(query, requireSite(sources)),
  server_down: (query, sources) => answerServerDown(query, requireSite(sources)),
};

/**
 * Answers one target.
 *
 * @param signal ends the waiting with its reason
 * @throws DatasourceError
 */
export async function answerTarget(query: Query, sources: Sources, signal: AbortSignal): Promise<Answer> {
  return answerers[query.target](query, sources, signal);
}
