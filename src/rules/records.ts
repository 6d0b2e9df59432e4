import {
  either,
  FEATURE,
  FEATURE_NAME,
  HISTORY,
  ofExporters,
  ofReplicas,
  ofSources,
  SITE,
  SOURCE,
  select,
  UNCOUNTED,
  VENDOR_LICENSE,
} from './promql.ts';

/** A recording rule. */
export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const IN_USE = 'license_feature_in_use';
const AVAILABLE = 'license_feature_max_available';
const QUEUED = 'license_feature_max_queued';
const EXPIRATION = 'license_feature_expiration_timestamp_seconds';

/** The polls that decide whether a replica is trusted, by the value of `data`. */
const polls = {
  collection: '{endpoint="GetProducts"}',
  server: '{endpoint="GetServerDown"}',
  usage: '{endpoint="GetFeatures"}',
  expirations: '{endpoint=~"GetFeatures|GetExpirationFeatures"}',
};

/** Replicas whose poll is good. If no replica of an analyzer and shard has a good poll, those whose poll is not good. */
const trusted = (endpoints: string): string => {
  const success = `min by (job, instance) (license_poll_success${endpoints})`;
  const replicas = (comparison: string) =>
    `(${success} ${comparison}) * on (job, instance) group_left (${SITE}) license:exporter:info`;
  // an exporter of an earlier version may not have this poll
  return `${replicas('== 1')}\nor on (${SITE})\n${replicas('== bool 0')}\nor on (${SITE})\nlicense:exporter:info`;
};

/** One series for each combination of labels: that of the replica whose configuration is the newest. */
const newest = (labels: string, owners: readonly string[], metric: string, data: string): string => {
  const all = [labels, ...owners].join(', ');
  return `topk by (${labels}) (1, max by (${all}) (
  ${metric} * on (job, instance) group_left (${SITE})
  (license:exporter:configured and on (job, instance) license:exporter:trusted{data="${data}"})
))`;
};

/** Whether the vendor licenses are known. Earlier versions do not say: they are, if the analyzer can be polled. */
export const KNOWN = either(
  ofExporters('max', SITE, 'license_data_known{data="vendor_licenses"}'),
  ofExporters('max', SITE, 'license_up'),
  `max by (${SITE}) (license:exporter:info)`,
);

/** Metrics by which an exporter is found that has no info metric. */
const seriesOfEarlierVersions = [
  'license_exporter_build_info',
  'license_up',
  'license_poll_success',
  'license_server_up',
  AVAILABLE,
  QUEUED,
  EXPIRATION,
];

/** Which exporters there are, what they know, and who owns what. @param owners label names of owners */
export const identityRecords = (owners: readonly string[]): readonly RecordingRule[] => [
  {
    // earlier versions have no info metric: all of their exporters are taken for those of one analyzer without a name
    record: 'license:exporter:info',
    expr: `max by (job, instance, ${SITE}) (license_exporter_analyzer_info)
or on (job, instance)
group by (job, instance) ({__name__=~"${seriesOfEarlierVersions.join('|')}"})`,
  },
  {
    record: 'license:exporter:configured',
    expr: `license_exporter_config_last_reload_success_timestamp_seconds
  * on (job, instance) group_left (${SITE}) license:exporter:info
or on (job, instance)
license:exporter:info`,
  },
  ...Object.entries(polls).map(([data, endpoints]) => ({
    record: 'license:exporter:trusted',
    expr: trusted(endpoints),
    labels: { data },
  })),
  { record: 'license:known', expr: KNOWN },
  {
    record: 'license:vendor_license:known',
    expr: ofExporters('max', `${VENDOR_LICENSE}, data`, 'license_vendor_license_data_known'),
  },
  {
    record: 'license:alerting_active',
    expr: ofExporters('max', `${SITE}, alertname`, 'license_exporter_alerting_active'),
  },
  {
    // earlier versions have no info metric
    record: 'license:vendor_license:listed',
    expr: `${newest(VENDOR_LICENSE, owners, 'license_vendor_license_info', 'collection')}
or on (${SITE})
${ofReplicas('max', VENDOR_LICENSE, 'license_server_up', 'server')} * 0`,
  },
  {
    // remembered while it has no info, for an hour after it was listed, so that the labels of its alerts do not change
    record: 'license:vendor_license:owner',
    expr: `license:vendor_license:listed > 0
or on (${VENDOR_LICENSE})
topk by (${VENDOR_LICENSE}) (1, last_over_time(license:vendor_license:owner[1h]) and on (${VENDOR_LICENSE}) license:vendor_license:listed)
or on (${VENDOR_LICENSE})
topk by (${VENDOR_LICENSE}) (1, last_over_time(license:vendor_license:listed[1h]))`,
  },
];

