import { suggest } from '../problems.ts';
import { boolean, duration, integer, oneOf, type Parse, ratio, regularExpression, ValueError } from '../values.ts';

/** What can be set about the alert engine's rules, below `alerting.rules`. */

/** One value of a rule. Its key in the file is its name in snake_case. */
export interface RuleParameter<T = unknown> {
  readonly parse: Parse<T>;
  /** As it would be written in the file; `undefined` leaves it unset. */
  readonly default: unknown;
  readonly doc: string;
}

interface RuleTable {
  /** What an override can be for: a vendor license, a feature of one, or nothing, because there is one analyzer. */
  readonly subject: 'vendor_license' | 'feature' | 'analyzer';
  readonly parameters: Readonly<Record<string, RuleParameter>>;
}

const parameter = <T>(parse: Parse<T>, fallback: unknown, doc: string): RuleParameter<T> => ({
  parse,
  default: fallback,
  doc,
});

const DAY = 86_400;
const YEAR = 365 * DAY;

const durations = (pending: string, keep: string) => ({
  enabled: parameter(boolean, true, 'Whether the rule is on.'),
  for: parameter(duration(0, DAY), pending, 'How long the condition must hold before the alert fires.'),
  keepFiringFor: parameter(duration(0, DAY), keep, 'How long the alert goes on after the condition was last met.'),
});

export const alertRules = {
  LicenseServerDown: {
    subject: 'vendor_license',
    parameters: {
      ...durations('0s', '5m'),
      iconPattern: parameter(regularExpression, undefined, 'A MappingIcon of GetProducts that means "down" too.'),
    },
  },
  LicenseCollectionStale: {
    subject: 'vendor_license',
    parameters: {
      ...durations('10m', '10m'),
      maxAge: parameter(duration(1, YEAR), '1h', 'Age of the last collection above which it is stale.'),
    },
  },
  LicenseExpired: {
    subject: 'feature',
    parameters: {
      ...durations('10m', '10m'),
      within: parameter(duration(1, 100 * YEAR), '14d', 'For how long after the expiry there is an alert.'),
    },
  },
  LicenseExpiringSoon: {
    subject: 'feature',
    parameters: {
      ...durations('15m', '10m'),
      warning: parameter(duration(0, 100 * YEAR), '30d', 'Time left below which there is a warning.'),
      critical: parameter(duration(0, 100 * YEAR), '7d', 'Time left below which it is critical.'),
      aggregate: parameter(
        oneOf('none', 'vendor_license'),
        'none',
        'Whether there is one alert for each `vendor_license`, with a list in it, in place of one for each feature. Not for overrides.',
      ),
    },
  },
  LicenseFeatureSaturated: {
    subject: 'feature',
    parameters: {
      ...durations('15m', '10m'),
      raise: parameter(ratio, '0.95', 'Ratio of licenses in use from which on there is an alert.'),
      clear: parameter(ratio, '0.9', 'Ratio below which it ends.'),
    },
  },
  LicenseRequestsQueued: {
    subject: 'feature',
    parameters: {
      ...durations('10m', '10m'),
      above: parameter(integer(0, 1_000_000), 0, 'Queued requests above which there is an alert.'),
    },
  },
  LicenseDenials: {
    subject: 'feature',
    parameters: {
      ...durations('5m', '10m'),
      above: parameter(integer(0, 1_000_000), 0, 'Denials of a day above which there is an alert.'),
      maxAge: parameter(duration(1, YEAR), '2d', 'Age of that day at most.'),
    },
  },
  LicenseAnalyzerUnreachable: { subject: 'analyzer', parameters: durations('10m', '0s') },
  LicenseAnalyzerAuthFailing: { subject: 'analyzer', parameters: durations('2m', '0s') },
  LicensePollPartial: { subject: 'analyzer', parameters: durations('10m', '0s') },
  LicenseRecordsDiscarded: {
    subject: 'analyzer',
    parameters: {
      ...durations('10m', '0s'),
      share: parameter(ratio, '0.1', 'Share of the records of an endpoint, discarded, above which there is an alert.'),
    },
  },
} as const satisfies Record<string, RuleTable>;

export type RuleName = keyof typeof alertRules;

