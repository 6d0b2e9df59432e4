import { type HeldAlert, type PlainAlert, type RuleOptions, settingsOf } from './alert.ts';
import { EMPTY } from './analyzer-alerts.ts';
import {
  durationOf,
  FEATURE,
  FEATURE_NAME,
  ofExporters,
  ofReplicas,
  SITE,
  select,
  UNCOUNTED,
  VENDOR_LICENSE,
} from './promql.ts';
import { KNOWN, listedRecord, type RecordingRule } from './records.ts';
import { TIME_TEXT } from './texts.ts';
import { chosenBy, enabledOf, isEnabled, type Selection, thresholdOf, valuesOf } from './thresholds.ts';

/** Alerts about what is missing. They need the past, so only Prometheus can evaluate them. */

/** Without the shard: a vendor license can move to another one. */
const anyShard = (labels: string): string => labels.replace(SITE, 'analyzer');

/** A part of the inventory: a vendor license or a feature name. */
interface Part {
  readonly alert: string;
  readonly record: string;
  /** Its labels. */
  readonly labels: string;
  /** Its series while it exists, with owners. */
  readonly present: string;
  /**
   * What must be true for a part that is missing to be gone. It does not read what the other group records: that can be older
   * than the series that are missing, and what is missing once is remembered.
   */
  readonly isKnown: string;
}

const parts: readonly Part[] = [
  {
    alert: 'LicenseVendorLicenseVanished',
    record: 'license:vendor_license:vanished',
    labels: VENDOR_LICENSE,
    present: 'license:vendor_license:listed',
    isKnown: `and on (${SITE}) (${KNOWN}) == 1
unless on (${SITE}) (${EMPTY})`,
  },
  {
    alert: 'LicenseFeatureVanished',
    record: 'license:feature:vanished',
    labels: FEATURE_NAME,
    present: 'license:feature:listed',
    // a server that is down, or a vendor license that is gone, explains its features
    isKnown: `and on (${VENDOR_LICENSE}) (
  ${ofExporters('max', VENDOR_LICENSE, 'license_vendor_license_data_known{data="features"}')}
  or on (${VENDOR_LICENSE})
  group by (${VENDOR_LICENSE}) (${ofReplicas('max', FEATURE_NAME, 'license_feature_max_available', 'usage')})
) == 1
unless on (${VENDOR_LICENSE}) ${ofReplicas('min', VENDOR_LICENSE, 'license_server_up', 'server')} == 0
unless on (${SITE}) ${ofExporters('max', SITE, 'license_exporter_series_limit_exceeded')} == 1`,
  },
];

/**
 * The time at which a part was missed first. It is remembered until the part is back or the alert ends. The past is read at three
 * points, so that what is lost while no exporter runs is missed too.
 */
const vanished = (options: RuleOptions, { alert, record, labels, present, isKnown }: Part): RecordingRule => {
  const settings = settingsOf(options, alert);
  const remembered = chosenBy(settings, 'within', (within: number, matchers) => {
    const known = select(record, ...matchers);
    return `(last_over_time(${known}[1h]) > time() - ${within})`;
  });
  const shortest = Math.min(...valuesOf(settings, 'within').map(Number));
  // a point before the end of the alert would raise it again
  const points = [600, 3600, 6 * 3600].filter((seconds) => seconds < shortest);
  const past = `(${points.map((seconds) => `${present} offset ${durationOf(seconds)}`).join(' or ')})`;
  return {
    record,
    expr: `(
  ${remembered}
  or on (${labels})
  (
    ${past} * 0 + time()
    ${isKnown.replaceAll('\n', '\n    ')}
  )
)
unless on (${anyShard(labels)}) ${present}`,
  };
};

/** The number of licenses of a day ago is the lowest of these three hours. */
const A_DAY_AGO = '[3h] offset 1350m';
const total = 'license:feature_max_available:sum';
const missing = 'license:feature_max_available:missing';

