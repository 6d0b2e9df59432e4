import type { z } from 'zod';
import { type FeatureEntry, featureSchema, type VendorLicenseEntry, vendorLicenseSchema } from './document.ts';
import { plainText } from './document-text.ts';

/** Rules of the observation document that are about several keys of an object, or several elements of a list. */

/** What a schema cannot say about an object. */
export interface Rules {
  /** What is wrong with an object whose own keys are right, one sentence each. */
  readonly problemsOf: (value: never) => readonly string[];
  /** Two elements of a list must not have the same key. */
  readonly keyOf: (value: never) => string;
  /** What they have in common. */
  readonly key: string;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The names of a vendor license, without the blanks around them. */
export function namesOf(
  { server, daemon, part }: VendorLicenseEntry,
  defaultPart: string,
): { readonly server: string; readonly daemon: string; readonly part: string } {
  return { server: plainText(server), daemon: plainText(daemon), part: plainText(part ?? defaultPart) };
}

/** What makes a feature another one: parts of one feature are its increments. */
export function featureKey(feature: FeatureEntry): string {
  const { token } = feature;
  const tokens = typeof token === 'object' && token !== null ? [token.pool, plainText(token.source)] : token;
  const { feature_type: featureType, license_type: licenseType, license_model: model } = feature;
  const names = [feature.feature, feature.version, feature.package].map(plainText);
  return JSON.stringify([...names, featureType ?? 'feature', licenseType ?? '', model ?? '', tokens ?? '']);
}

const featureRules: Rules = {
  problemsOf: (feature: FeatureEntry) => {
    const problems: string[] = [];
    if (isGiven(feature.increments) && (isGiven(feature.count) || isGiven(feature.expires))) {
      problems.push('has increments beside count or expires: move both into the increments');
    }
    if (isGiven(feature.denials) && isGiven(feature.denials_total)) {
      problems.push('has both denials and denials_total: leave one out');
    }
    return problems;
  },
  keyOf: featureKey,
  key: 'feature, version, package, types and token pool',
};

const vendorLicenseRules: Rules = {
  problemsOf: (license: VendorLicenseEntry) =>
    license.reachable !== false && !isGiven(license.features)
      ? ['has no features: list them, or write reachable false if the server does not answer']
      : [],
  // without a part it has that of the source, which is the same for all
  keyOf: (license: VendorLicenseEntry) => {
    const { server, daemon, part } = namesOf(license, '');
    return JSON.stringify([server, daemon, part]);
  },
  key: 'server, daemon and part',
};

/** The rules of objects, by their schema. */
export const rules: ReadonlyMap<z.ZodType, Rules> = new Map<z.ZodType, Rules>([
  [featureSchema, featureRules],
  [vendorLicenseSchema, vendorLicenseRules],
]);
