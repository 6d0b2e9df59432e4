/** What needs attention: one condition of a feature, a vendor license, or the site. Times are epoch seconds. */
export interface AttentionRow {
  /** Name of its rule. */
  readonly alert: string;
  /** What it means, in a few words. */
  readonly what: string;
  /** The smaller, the more urgent. */
  readonly rank: number;
  readonly severity: 'critical' | 'warning' | 'info';
  /** `undefined` for a problem that is not one of a vendor license. */
  readonly vendorLicense: string | undefined;
  readonly feature: string | undefined;
  /** One sentence. */
  readonly details: string;
  /** Since when it has been so, epoch seconds. `undefined` for what is to come. */
  readonly since: number | undefined;
  /** When something will happen that has not happened yet, epoch seconds. */
  readonly due?: number | undefined;
  /** When it alerts if it lasts, epoch seconds; `undefined` for what alerts already. */
  readonly alertsAt: number | undefined;
  readonly owner: string | undefined;
}
