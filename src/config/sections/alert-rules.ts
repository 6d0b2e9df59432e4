import type { z } from 'zod';
import { type Camelized, camelized } from '../camel.ts';
import { mapOf, orEmpty, strictListOf } from '../structures.ts';
import { boolean, duration, integer, ratio, regularExpression } from '../values.ts';

/** The settings of the alerting rules, below `alerting.rules`: of the alert engine, and of the rules for Prometheus. */

const DAY = 86_400;
const YEAR = 365 * DAY;

const durations = (pending: string, keep: string) => ({
  enabled: boolean.prefault(true).describe('Whether the rule is evaluated.'),
  for: duration(0, DAY).prefault(pending).describe('How long the condition must hold before the alert fires.'),
  keep_firing_for: duration(0, DAY)
    .prefault(keep)
    .describe('How long the alert keeps firing after the condition was last met.'),
});

const within = (end: string) =>
  duration(3600, 7 * DAY)
    .prefault('1d')
    .describe(end);

const vanished = {
  ...durations('15m', '0s'),
  within: within('The alert ends this long after it was missed first.'),
};

/**
 * Each rule with the subject of its overrides and its parameters. There is one analyzer, so its rules have no overrides.
 * A rule with `needs` is evaluated only by Prometheus; the text says what the engine does not have.
 */
export const alertRules = {
  LicenseServerDown: {
    subject: 'vendor_license',
    parameters: {
      ...durations('0s', '5m'),
      icon_pattern: regularExpression
        .optional()
        .describe('Regular expression. A MappingIcon of GetProducts that matches also means that the server is down.'),
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
        .describe('The alert ends this long after the expiry.'),
    },
  },
  LicenseExpiringSoon: {
    subject: 'feature',
    parameters: {
      ...durations('15m', '10m'),
      info: duration(0, 100 * YEAR)
        .prefault('60d')
        .describe(
          'The alert for information fires if less time is left. It never fires if that is not longer than `warning`.',
        ),
      warning: duration(0, 100 * YEAR)
        .prefault('30d')
        .describe('The warning fires if less time is left.'),
      critical: duration(0, 100 * YEAR)
        .prefault('7d')
        .describe('The critical alert fires if less time is left.'),
    },
  },
  LicenseFeatureSaturated: {
    subject: 'feature',
    parameters: {
      ...durations('5m', '10m'),
      raise: ratio
        .prefault(0.95)
        .describe('The alert starts when the ratio of licenses in use, averaged over `window`, reaches this value.'),
      clear: ratio.prefault(0.9).describe('The alert ends below this averaged ratio.'),
      window: duration(60, DAY)
        .prefault('10m')
        .describe('The ratio is averaged over this time. Ratios below one half count as one half.'),
      min_licenses: integer(1, 1_000_000).prefault(2).describe('Features with fewer licenses are ignored.'),
    },
  },
  LicenseRequestsQueued: {
    subject: 'feature',
    parameters: {
      ...durations('10m', '10m'),
      above: integer(0, 1_000_000).prefault(0).describe('The alert fires if more requests are queued.'),
    },
  },
  LicenseDenials: {
    subject: 'feature',
    parameters: {
      ...durations('5m', '10m'),
      above: integer(0, 1_000_000).prefault(0).describe('The alert fires if more requests are denied in a day.'),
      max_age: duration(1, YEAR).prefault('2d').describe('Maximum age of that day.'),
    },
  },
  LicenseRunsOut: {
    subject: 'feature',
    parameters: {
      ...durations('0s', '1d'),
      lead: duration(DAY, YEAR)
        .prefault('120d')
        .describe(
          'The alert starts when the licenses are expected to run out within this time. It ends when that is more than 1.5 times as far away.',
        ),
    },
  },
  LicenseSourceDown: {
    subject: 'analyzer',
    parameters: {
      ...durations('0s', '0s'),
      readings: integer(1, 1000)
        .prefault(2)
        .describe('The alert fires after this many failed readings of a source in succession.'),
    },
  },
  LicenseRedundancyLost: { subject: 'analyzer', parameters: durations('5m', '5m') },
  LicenseHistoryNotRecorded: {
    subject: 'analyzer',
    parameters: {
      ...durations('0s', '0s'),
      silence: duration(60, DAY)
        .prefault('30m')
        .describe('The alert fires if nothing is recorded for this long, or for three collections if that is longer.'),
    },
  },
  LicenseProductsEmpty: { subject: 'analyzer', parameters: durations('10m', '5m') },
  LicenseAnalyzerUnreachable: { subject: 'analyzer', parameters: durations('10m', '5m') },
  LicenseAnalyzerAuthFailing: { subject: 'analyzer', parameters: durations('2m', '5m') },
  LicensePollPartial: { subject: 'analyzer', parameters: durations('10m', '5m') },
  LicenseFieldMissing: { subject: 'analyzer', parameters: durations('15m', '5m') },
  LicenseRecordsDiscarded: {
    subject: 'analyzer',
    parameters: {
      ...durations('10m', '5m'),
      share: ratio
        .prefault(0.1)
        .describe('The alert fires if a larger share of the records of an endpoint is discarded.'),
    },
  },
  LicenseVendorLicenseVanished: { subject: 'vendor_license', parameters: vanished },
  LicenseFeatureVanished: { subject: 'feature', parameters: vanished },
  LicenseCapacityDropped: {
    subject: 'feature',
    parameters: {
      ...durations('15m', '10m'),
      ratio: ratio
        .prefault(0.05)
        .describe('The alert fires if at least this share of the licenses of a day ago is missing.'),
      licenses: integer(1, 1_000_000)
        .prefault(1)
        .describe('The alert fires only if at least this many licenses are missing.'),
    },
  },
  LicensePollStale: {
    subject: 'analyzer',
    needs: 'a process that is not the exporter',
    parameters: durations('5m', '5m'),
  },
  LicenseExporterDown: {
    subject: 'analyzer',
    needs: 'a process that is not the exporter',
    parameters: durations('5m', '0s'),
  },
  LicenseExporterAbsent: {
    subject: 'analyzer',
    needs: 'a process that is not the exporter',
    parameters: { ...durations('10m', '0s'), within: within('The alert ends this long after it was last seen.') },
  },
  LicenseExporterSilent: {
    subject: 'analyzer',
    needs: 'a process that is not the exporter',
    parameters: durations('10m', '0s'),
  },
  LicenseExporterSeriesLimit: { subject: 'analyzer', parameters: durations('10m', '5m') },
  LicenseExporterConfigReloadFailed: { subject: 'analyzer', parameters: durations('5m', '5m') },
  LicenseExporterShardMismatch: { subject: 'analyzer', needs: 'all shards', parameters: durations('10m', '5m') },
  LicenseAlertDeliveryFailing: {
    subject: 'analyzer',
    needs: 'a second way of delivery',
    parameters: durations('10m', '5m'),
  },
  LicenseWatchdog: { subject: 'analyzer', needs: 'Prometheus itself', parameters: durations('0s', '0s') },
} as const;

