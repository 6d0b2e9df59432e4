import type { z } from 'zod';
import { type Camelized, camelized } from '../camel.ts';
import { mapOf, orEmpty, strictListOf } from '../structures.ts';
import { boolean, duration, integer, oneOf, ratio, regularExpression } from '../values.ts';

/** What can be set about the alert engine's rules, below `alerting.rules`. */

const DAY = 86_400;
const YEAR = 365 * DAY;

const durations = (pending: string, keep: string) => ({
  enabled: boolean.prefault(true).describe('Whether the rule is on.'),
  for: duration(0, DAY).prefault(pending).describe('How long the condition must hold before the alert fires.'),
  keep_firing_for: duration(0, DAY)
    .prefault(keep)
    .describe('How long the alert goes on after the condition was last met.'),
});

/** Of each rule, what an override can be for (there is one analyzer), and its values. */
export const alertRules = {
  LicenseServerDown: {
    subject: 'vendor_license',
    parameters: {
      ...durations('0s', '5m'),
      icon_pattern: regularExpression.optional().describe('A MappingIcon of GetProducts that means "down" too.'),
    },
  },
  LicenseCollectionStale: {
    subject: 'vendor_license',
    parameters: {
      ...durations('10m', '10m'),
      max_age: duration(1, YEAR).prefault('1h').describe('Age of the last collection above which it is stale.'),
    },
  },
  LicenseExpired: {
    subject: 'feature',
    parameters: {
      ...durations('10m', '10m'),
      within: duration(1, 100 * YEAR)
        .prefault('14d')
        .describe('For how long after the expiry there is an alert.'),
    },
  },
  LicenseExpiringSoon: {
    subject: 'feature',
    parameters: {
      ...durations('15m', '10m'),
      warning: duration(0, 100 * YEAR)
        .prefault('30d')
        .describe('Time left below which there is a warning.'),
      critical: duration(0, 100 * YEAR)
        .prefault('7d')
        .describe('Time left below which it is critical.'),
      aggregate: oneOf('none', 'vendor_license')
        .prefault('none')
        .describe(
          'Whether there is one alert for each `vendor_license`, with a list in it, in place of one for each feature. Not for overrides.',
        ),
    },
  },
  LicenseFeatureSaturated: {
    subject: 'feature',
    parameters: {
      ...durations('15m', '10m'),
      raise: ratio.prefault(0.95).describe('Ratio of licenses in use from which on there is an alert.'),
      clear: ratio.prefault(0.9).describe('Ratio below which it ends.'),
    },
  },
  LicenseRequestsQueued: {
    subject: 'feature',
    parameters: {
      ...durations('10m', '10m'),
      above: integer(0, 1_000_000).prefault(0).describe('Queued requests above which there is an alert.'),
    },
  },
  LicenseDenials: {
    subject: 'feature',
    parameters: {
      ...durations('5m', '10m'),
      above: integer(0, 1_000_000).prefault(0).describe('Denials of a day above which there is an alert.'),
      max_age: duration(1, YEAR).prefault('2d').describe('Age of that day at most.'),
    },
  },
  LicenseAnalyzerUnreachable: { subject: 'analyzer', parameters: durations('10m', '0s') },
  LicenseAnalyzerAuthFailing: { subject: 'analyzer', parameters: durations('2m', '0s') },
  LicensePollPartial: { subject: 'analyzer', parameters: durations('10m', '0s') },
  LicenseRecordsDiscarded: {
    subject: 'analyzer',
    parameters: {
      ...durations('10m', '0s'),
      share: ratio
        .prefault(0.1)
        .describe('Share of the records of an endpoint, discarded, above which there is an alert.'),
    },
  },
} as const;

export type RuleName = keyof typeof alertRules;

/** Values for everything, and exceptions: of several that match, the first that sets a value counts. */
export interface RuleConfig<V> {
  readonly base: V;
  readonly overrides: readonly {
    readonly vendorLicense: RegExp | undefined;
    readonly feature: RegExp | undefined;
    readonly values: Partial<V>;
  }[];
}

type ValuesOf<N extends RuleName> = Camelized<z.output<z.ZodObject<(typeof alertRules)[N]['parameters']>>>;

export type RulesConfig = { readonly [N in RuleName]: RuleConfig<ValuesOf<N>> };

type Values = Readonly<Record<string, unknown>>;
type Override = Values & { readonly vendor_license?: RegExp; readonly feature?: RegExp };

interface Rule {
  readonly subject: 'vendor_license' | 'feature' | 'analyzer';
  readonly parameters: Readonly<Record<string, z.ZodPrefault | z.ZodOptional>>;
}

/** What an override of a rule can be for. */
const subjects = { analyzer: [], vendor_license: ['vendor_license'], feature: ['vendor_license', 'feature'] } as const;

/** Bounds that belong together: the one that is out of order, and why. */
function disorder({
  raise,
  clear,
  warning,
  critical,
}: Values): { readonly name: string; readonly message: string } | undefined {
  if (Number(clear) > Number(raise))
    return { name: 'clear', message: `clear (${clear}) is above raise (${raise}); lower it` };
  if (Number(critical) > Number(warning))
    return { name: 'critical', message: 'critical is longer than warning; shorten it' };
  return undefined;
}

function overrideOf({ subject, parameters }: Rule) {
  const needed = subjects[subject];
  const values = Object.entries(parameters)
    .filter(([name]) => name !== 'aggregate')
    // without the default: what is not said here stays as it is
    .map(([name, schema]) => [name, (schema.unwrap() as z.ZodType).optional().describe(schema.description ?? '')]);
  const shape = {
    ...Object.fromEntries(values),
    ...Object.fromEntries(needed.map((name) => [name, regularExpression.optional()])),
  };
  return mapOf(shape, { aggregate: 'cannot be overridden; set it for the whole rule' }).refine(
    (override) => needed.some((name) => override[name] !== undefined),
    { error: `needs ${needed.join(' or ')}` },
  );
}

function ruleOf(rule: Rule) {
  const overrides = strictListOf(overrideOf(rule)).prefault([]);
  return orEmpty(
    mapOf({ ...rule.parameters, ...(rule.subject !== 'analyzer' && { overrides }) })
      .superRefine((values: Values, context) => {
        const refuse = (path: PropertyKey[], all: Values): void => {
          const found = disorder(all);
          if (found !== undefined) {
            context.addIssue({ code: 'custom', path: [...path, found.name], message: found.message });
          }
        };
        refuse([], values);
        for (const [i, override] of ((values.overrides ?? []) as Override[]).entries()) {
          refuse(['overrides', i], { ...values, ...override });
        }
      })
      .transform(({ overrides: given = [], ...base }: Values) => ({
        base: camelized(base),
        overrides: (given as Override[]).map(({ vendor_license: vendorLicense, feature, ...values }) => ({
          vendorLicense,
          feature,
          values: camelized(values),
        })),
      })),
  ).prefault({});
}

/** `alerting.rules`: values by rule, with the defaults for what is left out. */
export const rules = orEmpty(
  mapOf(Object.fromEntries(Object.entries<Rule>(alertRules).map(([name, rule]) => [name, ruleOf(rule)]))),
) as unknown as z.ZodType<RulesConfig>;
