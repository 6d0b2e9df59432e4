import { type HeldAlert, type RuleOptions, settingsOf } from './alert.ts';
import { HISTORY, ofExporters, SITE, select, VENDOR_LICENSE } from './promql.ts';
import type { RecordingRule } from './records.ts';
import { MONTH_TEXT, RUNS_OUT_LIST_TEXT } from './texts.ts';
import { enabledOf, type Selection, thresholdOf } from './thresholds.ts';

/** The alert about features whose use grows until all licenses are in use, which the engine evaluates too. */

/** Without a good pass of right-sizing for this long, it is unknown when licenses run out, seconds. */
const MAX_AGE = 2 * 86_400;
/** The alert ends when the date is farther away than this times `lead`. */
const FAR = 1.5;

const DUE = 'license:feature_runs_out_timestamp_seconds:min';

const of =
  (series: string): Selection =>
  (matchers) =>
    select(series, ...matchers);

/** Passes that are not too old. */
const RECENT = `(license_rightsizing_last_success_timestamp_seconds > time() - ${MAX_AGE})`;

/** When licenses run out that an alert can be about, and where right-sizing is up to date. */
export function forecastRecords(options: RuleOptions): readonly RecordingRule[] {
  const settings = settingsOf(options, 'LicenseRunsOut');
  const runsOut = of('license_feature_runs_out_timestamp_seconds');
  return [
    {
      record: DUE,
      // the pass of last night can name a vendor license that is gone since then
      expr: `${ofExporters(
        'min',
        HISTORY,
        `((${enabledOf(settings, runsOut)} <= time() + ${FAR} * ${thresholdOf(settings, 'lead', runsOut)}) and on (job, instance) ${RECENT})`,
      )}
and on (${VENDOR_LICENSE}) license:vendor_license:listed`,
    },
    {
      record: 'license:rightsizing_last_success_timestamp_seconds:max',
      expr: ofExporters('max', SITE, RECENT),
    },
  ];
}

const MEANING =
  'From then on, every fourth week is expected to have a moment with all licenses in use. Order more licenses in time, or find out why the use grows.';

export function runsOut(options: RuleOptions): HeldAlert {
  const settings = settingsOf(options, 'LicenseRunsOut');
  const isPerFeature = settings.base.aggregate === 'none';
  const labels = isPerFeature ? HISTORY : VENDOR_LICENSE;
  return {
    alert: 'LicenseRunsOut',
    severity: 'warning',
    data: 'rightsizing',
    isEngines: true,
    // one that fires stays until the date is far enough
    condition: `${isPerFeature ? DUE : `min by (${VENDOR_LICENSE}) (${DUE})`}
and on (${labels}) (
  ${DUE} <= time() + ${thresholdOf(settings, 'lead', of(DUE))}
  or on (${labels})
  ALERTS{alertname="LicenseRunsOut", alertstate="firing"}
)`,
    ...(isPerFeature
      ? {
          summary: `{{ $labels.feature }}{{ if $labels.package }} (package {{ $labels.package }}){{ end }} of {{ $labels.vendor_license }} is expected to run out of licenses about ${MONTH_TEXT}.`,
          description: MEANING,
        }
      : {
          summary: `Features of {{ $labels.vendor_license }} are expected to run out of licenses, the first about ${MONTH_TEXT}.`,
          description: `${RUNS_OUT_LIST_TEXT}${MEANING}`,
        }),
  };
}
