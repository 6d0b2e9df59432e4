import type { z } from 'zod';
import { type Camelized, camelized } from '../../base/settings/camel.ts';
import { mapOf, orEmpty, strictListOf } from '../../base/settings/structures.ts';
import { boolean, duration, regularExpression } from '../../base/settings/values.ts';

/** The settings of an alert, below `alerting.rules`, and what they are for one vendor license or feature. */

const DAY = 86_400;

/** The settings that every alert has. Durations are seconds. */
export interface Durations {
  /** Whether the rule is evaluated for this vendor license or feature. */
  readonly enabled: boolean;
  /** How long the condition must hold before the alert fires. */
  readonly for: number;
  /** How long the alert keeps firing after the condition was last met. */
  readonly keepFiringFor: number;
}

/** The schemas of the settings that an alert has of its own, by their names in the file. */
export type Shape = Readonly<Record<string, z.ZodPrefault | z.ZodOptional>>;

/** The values of all settings of an alert. */
export type Values<S extends Shape> = Durations & Camelized<z.output<z.ZodObject<S>>>;

/** Values, and overrides. If several overrides match, the first one that sets a value wins. */
export interface Adjustable<P> {
  readonly base: P;
  readonly overrides: readonly {
    readonly vendorLicense: RegExp | undefined;
    readonly feature: RegExp | undefined;
    readonly values: Partial<P>;
  }[];
}

/** The keys that select what an override applies to. There is one analyzer, so that alerts about it have no overrides. */
const selectors = { analyzer: [], vendor_license: ['vendor_license'], feature: ['vendor_license', 'feature'] } as const;

/** What an alert is about. */
type Subject = keyof typeof selectors;

/** A bound that contradicts another one, and why. */
interface Contradiction {
  /** The setting to change. */
  readonly name: string;
  readonly message: string;
}

/** What the schema is made from. */
export interface Adjusted<S extends Shape = Shape> {
  readonly subject: Subject;
  /** Default durations, such as `5m`. */
  readonly for: string;
  readonly keepFiringFor: string;
  readonly parameters: S;
  /** @param values of the settings, by their names in the file */
  contradiction?(values: Readonly<Record<string, unknown>>): Contradiction | undefined;
}

/** The schemas of all settings of an alert, by their names in the file. */
export const settingsShape = ({ for: pendingFor, keepFiringFor, parameters }: Adjusted): Shape => ({
  enabled: boolean.prefault(true).describe('Whether the rule is evaluated.'),
  for: duration(0, DAY).prefault(pendingFor).describe('How long the condition must hold before the alert fires.'),
  keep_firing_for: duration(0, DAY)
    .prefault(keepFiringFor)
    .describe('How long the alert keeps firing after the condition was last met.'),
  ...parameters,
});

type Raw = Readonly<Record<string, unknown>>;
type RawOverride = Raw & { readonly vendor_license?: RegExp; readonly feature?: RegExp };

/** Settings of earlier versions. */
const gone = { aggregate: 'is gone: features are always summed up by vendor license and owner; remove it' };

function overrideOf(shape: Shape, needed: readonly string[]) {
  const values = Object.entries(shape)
    // without defaults: an override changes only what it sets
    .map(([name, schema]) => [name, (schema.unwrap() as z.ZodType).optional().describe(schema.description ?? '')]);
  const all = { ...Object.fromEntries(values), ...Object.fromEntries(needed.map((name) => [name, selector])) };
  return mapOf(all, gone).refine((override) => needed.some((name) => override[name] !== undefined), {
    error: `needs ${needed.join(' or ')}`,
  });
}

const selector = regularExpression.optional();

/** The schema of an alert: an empty or missing map has the default values. */
export function adjustable(alert: Adjusted) {
  const shape = settingsShape(alert);
  const needed = selectors[alert.subject];
  const overrides = needed.length > 0 && { overrides: strictListOf(overrideOf(shape, needed)).prefault([]) };
  return orEmpty(
    mapOf({ ...shape, ...overrides }, gone)
      .superRefine((values: Raw, context) => {
        const refuse = (path: PropertyKey[], all: Raw): void => {
          const found = alert.contradiction?.(all);
          if (found !== undefined) {
            context.addIssue({ code: 'custom', path: [...path, found.name], message: found.message });
          }
        };
        refuse([], values);
        for (const [i, override] of ((values.overrides ?? []) as RawOverride[]).entries()) {
          refuse(['overrides', i], { ...values, ...override });
        }
      })
      .transform(({ overrides: given = [], ...base }: Raw) => ({
        base: camelized(base),
        overrides: (given as RawOverride[]).map(({ vendor_license: vendorLicense, feature, ...values }) => ({
          vendorLicense,
          feature,
          values: camelized(values),
        })),
      })),
  ).prefault({});
}

/** Whether an alert is enabled for at least one vendor license or feature. */
export const isEnabled = ({ base, overrides }: Adjustable<Durations>): boolean =>
  base.enabled || overrides.some(({ values }) => values.enabled === true);

/** The values for a vendor license, or one of its features. It is read only if there are overrides. */
export type Lookup<P> = (subject: { readonly vendorLicense: string; readonly feature?: string }) => P;

/** Looks up values. Those of a subject are computed once. */
export function createLookup<P extends object>({ base, overrides }: Adjustable<P>): Lookup<P> {
  if (overrides.length === 0) return () => base;
  const known = new Map<string, Map<string, P>>();
  const find = (vendorLicense: string, feature: string): P => {
    const matching = overrides.filter(
      (override) => (override.vendorLicense?.test(vendorLicense) ?? true) && (override.feature?.test(feature) ?? true),
    );
    // later arguments win, so the first override comes last
    return Object.assign({}, base, ...matching.map(({ values }) => values).reverse());
  };
  return ({ vendorLicense, feature = '' }) => {
    const features = known.get(vendorLicense) ?? new Map<string, P>();
    known.set(vendorLicense, features);
    const values = features.get(feature) ?? find(vendorLicense, feature);
    features.set(feature, values);
    return values;
  };
}
