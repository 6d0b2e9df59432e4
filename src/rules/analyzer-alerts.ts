import { type HeldAlert, type RuleOptions, settingsOf } from './alert.ts';
import { ofExporters, ofReplicas, ofSources, SITE, SOURCE } from './promql.ts';
import { ANALYZER_TEXT, SERVERS_TEXT } from './texts.ts';

/** Alerts about polling the analyzer, and about the sources of the embedded one, which the engine evaluates too. */

const SERVERS = 'license_source_member_up';

const sourceDown = (options: RuleOptions): HeldAlert => {
  const { base } = settingsOf(options, 'LicenseSourceDown');
  const failed = `(license:source_failed_readings:max >= ${Number(base.readings)})`;
  return {
    alert: 'LicenseSourceDown',
    severity: 'critical',
    data: 'source',
    isEngines: true,
    condition: `${ofSources('max', `${SOURCE}, vendor_license`, 'license_source_vendor_license_info')}
* on (${SOURCE}) group_left () ${failed}
or on (${SOURCE})
${failed}`,
    summary: `{{ $labels.license_source }} cannot be read{{ if $labels.vendor_license }}: {{ $labels.vendor_license }}{{ end }}.`,
    description:
      'The last {{ $value }} readings of this source ({{ $labels.manager }}) failed, or its license server or a vendor daemon is down. The page /sources of the analyzer shows what is wrong and what to do.',
  };
};

const redundancyLost: HeldAlert = {
  alert: 'LicenseRedundancyLost',
  severity: 'warning',
  data: 'source',
  isEngines: true,
  // the value is the number of servers that answer
  condition: `${ofSources('count', SOURCE, `(${SERVERS} == 1)`)}
and on (${SOURCE}) ${ofSources('count', SOURCE, `(${SERVERS} == 0)`)}
and on (${SOURCE}) license:source_failed_readings:max == 0`,
  summary: `{{ $value }} of ${SERVERS_TEXT} servers of {{ $labels.license_source }} answer.`,
  description:
    'If one more of its redundant servers fails, the licenses of this source may no longer be available. The page /sources of the analyzer shows which server is missing.',
};

const historyNotRecorded = (options: RuleOptions): HeldAlert => {
  const { base } = settingsOf(options, 'LicenseHistoryNotRecorded');
  const newest = '(license_history_last_sample_timestamp_seconds or license_history_recording_start_timestamp_seconds)';
  const limit = `clamp_min(3 * license_history_sample_interval_seconds, ${Number(base.silence)})`;
  return {
    alert: 'LicenseHistoryNotRecorded',
    severity: 'warning',
    data: 'source',
    isEngines: true,
    condition: ofExporters(
      'max',
      SITE,
      `(\n    (license_exporter_time_seconds - on (job, instance) ${newest})\n    > on (job, instance) ${limit}\n  )`,
    ),
    summary: `The history of ${ANALYZER_TEXT} has not been recorded for {{ $value | humanizeDuration }}.`,
    description:
      'What is not recorded now is missing from charts and from advice permanently. The page /sources of the analyzer shows the reason. Check the disk of storage.path and embedded_analyzer.store_max_size.',
  };
};

/** Endpoints of exporters whose last poll was not good. */
const failing = `${ofExporters('max', `${SITE}, endpoint`, '(license_poll_success == bool 0)')} == 1`;
/** Endpoints whose list has unusable records. */
const incomplete = `${ofExporters('max', `${SITE}, endpoint`, 'license_poll_incomplete')} == 1`;
const unreachable = `license:up:max == 0`;
const rejected = `license:authenticated:min == 0`;

/** The last answer listed no vendor license. An exporter that cannot poll keeps the number of its last answer. */
const emptyAnswer = `${ofReplicas('max', SITE, 'license_poll_records{endpoint="GetProducts"}', 'collection')} == 0`;
const answers = `${ofExporters('max', SITE, 'license_poll_success{endpoint="GetProducts"}')} == 1`;

/** Analyzers that answer, and list no vendor license. */
export const EMPTY = `${emptyAnswer}
and on (${SITE}) ${answers}`;