/** The labels of one feature in the metrics of one exporter, but for its version. */
const NUMBERED = 'job, instance, vendor_license, feature, version, package, feature_type';

/** Numbers of licenses, over all versions of a feature, and which of them are missing. */
const capacityRecords: readonly RecordingRule[] = [
  {
    record: 'license:feature_max_available:unknown',
    expr: ofReplicas(
      'max',
      FEATURE_NAME,
      // features that only GetExpirationFeatures lists have neither number
      `((license_feature_info{license_type!="uncounted"} and on (${NUMBERED}) license_feature_in_use) unless on (${NUMBERED}) license_feature_max_available)`,
      'usage',
    ),
  },
  {
    // not while the number of one version is unknown, or one is uncounted
    record: total,
    expr: `sum by (${FEATURE_NAME}) (${ofReplicas('max', FEATURE, 'license_feature_max_available', 'usage')})
unless on (${FEATURE_NAME}) license:feature_max_available:unknown
unless on (${FEATURE_NAME}) ${ofReplicas('max', FEATURE_NAME, select('license_feature_info', UNCOUNTED), 'usage')}`,
  },
  { record: missing, expr: `(min_over_time(${total}${A_DAY_AGO}) - ${total}) > 0` },
];

/** What is read by the alerts about what is missing. */
export const pastRecords = (options: RuleOptions): readonly RecordingRule[] => [
  listedRecord(options.owners),
  ...parts.filter(({ alert }) => isEnabled(settingsOf(options, alert))).map((part) => vanished(options, part)),
  ...capacityRecords,
];

export function capacityDropped(options: RuleOptions): HeldAlert {
  const settings = settingsOf(options, 'LicenseCapacityDropped');
  const lost: Selection = (matchers) => select(missing, ...matchers);
  return {
    alert: 'LicenseCapacityDropped',
    severity: 'warning',
    data: 'features',
    isEngines: false,
    // a server that is down explains it
    condition: `${enabledOf(settings, lost)} >= ${thresholdOf(settings, 'licenses', lost)}
and ${missing} >= ${thresholdOf(settings, 'ratio', lost)} * (${missing} + ${total})
unless on (${VENDOR_LICENSE}) license:server_up:min == 0`,
    summary:
      'There are fewer licenses of {{ $labels.feature }} of {{ $labels.vendor_license }} than a day ago: {{ $value }} are missing.',
    description:
      'Licenses expired, a license file changed, or a redundant server is missing. Compare the license file with that of the day before. The alert resolves a day after the drop.',
  };
}

/** The series of a record for which an alert is enabled. */
const enabled =
  (options: RuleOptions, alert: string, record: string): Selection =>
  (matchers) =>
    enabledOf(settingsOf(options, alert), (more) => select(record, ...matchers, ...more));

const ENDS = 'The alert resolves when it is back, or after a day';

/** The alerts that read the past. */
export const pastAlerts: ReadonlySet<string> = new Set(parts.map(({ alert }) => alert));

export const vanishedAlerts = (options: RuleOptions): readonly PlainAlert[] => [
  {
    alert: 'LicenseVendorLicenseVanished',
    severity: 'warning',
    selection: enabled(options, 'LicenseVendorLicenseVanished', 'license:vendor_license:vanished'),
    summary: 'The analyzer no longer lists {{ $labels.vendor_license }}.',
    description: `It was missed first at ${TIME_TEXT}. Its server is no longer monitored. Check the configuration of the analyzer. ${ENDS}, so silence it if the vendor license was removed on purpose.`,
  },
  {
    alert: 'LicenseFeatureVanished',
    severity: 'warning',
    selection: enabled(options, 'LicenseFeatureVanished', 'license:feature:vanished'),
    summary: 'The analyzer no longer lists {{ $labels.feature }} of {{ $labels.vendor_license }}.',
    description: `It was missed first at ${TIME_TEXT}. Users may be denied it. Compare the license file with that of the day before. ${ENDS}, so silence it if the feature was removed on purpose.`,
  },
];
