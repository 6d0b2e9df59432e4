/** A feature that an alert is about. Times are epoch seconds. */
export interface AttentionMember {
  /** `undefined` for one that was restored without its feature. */
  readonly feature: string | undefined;
  /** Its name with version and package, and its figure: `base 1.0 (2 wait)`. */
  readonly text: string;
  /** When something happens that has not happened yet: `in 25m`; `undefined` for what is so already. */
  readonly when: string | undefined;
  /** One sentence. */
  readonly details: string;
  /** See `AttentionRow`. */
  readonly noticed: number;
  readonly since: number | undefined;
  readonly due: number | undefined;
  readonly alertsAt: number | undefined;
}

/** What needs attention: one alert, as it is counted and sent. Times are epoch seconds. */
export interface AttentionRow {
  /** Name of its rule. */
  readonly alert: string;
  /** What it means, in a few words. */
  readonly what: string;
  /** The smaller, the more urgent. */
  readonly rank: number;
  readonly severity: 'critical' | 'warning' | 'info';
  /** A pending one fires if it lasts. */
  readonly state: 'firing' | 'pending';
  /** `undefined` for a problem that is not one of a vendor license. */
  readonly vendorLicense: string | undefined;
  /** The source or the endpoint that it is about; `undefined` for a problem of the whole site. */
  readonly part: string | undefined;
  /** One sentence. */
  readonly details: string;
  /** Since when this program has seen it. */
  readonly noticed: number;
  /** Since when it has been so, as far as the data says; else since when it was noticed. `undefined` for what is to come. */
  readonly since: number | undefined;
  /** When something will happen that has not happened yet. */
  readonly due: number | undefined;
  /** When it fires if it lasts; `undefined` for what fires, and while its condition is not known. */
  readonly alertsAt: number | undefined;
  readonly owner: string | undefined;
  /** Its features, the worst first; none if it is about something else. */
  readonly members: readonly AttentionMember[];
}