/** The features that are reported, by GetFeatures or only by GetExpirationFeatures. */
const REPORTED = '(license_feature_info or license_feature_expiration_info)';

/**
 * Who owns the features with a condition. Remembered while they are not reported, so that the labels of alerts do not change: as
 * long as they have a condition, and for an hour after they were listed.
 */
const featureOwner = (owners: readonly string[]): RecordingRule => ({
  record: 'license:feature:owner',
  expr: `${newest(FEATURE_NAME, owners, `(${REPORTED} and on (vendor_license, feature) license:condition)`, 'usage')}
or on (${FEATURE_NAME})
topk by (${FEATURE_NAME}) (1, last_over_time(license:feature:owner[1h]) and on (${FEATURE_NAME}) license:condition)
or on (${FEATURE_NAME})
topk by (${FEATURE_NAME}) (1, last_over_time(license:feature:listed[1h]) and on (${FEATURE_NAME}) license:condition)`,
});

/** The features that are listed, with their owners. */
export const listedRecord = (owners: readonly string[]): RecordingRule => ({
  record: 'license:feature:listed',
  expr: `${newest(FEATURE_NAME, owners, 'license_feature_info', 'usage')}
or on (${SITE})
${ofReplicas('max', FEATURE_NAME, AVAILABLE, 'usage')} * 0`,
});

/** The labels of a feature in the metrics of one exporter. */
const RAW_FEATURE = 'job, instance, vendor_license, feature, version, package, feature_type';

/** Features of which one of the values is known, but not what is needed. */
const incomplete = (value: string, known: readonly string[], needed: string): RecordingRule => ({
  record: 'license:feature:incomplete',
  expr: ofReplicas(
    'max',
    FEATURE,
    `((${known.join(` or on (${RAW_FEATURE}) `)}) unless on (${RAW_FEATURE}) (${needed}))`,
    'usage',
  ),
  labels: { value },
});

/** The share in use is known, or there can be none. */
const HAS_SHARE = `${IN_USE} and on (${RAW_FEATURE}) ${AVAILABLE} or on (${RAW_FEATURE}) ${select('license_feature_info', UNCOUNTED)}`;

/** The values that alerts compare, one series for each part of an analyzer and shard. @param farthest seconds to the farthest expiry that an alert is about */
export const valueRecords = (farthest: number): readonly RecordingRule[] => [
  incomplete('use', [IN_USE, AVAILABLE, QUEUED], HAS_SHARE),
  incomplete('queue', [IN_USE, AVAILABLE], QUEUED),
  incomplete('expiration', ['license_feature_info'], EXPIRATION),
  { record: 'license:server_up:min', expr: ofReplicas('min', VENDOR_LICENSE, 'license_server_up', 'server') },
  {
    record: 'license:last_collection_timestamp_seconds:max',
    expr: ofReplicas('max', VENDOR_LICENSE, 'license_vendor_license_last_collection_timestamp_seconds', 'collection'),
  },
  {
    record: 'license:feature_max_queued:max',
    expr: ofReplicas('max', FEATURE, '(license_feature_max_queued > 0)', 'usage'),
  },
  {
    record: 'license:feature_history_denials:max',
    expr: ofExporters('max', HISTORY, 'license_feature_history_denials'),
  },
  {
    record: 'license:feature_history_timestamp_seconds:max',
    expr: ofExporters('max', HISTORY, 'license_feature_history_timestamp_seconds'),
  },
  {
    record: 'license:feature_expiration_timestamp_seconds:max',
    expr: ofReplicas(
      'max',
      FEATURE,
      `(license_feature_expiration_timestamp_seconds < time() + ${farthest})`,
      'expirations',
    ),
  },
];

/** State of polling and of the sources of the embedded analyzer, over all replicas. */
export const stateRecords: readonly RecordingRule[] = [
  { record: 'license:series_limit:max', expr: ofExporters('max', SITE, 'license_exporter_series_limit_exceeded') },
  { record: 'license:up:max', expr: ofExporters('max', SITE, 'license_up') },
  {
    record: 'license:authenticated:min',
    expr: ofExporters('min', SITE, 'license_upstream_authenticated'),
  },
  {
    record: 'license:source_failed_readings:max',
    expr: ofSources('max', SOURCE, 'license_source_failed_readings'),
  },
];

