/**
 * The header by which the analyzer of this program is known: it leaves out fields that its sources do not know, and an exporter
 * must not take these for missing. Not `Server`, which reverse proxies replace.
 */
export const OWN_HEADER = 'x-analyzer';
/** What the embedded analyzer says of itself in the header. */
export const OWN_ANALYZER = 'license-exporter';

/** One parameter of an endpoint (spec section 4). */
export interface Parameter {
  readonly name: string;
  readonly meaning: string;
  readonly required: boolean;
  /** The allowed values; matched exactly. */
  readonly allowed?: readonly string[];
  /** The inclusive bounds of an integer. */
  readonly integer?: readonly [min: number, max: number];
  readonly default?: string;
  /** Whether `%` in the value matches any sequence of characters. */
  readonly wildcard?: boolean;
}

/**
 * The structure of an answer. `records`: a JSON array of records. `nested-records`: an array with one such array. `users`:
 * `{totalCount, data}`. Also the charts of spec 2.6, and bare values.
 */
export type AnswerKind =
  | 'records'
  | 'nested-records'
  | 'users'
  | 'trend'
  | 'reserved'
  | 'efficiency'
  | 'heat-map'
  | 'text'
  | 'integer';

/** One endpoint of the specification: path, parameters, and the kind of its answer. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** Relative to the base URL. */
  readonly path: string;
  readonly section: string;
  readonly summary: string;
  readonly answer: AnswerKind;
  readonly parameters: readonly Parameter[];
}

/** The values of `ftype` (spec 4.2). */
export const featureTypes = ['feature', 'package', 'component'] as const;

/** Duration codes of `last` (spec 4.8). */
export const durationCodes = {
  '101': 'last day',
  '107': 'last 7 days',
  '465': 'last 365 days',
  '201': 'last week',
  '301': 'last month',
  '401': 'last quarter',
} as const;

const required = (name: string, meaning: string): Parameter => ({ name, meaning, required: true, wildcard: true });
const optional = (name: string, meaning: string): Parameter => ({ name, meaning, required: false, wildcard: true });
const choice = (name: string, meaning: string, allowed: readonly string[], isRequired = false): Parameter => ({
  name,
  meaning,
  required: isRequired,
  allowed,
});

const product = required('product', 'vendor license name');
const feature = required('feature', 'feature name');
const packageName = optional('package', 'package name');
/** The package of GetEfficiency and GetHeatMap is required, but can be empty. */
const packageOrEmpty = required('package', 'package name, may be empty');
const year: Parameter = { name: 'year', meaning: 'year', required: true, integer: [1970, 9999] };
const month: Parameter = { name: 'month', meaning: 'month', required: true, integer: [1, 12] };
const last = choice('last', 'duration; wins over year and month', Object.keys(durationCodes));
const type = choice('type', 'feature type', featureTypes);
const ftype = choice('ftype', 'feature type', featureTypes);

const trendParameters = [product, feature, packageName, ftype];
const windowParameters = [product, feature, packageOrEmpty, year, month, last, type];

/** The contract of the License Monitoring Query API, used by client, analyzer and documentation. */
export const endpoints = {
  GetProducts: {
    method: 'GET',
    path: '/api/GetProducts',
    section: '4.1',
    summary: 'Current usage information for vendor licenses.',
    answer: 'records',
    parameters: [
      optional('filters', 'vendor license name'),
      packageName,
      optional('feature', 'feature name'),
      optional('user', 'user name'),
    ],
  },
  GetFeatures: {
    method: 'GET',
    path: '/api/GetFeatures',
    section: '4.2',
    summary: 'Current features.',
    answer: 'nested-records',
    parameters: [product, packageName, optional('user', 'user name'), optional('filters', 'feature name')],
  },
  GetUsers: {
    method: 'GET',
    path: '/api/GetUsers',
    section: '4.3',
    summary: 'Current users of vendor licenses; matching is case-insensitive.',
    answer: 'users',
    parameters: [
      choice('format', 'answer format; both give the same', ['sql', 'mdx'], true),
      product,
      feature,
      packageName,
      type,
      optional('tokenpool', 'token master or token pool'),
      // the specification marks it required, and gives a default
      {
        ...choice('sortdatafield', 'sort field', [
          'Username',
          'UsageTime',
          'LicenseHandle',
          'ShareHandle',
          'UsedLicenses',
          'QueuedLicenses',
          'BorrowedLicenses',
          'license_model',
        ]),
        default: 'Username',
      },
      choice('sortorder', 'sort order', ['asc', 'desc']),
      optional('filters', 'user name'),
    ],
  },
  GetServerDown: {
    method: 'GET',
    path: '/api/GetServerDown',
    section: '4.4',
    summary: 'Servers and daemons that sent no data during the last 30 minutes.',
    answer: 'records',
    parameters: [optional('filters', 'vendor license name')],
  },
  GetExpirationFeatures: {
    method: 'GET',
    path: '/api/GetExpirationFeatures',
    section: '4.5',
    summary: 'License expiration of features.',
    answer: 'records',
    parameters: [
      product,
      packageName,
      optional('filters', 'feature name'),
      { name: 'search', meaning: 'search level', required: false, integer: [0, 2], default: '0' },
    ],
  },
  GetHistory: {
    method: 'GET',
    path: '/api/GetHistory',
    section: '4.6',
    summary: 'History of licenses available, license-hours and denials.',
    answer: 'trend',
    parameters: trendParameters,
  },
  GetHistoryReserved: {
    method: 'GET',
    path: '/api/GetHistoryReserved',
    section: '4.7',
    summary: 'History of reserved licenses, distinct users and max in use.',
    answer: 'reserved',
    parameters: trendParameters,
  },
  GetEfficiency: {
    method: 'GET',
    path: '/api/GetEfficiency',
    section: '4.8',
    summary: 'How long at least N licenses were in use at once.',
    answer: 'efficiency',
    parameters: windowParameters,
  },
  GetHeatMap: {
    method: 'GET',
    path: '/api/GetHeatMap',
    section: '4.9',
    summary: 'Max in use by hour and weekday.',
    answer: 'heat-map',
    parameters: windowParameters,
  },
  GetHttpUserName: {
    method: 'GET',
    path: '/api/GetHttpUserName',
    section: '4.10',
    summary: 'The identity of the request, in the form domain\\user_name.',
    answer: 'text',
    parameters: [],
  },
  GetConcurrentUsers: {
    method: 'POST',
    path: '/api/GetConcurrentUsers',
    section: '4.11',
    summary: 'Number of distinct users over all vendor licenses.',
    answer: 'integer',
    parameters: [],
  },
} as const satisfies Record<string, Endpoint>;

/** The name of an endpoint, which is the last part of its path. */
export type EndpointName = keyof typeof endpoints;
/** The names of all endpoints, in the order of the specification. */
export const endpointNames = Object.keys(endpoints) as readonly EndpointName[];

/** The parameters of an endpoint, by name. */
export type ParametersOf<E extends EndpointName> = {
  readonly [P in (typeof endpoints)[E]['parameters'][number]['name']]?: string;
};
