/** What an alert is about, in words: docs/alerts.md shows it, and tests compare rules, engine and runbooks with it. */
interface AlertDescription {
  /** Of each rule with this name. */
  readonly severities: readonly ('critical' | 'warning')[];
  readonly condition: string;
  /** `rules` alone where it takes what only Prometheus has: history, or a view from outside. */
  readonly evaluatedBy: 'rules and engine' | 'rules';
}

/** Every alert of the product by name. Those of the engine are raised by the Prometheus rules too. */
export const alertCatalogue = {
  LicenseServerDown: {
    severities: ['critical'],
    condition: 'GetServerDown lists the vendor license: no data for 30 minutes.',
    evaluatedBy: 'rules and engine',
  },
  LicenseCollectionStale: {
    severities: ['warning'],
    condition: 'The last collection is more than 1 h old, but the server is not listed as down.',
    evaluatedBy: 'rules and engine',
  },
  LicenseExpired: {
    severities: ['critical'],
    condition: 'The license has expired, less than 14 days ago.',
    evaluatedBy: 'rules and engine',
  },
  LicenseExpiringSoon: {
    severities: ['critical', 'warning'],
    condition: 'The license expires within 7 days (critical), within 30 days (warning).',
    evaluatedBy: 'rules and engine',
  },
  LicenseFeatureSaturated: {
    severities: ['warning'],
    condition: 'At least 95 % of the licenses of a feature are in use; the engine goes on until it is below 90 %.',
    evaluatedBy: 'rules and engine',
  },
  LicenseRequestsQueued: {
    severities: ['warning'],
    condition: 'Requests for the feature are queued.',
    evaluatedBy: 'rules and engine',
  },
  LicenseDenials: {
    severities: ['warning'],
    condition: 'The newest day of GetHistory, at most 2 days old, has denials. Needs the collector `history`.',
    evaluatedBy: 'rules and engine',
  },
  LicenseCapacityDropped: {
    severities: ['warning'],
    condition: 'A feature has fewer licenses than a day ago.',
    evaluatedBy: 'rules',
  },
  LicenseExporterDown: {
    severities: ['critical'],
    condition: 'Prometheus cannot scrape the exporter.',
    evaluatedBy: 'rules',
  },
  LicenseAnalyzerUnreachable: {
    severities: ['critical'],
    condition: 'At least one endpoint gave no good answer at its last attempt.',
    evaluatedBy: 'rules and engine',
  },
  LicenseAnalyzerAuthFailing: {
    severities: ['critical'],
    condition: 'The analyzer rejected the last logon.',
    evaluatedBy: 'rules and engine',
  },
  LicensePollPartial: {
    severities: ['warning'],
    condition: 'A part of an endpoint fails, while every endpoint gives some good answer.',
    evaluatedBy: 'rules and engine',
  },
  LicenseRecordsDiscarded: {
    severities: ['warning'],
    condition: 'More than 10 % of the records in the last good answers of an endpoint could not be used.',
    evaluatedBy: 'rules and engine',
  },
  LicensePollStale: {
    severities: ['warning'],
    condition: 'An endpoint has not been polled successfully for 3 intervals.',
    evaluatedBy: 'rules',
  },
  LicenseAlertDeliveryFailing: {
    severities: ['critical'],
    condition: 'The engine cannot deliver alerts to an Alertmanager, or has dropped some.',
    evaluatedBy: 'rules',
  },
  LicenseExporterSeriesLimit: {
    severities: ['warning'],
    condition: 'Series are withheld because of `metrics.max_series`.',
    evaluatedBy: 'rules',
  },
  LicenseExporterConfigReloadFailed: {
    severities: ['warning'],
    condition: 'The last reload of the configuration failed.',
    evaluatedBy: 'rules',
  },
  LicenseExporterShardMismatch: {
    severities: ['warning'],
    condition: 'The shards of a job disagree on their number, or one is missing.',
    evaluatedBy: 'rules',
  },
} as const satisfies Record<string, AlertDescription>;
