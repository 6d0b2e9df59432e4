/** What can be set about the engine's rules. Durations are seconds. */

export interface Durations {
  /** Whether the rule looks at this vendor license or feature at all. */
  readonly enabled: boolean;
  /** How long the condition must hold before the alert fires. */
  readonly for: number;
  /** How long the alert goes on firing after the condition was last met. */
  readonly keepFiringFor: number;
}

/** Values that differ for the vendor licenses, and the features, that match. */
export interface Override<P> {
  readonly vendorLicense: RegExp | undefined;
  readonly feature: RegExp | undefined;
  readonly values: Partial<P>;
}

/** Values for everything, and exceptions: of several that match, the first that sets a value counts. */
export interface Adjustable<P> {
  readonly base: P;
  readonly overrides: readonly Override<P>[];
}

export interface RuleSettings {
  readonly LicenseServerDown: Adjustable<
    Durations & {
      /** A MappingIcon of GetProducts that means "down" too. */
      readonly iconPattern: RegExp | undefined;
    }
  >;
  readonly LicenseCollectionStale: Adjustable<Durations & { readonly maxAge: number }>;
  readonly LicenseExpired: Adjustable<Durations & { readonly within: number }>;
  readonly LicenseExpiringSoon: Adjustable<
    Durations & { readonly warning: number; readonly critical: number; readonly aggregate: 'none' | 'vendor_license' }
  >;
  /** Ratios, 0 to 1. */
  readonly LicenseFeatureSaturated: Adjustable<Durations & { readonly raise: number; readonly clear: number }>;
  readonly LicenseRequestsQueued: Adjustable<Durations & { readonly above: number }>;
  readonly LicenseDenials: Adjustable<Durations & { readonly above: number; readonly maxAge: number }>;
  readonly LicenseAnalyzerUnreachable: Adjustable<Durations>;
  readonly LicenseAnalyzerAuthFailing: Adjustable<Durations>;
  readonly LicensePollPartial: Adjustable<Durations>;
  /** A ratio, 0 to 1. */
  readonly LicenseRecordsDiscarded: Adjustable<Durations & { readonly share: number }>;
}

export type EngineRuleName = keyof RuleSettings;

/** Finds the values for a vendor license, and for a feature of it. */
export type Lookup<P> = (vendorLicense: string, feature: string) => P;

export function createLookup<P extends object>({ base, overrides }: Adjustable<P>): Lookup<P> {
  if (overrides.length === 0) return () => base;
  const known = new Map<string, Map<string, P>>();
  const find = (vendorLicense: string, feature: string): P => {
    const matching = overrides.filter(
      (override) => (override.vendorLicense?.test(vendorLicense) ?? true) && (override.feature?.test(feature) ?? true),
    );
    // the first one is put over the others
    return Object.assign({}, base, ...matching.map(({ values }) => values).reverse());
  };
  return (vendorLicense, feature) => {
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
