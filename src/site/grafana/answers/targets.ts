import { parseVendorLicense } from '../../../base/model/vendor-license.ts';
import type { EndpointName } from '../../../base/query-api/endpoints.ts';
import { inTurn } from '../../../base/scheduling/slices.ts';
import { rowOfAnswer } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import { answerAttention } from './attention-answer.ts';
import type { Backend } from './backend.ts';
import { answerBlocked } from './blocked-answers.ts';
import { answerEfficiency, answerHeatMap, answerHistory, answerReserved, answerUsers } from './chart-answers.ts';
import { askAll, type Combination, everyOwner, withNotices } from './combinations.ts';
import { DatasourceError } from './errors.ts';
import { answerExpirations, expirationAnswer } from './expiration-answers.ts';
import { answerFeatures, answerFeaturesOfUser, isLetThrough } from './feature-answers.ts';
import { knownNow } from './known-data.ts';
import type { TargetAnswer } from './panel-data.ts';
import type { KeyName } from './payload-keys.ts';
import { answerProducts, answerServerDown } from './product-answers.ts';
import type { Query } from './query.ts';
import { answerRightsizing, readWaitedYear } from './rightsizing-answers.ts';
import { figuresOf } from './site-figures.ts';

/** The targets of the datasource. The parser, the builder form and docs/grafana.md are derived from this table. */

/** Expirations including packages and components, which are not polled. */
async function answerSearchedExpirations(
  search: string,
  raw: Query,
  backend: Backend,
  signal: AbortSignal,
): Promise<TargetAnswer> {
  const { asked: query, inventory } = knownNow(raw, backend);
  const { features } = query.values;
  // the records do not contain the vendor license, so each is requested separately
  const asked = everyOwner(query, inventory, features.length > 0 ? features : ['%']);
  const parametersOf = ({ product, feature }: Combination) => ({
    product,
    filters: feature,
    search,
    ...(query.values.package !== undefined && { package: query.values.package }),
  });
  const { answers, ...rest } = await askAll(asked, 'GetExpirationFeatures', parametersOf, backend.upstream, signal);
  const entries = answers
    .flatMap(({ combination: { product }, answer }) => {
      const { vendorLicense } = parseVendorLicense(product);
      return answer.records.map((expiration) => rowOfAnswer(vendorLicense, { expiration }));
    })
    .filter((entry) => isLetThrough(query, entry));
  const context = { now: inventory.at, localTime: backend.localTime, owners: backend.owners() };
  return withNotices(rest, await inTurn(() => expirationAnswer(query, { items: entries }, context)));
}

/** What a panel can ask for, and how it is answered. */
export interface Target {
  readonly label: string;
  /** `undefined` if the answer is not that of one endpoint. */
  readonly endpoint?: EndpointName;
  /** From the last poll, requested from the analyzer, from the history in this process, the evaluation of alerts, or the pass of right-sizing. */
  readonly from: 'poll' | 'analyzer' | 'history' | 'alerts' | 'pass';
  readonly keys: readonly KeyName[];
  readonly required: readonly KeyName[];
  /** The first is the default. */
  readonly shapes: readonly string[];
  /** The shapes of `/rows`, each one flat table. The first is the default. */
  readonly rowShapes: readonly string[];
  readonly answer: AnswerQuery;
}

/** @throws DatasourceError if there is no answer at all. The signal stops the wait with its reason */
type AnswerQuery = (query: Query, backend: Backend, signal: AbortSignal) => Promise<TargetAnswer>;

/** An answer from the last poll. */
const fromPoll =
  (answer: (query: Query, inventory: Inventory, backend: Backend) => TargetAnswer): AnswerQuery =>
  (query, backend) =>
    inTurn(() => {
      const { asked, inventory } = knownNow(query, backend);
      return answer(asked, inventory, backend);
    });

/** The vendor licenses of the last poll, with what their features add up to. */
const answerVendorLicenses: AnswerQuery = async (query, backend) => {
  const { asked, inventory } = knownNow(query, backend);
  const figures = await figuresOf(inventory, backend.isSaturated);
  return inTurn(() => answerProducts(asked, inventory, backend, figures));
};

/** An answer from the last poll, or from the analyzer if a key is set that only the analyzer knows. */
const unlessAsked =
  (
    key: KeyName,
    asked: (value: string, query: Query, backend: Backend, signal: AbortSignal) => Promise<TargetAnswer>,
    other: AnswerQuery,
  ): AnswerQuery =>
  (query, backend, signal) => {
    const value = query.values[key];
    return value === undefined ? other(query, backend, signal) : asked(value, query, backend, signal);
  };

const combination = ['product', 'feature', 'package', 'pattern'] as const;
const named = ['product', 'feature'] as const;
/** What every table has. */
const view = ['sort', 'top', 'columns', 'with', 'none', 'complete'] as const;
const period = ['year', 'month', 'last', 'type', 'wildcard'] as const;