export type RuleName = keyof typeof alertRules;

/** Values of a rule, and overrides. If several overrides match, the first one that sets a value wins. */
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
  readonly needs?: string;
  readonly parameters: Readonly<Record<string, z.ZodPrefault | z.ZodOptional>>;
}

/** The keys that select what an override applies to. */
const subjects = { analyzer: [], vendor_license: ['vendor_license'], feature: ['vendor_license', 'feature'] } as const;

/** Of two bounds that contradict each other, the one to change, and why. */
function disorder({
  raise,
  clear,
  warning,
  critical,
}: Values): { readonly name: string; readonly message: string } | undefined {
  if (Number(clear) <= 0.5)
    return { name: 'clear', message: `clear (${clear}) must be above 0.5, as lower ratios count as 0.5; raise it` };
  if (Number(clear) > Number(raise))
    return { name: 'clear', message: `clear (${clear}) is above raise (${raise}); lower it` };
  if (Number(critical) > Number(warning))
    return { name: 'critical', message: 'critical is longer than warning; shorten it' };
  return undefined;
}

/** Settings of earlier versions. */
const gone = { aggregate: 'is gone: features are always summed up by vendor license and owner; remove it' };

function overrideOf({ subject, parameters }: Rule) {
  const needed = subjects[subject];
  const values = Object.entries(parameters)
    // without defaults: an override changes only what it sets
    .map(([name, schema]) => [name, (schema.unwrap() as z.ZodType).optional().describe(schema.description ?? '')]);
  const shape = {
    ...Object.fromEntries(values),
    ...Object.fromEntries(needed.map((name) => [name, regularExpression.optional()])),
  };
  return mapOf(shape, gone).refine((override) => needed.some((name) => override[name] !== undefined), {
    error: `needs ${needed.join(' or ')}`,
  });
}

function ruleOf(rule: Rule) {
  const overrides = strictListOf(overrideOf(rule)).prefault([]);
  return orEmpty(
    mapOf({ ...rule.parameters, ...(rule.subject !== 'analyzer' && { overrides }) }, gone)
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

/** `alerting.rules`: values by rule, with defaults for missing ones. */
export const rules = orEmpty(
  mapOf(Object.fromEntries(Object.entries<Rule>(alertRules).map(([name, rule]) => [name, ruleOf(rule)]))),
) as unknown as z.ZodType<RulesConfig>;
