/** Who acts on a vendor license or a feature: labels such as `owner`, `team` and `site`. */
export interface Owners {
  /** The names of all labels, `owner` first. */
  readonly names: readonly string[];
  /** The labels of a vendor license, or of one of its features. A label without a value is left out. */
  of(vendorLicense: string, feature?: string): Readonly<Record<string, string>>;
}

/** Nobody is named. */
export const noOwners: Owners = { names: ['owner'], of: () => ({}) };
