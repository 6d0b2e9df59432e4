/** Label or annotation values by name, never empty: for Alertmanager an empty value is an absent one. */
export type Labels = Readonly<Record<string, string>>;

/** Leaves out empty values. */
export function withoutEmpty(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
}

/** The labels that identify an alert. All others are the same for every alert. */
export const ownLabelNames = [
  'alertname',
  'severity',
  'vendor_license',
  'feature',
  'version',
  'package',
  'feature_type',
  'endpoint',
] as const;

/** A text that is the same for the same labels, in any order. */
export function fingerprint(labels: Labels): string {
  return JSON.stringify(ownLabelNames.map((name) => labels[name]));
}

/** A subject for which the condition of a rule is met, or not cleared yet. */
export interface Finding {
  /** With `alertname` and `severity`. */
  readonly labels: Labels;
  readonly annotations: Labels;
  /** What the condition compares, in its own unit. */
  readonly value: number;
  /** Whether the condition is met. Otherwise it is only not cleared yet: an alert keeps firing, but none begins. */
  readonly isRaised: boolean;
}

/** An alert from its first finding until fifteen minutes after it is resolved. Times are epoch seconds. */
export interface AlertState {
  /** Id of its rule. */
  readonly rule: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Of the last finding; `undefined` while its rule has not been evaluated since a restart. */
  readonly value: number | undefined;
  readonly state: 'pending' | 'firing' | 'resolved';
  /** Since when the condition is met. It moves forward by the time for which the condition was unknown. */
  readonly activeAt: number;
  readonly firedAt: number | undefined;
  /** Since when it keeps firing only because of `keepFiringFor`. */
  readonly keepFiringSince: number | undefined;
  readonly resolvedAt: number | undefined;
  /** When the condition was last known to be met or not. */
  readonly knownAt: number;
  /** Since when the condition is unknown. */
  readonly unknownSince: number | undefined;
  /** When it was last queued for sending. */
  readonly sentAt: number | undefined;
}