/** Conditions become findings with owners; findings are kept while their data is unknown. @param owners label names of owners */
export function findingRecords(owners: readonly string[], unknownHold: string): readonly RecordingRule[] {
  const left = `group_left (${owners.join(', ')})`;
  const ignoring = `ignoring (${owners.join(', ')})`;
  return [
    featureOwner(owners),
    {
      // the owner of the feature, else of the vendor license; without an owner the finding is kept too
      record: 'license:finding',
      expr: `license:condition * on (${FEATURE_NAME}) ${left} (license:feature:owner >= bool 0)
or ${ignoring}
license:condition * on (${VENDOR_LICENSE}) ${left} (license:vendor_license:owner >= bool 0)
or ${ignoring}
license:condition`,
    },
    {
      // a failed scrape does not set back the clock of a pending alert
      record: 'license:latched',
      expr: `last_over_time(license:finding[${unknownHold}])
and ignoring (alertstate, data)
ALERTS{alertname=~"License.*", alertstate="firing"}
or
last_over_time(license:finding[3m])
and ignoring (alertstate, data)
ALERTS{alertname=~"License.*", alertstate="pending"}`,
    },
    { record: 'license:held', expr: held },
  ];
}

const latched = (...matchers: readonly string[]): string => select('license:latched', ...matchers);

const without = (matcher: string, value: string): string =>
  `${latched(matcher)} and on (${FEATURE}) license:feature:incomplete{value="${value}"}`;

/** Why the condition of a firing alert is unknown. What is known to be gone is in none of these. */
const held = either(
  // nothing is known: the exporter is gone, or has just been started
  `${latched('data=~"server|collection|usage|features|expirations|rightsizing"')}
unless on (${SITE}) license:known == 1
unless on (${VENDOR_LICENSE}, data) license:vendor_license:known == 1`,
  // this part is not known
  `${latched()} and on (${VENDOR_LICENSE}, data) license:vendor_license:known == 0`,
  // it takes two polls to know that a collection is stale
  `${latched('data="collection"')} and on (${VENDOR_LICENSE}) license:vendor_license:known{data="server"} == 0`,
  // the feature is reported without the value
  without('alertname="LicenseFeatureSaturated"', 'use'),
  without('alertname="LicenseRequestsQueued"', 'queue'),
  without('data="expirations"', 'expiration'),
  `${latched('data="features"')} and on (${FEATURE_NAME}) license:feature_max_available:unknown`,
  // series of features are withheld
  `${latched('data=~"usage|features|expirations|rightsizing"')} and on (${SITE}) license:series_limit:max == 1`,
  // the analyzer has no history of the feature
  `${latched('data="history"')}
unless on (${HISTORY}) license:feature_history_denials:max`,
  // no good pass of right-sizing for two days, or none yet
  `${latched('data="rightsizing"')}
unless on (${SITE}) license:rightsizing_last_success_timestamp_seconds:max`,
  // the exporter is gone, or has not polled yet
  `${latched('data="poll"')} unless on (${SITE}) license:up:max`,
  // the exporter is gone
  `${latched('data="source"')} unless on (analyzer) license:exporter:info`,
  // before its first verdict on a logon
  `${latched('alertname="LicenseAnalyzerAuthFailing"')} unless on (${SITE}) license:authenticated:min`,
  // the source is configured, and has not been read yet
  `${latched('data="source"')}
and on (analyzer, license_source) ${ofSources('max', SOURCE, 'license_source_contradictions_total')}
unless on (analyzer, license_source) license:source_failed_readings:max`,
  // it has just been started, and has recorded nothing yet
  `${latched('alertname="LicenseHistoryNotRecorded"')}
and on (${SITE}) ${ofExporters('max', SITE, 'license_history_recording_start_timestamp_seconds')}
unless on (${SITE}) ${ofExporters('max', SITE, 'license_history_last_sample_timestamp_seconds')}`,
  // the count starts again with the exporter; only a complete reading ends it
  `${latched('alertname="LicenseSourceDown"')} and on (${SOURCE}) license:source_failed_readings:max > 0`,
  `${latched('alertname="LicenseRedundancyLost"')}
and on (${SOURCE}) license:source_failed_readings:max > 0
unless on (${SOURCE}) license:condition{alertname="LicenseSourceDown"}`,
);
