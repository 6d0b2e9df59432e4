/** The settings that all rules have. Durations are seconds. */

export interface Durations {
  /** Whether the rule is evaluated for this vendor license or feature. */
  readonly enabled: boolean;
  /** How long the condition must hold before the alert fires. */
  readonly for: number;
  /** How long the alert keeps firing after the condition was last met. */
  readonly keepFiringFor: number;
}

/** Values for the matching vendor licenses and features. */
export interface Override<P> {
  readonly vendorLicense: RegExp | undefined;
  readonly feature: RegExp | undefined;
  readonly values: Partial<P>;
}

/** Values of a rule, and overrides. If several overrides match, the first one that sets a value wins. */
export interface Adjustable<P> {
  readonly base: P;
  readonly overrides: readonly Override<P>[];
}

/** What a rule is about: a vendor license, or one of its features. It is read only if there are overrides. */
export interface Subject {
  readonly vendorLicense: string;
  readonly feature?: string;
}

/** The values for a subject. */
export type Lookup<P> = (subject: Subject) => P;

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
    let features = known.get(vendorLicense);
    if (features === undefined) {
      features = new Map();
      known.set(vendorLicense, features);
    }
    const values = features.get(feature) ?? find(vendorLicense, feature);
    features.set(feature, values);
    return values;
  };
}