const productsEmpty: HeldAlert = {
  alert: 'LicenseProductsEmpty',
  severity: 'critical',
  data: 'poll',
  isEngines: true,
  condition: `${emptyAnswer}
and on (${SITE}) (
  ${answers}
  or on (${SITE}) ALERTS{alertname="LicenseProductsEmpty"}
)`,
  summary: `GetProducts of ${ANALYZER_TEXT} is empty.`,
  description:
    'The analyzer answers, but it lists no vendor license, so nothing is monitored. Check whether its configuration or its database was replaced, and whether the account may see the vendor licenses.',
};

const analyzerUnreachable: HeldAlert = {
  alert: 'LicenseAnalyzerUnreachable',
  severity: 'critical',
  data: 'poll',
  isEngines: true,
  // a rejected logon explains it
  condition: `${unreachable}\nunless on (${SITE}) ${rejected}`,
  summary: `The ${ANALYZER_TEXT} cannot be polled.`,
  description:
    'At least one endpoint gave no good answer at its last attempt (license_poll_success). Until the analyzer answers, there is no new data about any license server. Check the analyzer and the network path to it. "license-exporter doctor" shows what each endpoint answers.',
};

const authFailing: HeldAlert = {
  alert: 'LicenseAnalyzerAuthFailing',
  severity: 'critical',
  data: 'poll',
  isEngines: true,
  condition: rejected,
  summary: `The ${ANALYZER_TEXT} rejects the logon.`,
  description:
    'The password is wrong or has expired, the account is locked, or a reverse proxy does not keep one connection for each client. Correct the credentials or the proxy. The next logon is sent at license_upstream_auth_retry_timestamp_seconds, or as soon as the credentials change.',
};

const pollPartial: HeldAlert = {
  alert: 'LicensePollPartial',
  severity: 'warning',
  data: 'poll',
  isEngines: true,
  condition: `(${failing}\nor on (${SITE}, endpoint)\n${incomplete})\nunless on (${SITE}) (${unreachable})\nunless on (${SITE}) (${rejected})`,
  summary: `Only a part of {{ $labels.endpoint }} of ${ANALYZER_TEXT} can be polled.`,
  description:
    'At least one vendor license cannot be polled despite retries, or one of several exporters cannot poll this endpoint. Data that is not polled ages out. The log names the vendor license and the reason. Or a list has unusable records (license_poll_incomplete is 1): what it lacks is not known.',
};

const fieldMissing: HeldAlert = {
  alert: 'LicenseFieldMissing',
  severity: 'warning',
  data: 'poll',
  isEngines: true,
  condition: `${ofExporters('max', `${SITE}, endpoint, field`, 'license_poll_field_missing')} == 1`,
  summary: `The field {{ $labels.field }} of {{ $labels.endpoint }} of ${ANALYZER_TEXT} is missing.`,
  description:
    'No record of at least one vendor license has it now. What it says is not known. Alerts about this data do not end, and begin only where the values that they compare are there. Check whether the analyzer was updated, or a proxy changes its answers. If the analyzer does not have this field, add {{ $labels.endpoint }}.{{ $labels.field }} to analyzer.absent_fields.',
};

const recordsDiscarded = (options: RuleOptions): HeldAlert => {
  const { base } = settingsOf(options, 'LicenseRecordsDiscarded');
  const bad = 'license_poll_discarded_values{reason="bad_record"}';
  const share = `(${bad} / ignoring (reason) (${bad} + ignoring (reason) license_poll_records))`;
  return {
    alert: 'LicenseRecordsDiscarded',
    severity: 'warning',
    data: 'poll',
    isEngines: true,
    condition: `${ofExporters('max', `${SITE}, endpoint`, share)} > ${Number(base.share)}`,
    summary: `{{ $value | humanizePercentage }} of the records of {{ $labels.endpoint }} are discarded.`,
    description:
      'These records are not objects or have no name. Vendor licenses or features are missing from the metrics. Run "license-exporter doctor" to compare the answers with the specification.',
  };
};

export const analyzerAlerts = (options: RuleOptions): readonly HeldAlert[] => [
  sourceDown(options),
  redundancyLost,
  historyNotRecorded(options),
  productsEmpty,
  analyzerUnreachable,
  authFailing,
  pollPartial,
  fieldMissing,
  recordsDiscarded(options),
];

/** Analyzers whose polls another alert explains. */
export const EXPLAINED = `(${unreachable} or ${rejected})`;
