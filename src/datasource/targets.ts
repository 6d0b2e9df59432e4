import { durationCodes, type EndpointName, endpoints, featureTypes, type Parameter } from '../query-api/endpoints.ts';

/** The targets of the datasource. The parser, the builder form and docs/grafana.md are derived from this table. */

/** A key of a payload, and a parameter of `/rows`. */
export interface Key {
  readonly label: string;
  readonly meaning: string;
  /** The valid values. */
  readonly options?: readonly string[];
  /** Inclusive bounds of an integer. */
  readonly integer?: readonly [min: number, max: number];
  /** Whether several values are allowed. */
  readonly several?: true;
}

/** Names of the durations of GetEfficiency and GetHeatMap (spec 4.8), beside their codes. */
export const durationNames: Readonly<Record<string, keyof typeof durationCodes>> = {
  'last-day': '101',
  'last-7-days': '107',
  'last-365-days': '465',
  'last-week': '201',
  'last-month': '301',
  'last-quarter': '401',
};

const allowedOfUsers = (name: string): readonly string[] => {
  const parameters: readonly Parameter[] = endpoints.GetUsers.parameters;
  return parameters.find((parameter) => parameter.name === name)?.allowed ?? [];
};

export const payloadKeys = {
  product: { label: 'Product', meaning: 'Vendor license; `%` stands for any text.', several: true },
  feature: { label: 'Feature', meaning: 'Feature; `%` stands for any text.', several: true },
  package: { label: 'Package', meaning: 'Package.' },
  ftype: { label: 'Type', meaning: 'Feature type.', options: featureTypes },
  type: { label: 'Type', meaning: 'Feature type.', options: featureTypes },
  wildcard: {
    label: 'Wildcard',
    meaning:
      'How `%` is resolved: `expand` requests each known name separately, `upstream` requests the sum of all matches from the analyzer.',
    options: ['expand', 'upstream'],
  },
  year: {
    label: 'Year',
    meaning: 'Year. The default is the year in which the time range ends.',
    integer: [1970, 9999],
  },
  month: { label: 'Month', meaning: 'Month. The default is the month in which the time range ends.', integer: [1, 12] },
  last: {
    label: 'Last',
    meaning:
      'Duration up to now, as a name or code. `auto` is the shortest one that covers the time range. It is used if the range ends now, otherwise year and month are used.',
    options: ['auto', ...Object.keys(durationNames), ...Object.keys(durationCodes)],
  },
  tokenpool: { label: 'Token pool', meaning: 'Token pool.' },
  user: { label: 'User', meaning: 'User name; `%` stands for any text. Personal data, see `datasource.users`.' },
  format: { label: 'Format', meaning: 'Passed to the analyzer.', options: allowedOfUsers('format') },
  sortdatafield: {
    label: 'Sort by',
    meaning: 'Field of GetUsers to sort by.',
    options: allowedOfUsers('sortdatafield'),
  },
  sortorder: { label: 'Order', meaning: 'Sort order.', options: allowedOfUsers('sortorder') },
  search: {
    label: 'Search level',
    meaning:
      '0 features, 1 also packages, 2 also components. Requests them from the analyzer instead of the last poll.',
    integer: [0, 2],
  },
  filters: {
    label: 'Filter',
    meaning: 'Name of a vendor license or, for `features`, of a feature; `%` stands for any text.',
  },
  shape: { label: 'Shape', meaning: 'Format of the answer.' },
} as const satisfies Record<string, Key>;

export type KeyName = keyof typeof payloadKeys;

export interface Target {
  readonly label: string;
  readonly endpoint: EndpointName;
  /** From the last poll, or requested from the analyzer. */
  readonly from: 'poll' | 'analyzer';
  readonly keys: readonly KeyName[];
  readonly required: readonly KeyName[];
  /** The first is the default. */
  readonly shapes: readonly string[];
  /** The shape of `/rows`: one flat table. */
  readonly rowShape: string;
}

const combination = ['product', 'feature', 'package'] as const;
const named = ['product', 'feature'] as const;
const period = ['year', 'month', 'last', 'type', 'wildcard'] as const;

export const targets = {
  history: {
    label: 'Utilisation history',
    endpoint: 'GetHistory',
    from: 'analyzer',
    keys: [...combination, 'ftype', 'wildcard', 'shape'],
    required: named,
    shapes: ['timeseries', 'long', 'annotations'],
    rowShape: 'long',
  },
  reserved: {
    label: 'Reservation history',
    endpoint: 'GetHistoryReserved',
    from: 'analyzer',
    keys: [...combination, 'ftype', 'wildcard', 'shape'],
    required: named,
    shapes: ['table', 'timeseries', 'long'],
    rowShape: 'long',
  },
  efficiency: {
    label: 'Efficiency',
    endpoint: 'GetEfficiency',
    from: 'analyzer',
    keys: [...combination, ...period],
    required: named,
    shapes: ['table', 'long'],
    rowShape: 'long',
  },
  heatmap: {
    label: 'Heat map',
    endpoint: 'GetHeatMap',
    from: 'analyzer',
    keys: [...combination, ...period, 'shape'],
    required: named,
    shapes: ['heatmap', 'table', 'long'],
    rowShape: 'long',
  },
  users: {
    label: 'Users',
    endpoint: 'GetUsers',
    from: 'analyzer',
    keys: [...combination, 'type', 'wildcard', 'tokenpool', 'user', 'format', 'sortdatafield', 'sortorder'],
    required: named,
    shapes: ['table'],
    rowShape: 'table',
  },
  expirations: {
    label: 'Expirations',
    endpoint: 'GetExpirationFeatures',
    from: 'poll',
    keys: [...combination, 'search', 'shape'],
    required: ['product'],
    shapes: ['table', 'annotations'],
    rowShape: 'table',
  },
  features: {
    label: 'Features',
    endpoint: 'GetFeatures',
    from: 'poll',
    keys: ['product', 'package', 'user', 'filters'],
    required: ['product'],
    shapes: ['table'],
    rowShape: 'table',
  },
  products: {
    label: 'Vendor licenses',
    endpoint: 'GetProducts',
    from: 'poll',
    keys: ['filters'],
    required: [],
    shapes: ['table'],
    rowShape: 'table',
  },
  server_down: {
    label: 'Servers that are down',
    endpoint: 'GetServerDown',
    from: 'poll',
    keys: ['filters'],
    required: [],
    shapes: ['table'],
    rowShape: 'table',
  },
} as const satisfies Record<string, Target>;

export type TargetName = keyof typeof targets;
export const targetNames = Object.keys(targets) as readonly TargetName[];
