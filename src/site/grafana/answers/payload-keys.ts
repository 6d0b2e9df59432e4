import { durationCodes, endpoints, featureTypes, type Parameter } from '../../../base/query-api/endpoints.ts';
import { states } from '../../../insight/advice/method/advice.ts';

/** The keys of payloads. The parser, the builder form and docs/grafana.md are derived from this table. */

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

/** The keys of a query: what Grafana's editor shows, what docs/grafana.md says, and what is accepted. */
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
  user: { label: 'User', meaning: 'User name; `%` stands for any text. Personal data, see `access.names`.' },
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
  pattern: {
    label: 'Pattern',
    meaning:
      '`true`: `%` stands for any text in every name. Without it, a name of the last poll that contains `%` stands for itself; `%` alone stands for any text.',
    options: ['true', 'false'],
  },
  severity: {
    label: 'Severity',
    meaning: 'Severities of alerts. The default is all of them.',
    options: ['critical', 'warning', 'info'],
    several: true,
  },
  status: {
    label: 'Status',
    meaning: 'Whether the licenses expire in the future, have expired, or never expire. The default is all of them.',
    options: ['upcoming', 'ended', 'permanent'],
    several: true,
  },
  within: {
    label: 'Within days',
    meaning:
      'Maximum number of days from now to the expiry, or since it. Permanent licenses are then left out, unless `status` names them.',
    integer: [1, 36_500],
  },
  expiry_month: {
    label: 'Month of expiry',
    meaning: 'Only licenses that expire in this month, as in the shape `months`: `YYYY-MM`, or `later`.',
  },
  state: {
    label: 'State',
    meaning: 'States of the advice. The default is all of them.',
    options: states,
    several: true,
  },
  tolerance: {
    label: 'Tolerance',
    meaning:
      'Hours a year for which `Needed` may be exceeded, and for which the steps are counted. The advice remains that for `rightsizing.tolerance`.',
    integer: [0, 8760],
  },
  shape: { label: 'Shape', meaning: 'Format of the answer.' },
  sort: {
    label: 'Sort',
    meaning: 'Name of a column of the table, with `-` before it for the highest value first. Unknown values are last.',
  },
  top: { label: 'Top', meaning: 'Maximum number of rows, after sorting.', integer: [1, 10_000] },
  columns: {
    label: 'Columns',
    meaning: 'Names of columns of the table: only these are shown, in this order.',
    several: true,
  },
  with: {
    label: 'Rows with',
    meaning: 'Names of columns of the table: only rows in which these are known and not 0.',
    several: true,
  },
  complete: {
    label: 'Complete',
    meaning: '`true`: an answer that lacks something is an error, for alerts, which see no notices.',
    options: ['true', 'false'],
  },
  none: {
    label: 'Text for no row',
    meaning:
      'Text of the only row when it is known that no row exists; by `/rows` only with the column `note`. Without it, or if that is not known, the answer is empty.',
  },
} as const satisfies Record<string, Key>;

/** The name of a key that a query can have. */
export type KeyName = keyof typeof payloadKeys;