/** Every target. Queries, the editor, errors, `/rows` and docs/grafana.md read this table. */
export const targets = {
  history: {
    label: 'Utilisation history',
    endpoint: 'GetHistory',
    from: 'analyzer',
    keys: [...combination, 'ftype', 'wildcard', 'shape', ...view],
    required: named,
    shapes: ['timeseries', 'long', 'totals', 'annotations'],
    rowShapes: ['long', 'days', 'periods', 'totals', 'annotations'],
    answer: answerHistory,
  },
  reserved: {
    label: 'Reservation history',
    endpoint: 'GetHistoryReserved',
    from: 'analyzer',
    keys: [...combination, 'ftype', 'wildcard', 'shape', ...view],
    required: named,
    shapes: ['table', 'timeseries', 'long'],
    rowShapes: ['long'],
    answer: answerReserved,
  },
  efficiency: {
    label: 'Efficiency',
    endpoint: 'GetEfficiency',
    from: 'analyzer',
    keys: [...combination, ...period, ...view],
    required: named,
    shapes: ['table', 'long'],
    rowShapes: ['long'],
    answer: answerEfficiency,
  },
  heatmap: {
    label: 'Heat map',
    endpoint: 'GetHeatMap',
    from: 'analyzer',
    keys: [...combination, ...period, 'shape', ...view],
    required: named,
    shapes: ['heatmap', 'table', 'long'],
    rowShapes: ['long', 'wide'],
    answer: answerHeatMap,
  },
  users: {
    label: 'Users',
    endpoint: 'GetUsers',
    from: 'analyzer',
    keys: [...combination, 'type', 'wildcard', 'tokenpool', 'user', 'format', 'sortdatafield', 'sortorder', ...view],
    required: named,
    shapes: ['table'],
    rowShapes: ['table'],
    answer: answerUsers,
  },
  blocked: {
    label: 'People who waited',
    from: 'history',
    keys: [...combination, 'shape', ...view],
    required: ['product'],
    shapes: ['table', 'periods', 'totals'],
    rowShapes: ['table', 'periods', 'totals'],
    answer: answerBlocked,
  },
  expirations: {
    label: 'Expirations',
    endpoint: 'GetExpirationFeatures',
    from: 'poll',
    keys: [...combination, 'status', 'within', 'expiry_month', 'search', 'shape', ...view],
    required: ['product'],
    shapes: ['table', 'months', 'totals', 'annotations'],
    rowShapes: ['table', 'months', 'totals', 'annotations'],
    answer: unlessAsked('search', answerSearchedExpirations, fromPoll(answerExpirations)),
  },
  features: {
    label: 'Features',
    endpoint: 'GetFeatures',
    from: 'poll',
    keys: ['product', 'package', 'pattern', 'user', 'filters', 'shape', ...view],
    required: ['product'],
    shapes: ['table', 'totals'],
    rowShapes: ['table', 'totals'],
    answer: unlessAsked('user', answerFeaturesOfUser, fromPoll(answerFeatures)),
  },
  products: {
    label: 'Vendor licenses',
    endpoint: 'GetProducts',
    from: 'poll',
    keys: ['filters', 'pattern', ...view],
    required: [],
    shapes: ['table'],
    rowShapes: ['table'],
    answer: answerVendorLicenses,
  },
  server_down: {
    label: 'Servers that are down',
    endpoint: 'GetServerDown',
    from: 'poll',
    keys: ['filters', 'pattern', ...view],
    required: [],
    shapes: ['table'],
    rowShapes: ['table'],
    answer: fromPoll(answerServerDown),
  },
  rightsizing: {
    label: 'Right-sizing',
    from: 'pass',
    keys: [...combination, 'state', 'tolerance', 'shape', ...view],
    required: [],
    shapes: ['table', 'steps', 'totals'],
    rowShapes: ['table', 'steps', 'totals'],
    answer: async (query, backend) => {
      const waited = query.shape === 'table' ? await readWaitedYear(query, backend) : undefined;
      return inTurn(() => answerRightsizing(query, backend.inventory(), { ...backend, waited }));
    },
  },
  attention: {
    label: 'Needs attention',
    from: 'alerts',
    keys: ['product', 'feature', 'severity', ...view],
    required: [],
    shapes: ['table'],
    rowShapes: ['table'],
    answer: (query, { attention }) => inTurn(() => answerAttention(query, attention())),
  },
} as const satisfies Record<string, Target>;

/** The name of a target, which panels and `/rows` send. */
export type TargetName = keyof typeof targets;
/** The names of all targets, in the order of the documentation. */
export const targetNames = Object.keys(targets) as readonly TargetName[];

/** Answers a query, which `readQuery` has made of one of the targets. With the key `complete`, a part is no answer. */
export const answerTarget: AnswerQuery = async (query, backend, signal) => {
  const { target, values } = query;
  const answer = await targets[target as TargetName].answer(query, backend, signal);
  const { incomplete } = answer;
  if (values.complete !== 'true' || incomplete === undefined) return answer;
  throw new DatasourceError(incomplete.code, `${target}: ${incomplete.message}`);
};
