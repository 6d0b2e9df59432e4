/** Label or annotation values by name. Empty values are never in it: Alertmanager takes them for absent. */
export type Labels = Readonly<Record<string, string>>;

/** Leaves out what is empty. */
export function withoutEmpty(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
}

/** The labels that alerts are told apart by; what else is sent with them is the same for all. */
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

/** The same text for the same labels, whatever their order. */
export function fingerprint(labels: Labels): string {
  return JSON.stringify(ownLabelNames.map((name) => labels[name]));
}

/** Something a rule sees in the data: an alert in the making. */
export interface Finding {
  /** With `alertname` and `severity`. */
  readonly labels: Labels;
  readonly annotations: Labels;
  /** What the condition is about, in its own unit. */
  readonly value: number;
  /** Whether the condition is met. Otherwise it is only not cleared yet: what fires goes on, nothing new begins. */
  readonly isRaised: boolean;
}

/** A finding whose condition is met. */
export const raised = (labels: Labels, annotations: Labels, value = 0): Finding => ({
  labels,
  annotations,
  value,
  isRaised: true,
});

/** An alert from its first finding to fifteen minutes after its end. Times are epoch seconds. */
export interface AlertState {
  /** Id of the rule it comes from. */
  readonly rule: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly value: number;
  readonly state: 'pending' | 'firing' | 'resolved';
  /** Since when the condition holds. Time in which it was not known does not count: it is moved on by that. */
  readonly activeAt: number;
  readonly firedAt: number | undefined;
  /** Since when it fires only because of `keepFiringFor`. */
  readonly keepFiringSince: number | undefined;
  readonly resolvedAt: number | undefined;
  /** When the condition was last known to hold or not to hold. */
  readonly knownAt: number;
  /** Since when it is not known. */
  readonly unknownSince: number | undefined;
  /** When it was last handed over for delivery. */
  readonly sentAt: number | undefined;
}
