/**
 * The labels that identify an alert, stated once: the engine compares them, `/metrics` and the rules for Prometheus carry them, and
 * no setting can add one of the same name. A label that is missing here would merge alerts.
 */
export const identityLabels = [
  'alertname',
  'severity',
  'vendor_license',
  'feature',
  'version',
  'package',
  'feature_type',
  'expires',
  'endpoint',
  'field',
  'license_source',
  'manager',
] as const;

/** Which analyzer, and for alerts about the polls of a daemon which shard of it. */
export const scopeLabels = ['analyzer', 'shard'] as const;