/** The values of a rule. */
type ValuesOf<N extends RuleName> = {
  readonly [K in keyof (typeof alertRules)[N]['parameters']]: (typeof alertRules)[N]['parameters'][K] extends RuleParameter<
    infer T
  >
    ? (typeof alertRules)[N]['parameters'][K] extends { default: undefined }
      ? T | undefined
      : T
    : never;
};

/** Values for everything, and exceptions: of several that match, the first that sets a value counts. */
export interface RuleConfig<V> {
  readonly base: V;
  readonly overrides: readonly {
    readonly vendorLicense: RegExp | undefined;
    readonly feature: RegExp | undefined;
    readonly values: Partial<V>;
  }[];
}

export type RulesConfig = { readonly [N in RuleName]: RuleConfig<ValuesOf<N>> };

/** The key of a parameter in the file. */
export const fileKey = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const isMap = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/** Names the place of whatever is wrong. */
function at<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ValueError ? new ValueError(`${place}: ${error.message}`) : error;
  }
}

const refuseKey = (key: string, known: readonly string[]): never => {
  throw new ValueError(`unknown key ${key}${suggest(key, known)}; there are ${known.join(', ')}`);
};

type Values = Readonly<Record<string, unknown>>;

function readValues(rule: RuleTable, raw: Readonly<Record<string, unknown>>, besides: readonly string[]): Values {
  const byKey = new Map(Object.entries(rule.parameters).map(([name, value]) => [fileKey(name), { name, ...value }]));
  const entries = Object.entries(raw).filter(([key]) => !besides.includes(key));
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const found = byKey.get(key) ?? refuseKey(key, [...byKey.keys(), ...besides]);
      return [found.name, at(key, () => found.parse(value))];
    }),
  );
}

/** Bounds that belong together. */
function checkOrder({ raise, clear, warning, critical }: Values): void {
  if (Number(clear) > Number(raise)) throw new ValueError(`clear (${clear}) is above raise (${raise})`);
  if (Number(critical) > Number(warning)) throw new ValueError('critical is longer than warning');
}

function readOverride(rule: RuleTable, base: Values, raw: unknown): RuleConfig<Values>['overrides'][number] {
  const subjects = { analyzer: [], vendor_license: ['vendor_license'], feature: ['vendor_license', 'feature'] }[
    rule.subject
  ];
  if (!isMap(raw)) throw new ValueError('is not a map');
  if (!subjects.some((subject) => raw[subject] !== undefined)) throw new ValueError(`needs ${subjects.join(' or ')}`);
  const expression = (key: string): RegExp | undefined =>
    raw[key] === undefined ? undefined : at(key, () => regularExpression(raw[key]));
  const values = readValues(rule, raw, subjects);
  if (values.aggregate !== undefined) throw new ValueError('aggregate is for all vendor licenses or none');
  checkOrder({ ...base, ...values });
  return { vendorLicense: expression('vendor_license'), feature: expression('feature'), values };
}

function readRule(rule: RuleTable, raw: unknown): RuleConfig<Values> {
  if (!isMap(raw)) throw new ValueError('is not a map');
  const hasOverrides = rule.subject !== 'analyzer';
  const fallbacks = Object.entries(rule.parameters).map(
    ([name, { parse, default: fallback }]) => [name, fallback === undefined ? undefined : parse(fallback)] as const,
  );
  const base = { ...Object.fromEntries(fallbacks), ...readValues(rule, raw, hasOverrides ? ['overrides'] : []) };
  checkOrder(base);
  const { overrides = [] } = raw;
  if (!Array.isArray(overrides)) throw new ValueError('overrides is not a list');
  return { base, overrides: overrides.map((item, i) => at(`overrides[${i}]`, () => readOverride(rule, base, item))) };
}

/** Reads `alerting.rules`: values by rule, with the defaults for what is left out. */
export const rulesOf: Parse<RulesConfig> = (raw) => {
  const given = raw ?? {};
  if (!isMap(given)) throw new ValueError('is not a map of rules');
  const names = Object.keys(alertRules);
  for (const name of Object.keys(given)) if (!names.includes(name)) refuseKey(name, names);
  return Object.fromEntries(
    Object.entries(alertRules).map(([name, rule]) => [name, at(name, () => readRule(rule, given[name] ?? {}))]),
  ) as unknown as RulesConfig;
};
