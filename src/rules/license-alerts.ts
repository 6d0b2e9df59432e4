import { type HeldAlert, type RuleOptions, settingsOf } from './alert.ts';
import { durationOf, FEATURE, HISTORY, ofExporters, ofReplicas, SITE, select, VENDOR_LICENSE } from './promql.ts';
import type { RecordingRule } from './records.ts';
import { AGE_TEXT, dayText, FEATURE_TEXT, IN_USE_TEXT, LICENSES_TEXT, TIME_TEXT } from './texts.ts';
import {
  chosenBy,
  enabledOf,
  matcherOf,
  patternsOf,
  type RuleSettings,
  type Selection,
  thresholdOf,
  valuesOf,
} from './thresholds.ts';

/** Alerts about license servers and features, which the engine evaluates too. */

const of =
  (series: string): Selection =>
  (matchers) =>
    select(series, ...matchers);

/** Vendor licenses whose icon says that the server is down, by the first override that has a pattern for them. */
function downByIcon(settings: RuleSettings): readonly string[] {
  const icons = (...matchers: readonly string[]): string =>
    ofReplicas('max', VENDOR_LICENSE, select('license_vendor_license_icon_info', ...matchers), 'collection');
  const earlier: string[] = [];
  return patternsOf(settings).map(({ pattern, matchers }) => {
    const selection: Selection = (more) => icons(...matchers, ...more, matcherOf('mapping_icon', pattern));
    const others = earlier.map((selected) => ` unless ${selected}`).join('');
    earlier.push(icons(...matchers));
    return `(${enabledOf(settings, selection)}${others}) * 0`;
  });
}

function serverDown(options: RuleOptions): HeldAlert {
  const settings = settingsOf(options, 'LicenseServerDown');
  const down = [`${enabledOf(settings, of('license:server_up:min'))} == 0`, ...downByIcon(settings)].join(' or ');
  return {
    alert: 'LicenseServerDown',
    severity: 'critical',
    data: 'server',
    isEngines: true,
    // the value is the time of the last collection, 0 if it is not known
    condition: `license:last_collection_timestamp_seconds:max and on (${VENDOR_LICENSE}) (${down})\nor on (${VENDOR_LICENSE})\n(${down}) * 0`,
    summary: 'License server {{ $labels.vendor_license }} is down.',
    description: `{{ if gt $value 0.0 }}The analyzer last received data from {{ $labels.vendor_license }} at ${TIME_TEXT}.{{ else }}The analyzer has received no data from {{ $labels.vendor_license }} for at least 30 minutes.{{ end }} Users cannot check out its licenses while it is down. Check the license server and its vendor daemon.`,
  };
}

function collectionStale(options: RuleOptions): HeldAlert {
  const settings = settingsOf(options, 'LicenseCollectionStale');
  const collected = of('license:last_collection_timestamp_seconds:max');
  // the servers that are down are known, but GetProducts contradicts their list
  const contradicted = `(license:vendor_license:known{data="server"} == 0
and on (${SITE}) ${ofExporters('max', SITE, 'license_poll_success{endpoint="GetServerDown"}')} == 1)`;
  return {
    alert: 'LicenseCollectionStale',
    severity: 'warning',
    data: 'collection',
    isEngines: true,
    condition: `(${enabledOf(settings, collected)} < time() - ${thresholdOf(settings, 'maxAge', collected)})
and on (${VENDOR_LICENSE}) (license:server_up:min == 1 or on (${VENDOR_LICENSE}) ${contradicted})`,
    summary: `Data of {{ $labels.vendor_license }} is ${AGE_TEXT} old.`,
    description: `The server is not reported down, but its last collection was at ${TIME_TEXT}. Check the collector of the analyzer for this server.`,
  };
}

const expirationOf = of('license:feature_expiration_timestamp_seconds:max');
const RENEW = 'Order the renewal and install the new license file.';

function expired(options: RuleOptions): HeldAlert {
  const settings = settingsOf(options, 'LicenseExpired');
  return {
    alert: 'LicenseExpired',
    severity: 'critical',
    data: 'expirations',
    isEngines: true,
    condition: `(${enabledOf(settings, expirationOf)} <= time()) > time() - ${thresholdOf(settings, 'within', expirationOf)}`,
    summary: `License ${FEATURE_TEXT} has expired.`,
    description: `It expired at ${TIME_TEXT}, ${AGE_TEXT} ago. Install the renewed license file. If it is not needed any more, remove it from the license file, or silence this alert.`,
    more: { expires: dayText(options.timeZone) },
  };
}

/** The severities of LicenseExpiringSoon, from the nearest expiry to the farthest. */
const expirySeverities = ['critical', 'warning', 'info'] as const;

/** Expiries that are farther than this concern no alert, seconds. */
export function farthestExpiry(options: RuleOptions): number {
  const settings = settingsOf(options, 'LicenseExpiringSoon');
  return Math.max(...expirySeverities.flatMap((severity) => valuesOf(settings, severity)).map(Number));
}

function expiringSoon(options: RuleOptions): readonly HeldAlert[] {
  const settings = settingsOf(options, 'LicenseExpiringSoon');
  const { for: pendingFor, keepFiringFor } = settings.base;
  const day = dayText(options.timeZone);
  return expirySeverities.map((severity, i) => {
    const nearer = expirySeverities[i - 1];
    const soon = `${enabledOf(settings, expirationOf)} < time() + ${thresholdOf(settings, severity, expirationOf)}`;
    const from = nearer === undefined ? '> time()' : `>= time() + ${thresholdOf(settings, nearer, expirationOf)}`;
    return {
      alert: 'LicenseExpiringSoon',
      severity,
      data: 'expirations',
      isEngines: true,
      condition: nearer === undefined ? `(${soon}) ${from}` : `((${soon}) > time()) ${from}`,
      summary: `License ${FEATURE_TEXT} expires on ${day}.`,
      description: `It expires at ${TIME_TEXT}. ${RENEW}`,
      // for the digest
      more: { expires: day, licenses: LICENSES_TEXT },
      // kept until the alert of the next severity fires, so that there is no gap
      ...(severity !== 'critical' && { keepFiringFor: Number(pendingFor) + Number(keepFiringFor) }),
    };
  });
}

/** Lower ratios count as this one: an idle past needs no series, and does not outweigh the present. */
const HALF = 0.5;

/** The range with the evaluations of a window. Ranges of Prometheus 2 include both ends. @param window seconds */
const rangeOf = (window: number): string => `[${durationOf(window - 1)}]`;

const RATIO = 'license:feature_use:ratio';
const MISSING = 'license:feature_use:missing';
const MEASURED = 'license:vendor_license:measured';

/** What the averages of the use are made from. */
export function useRecords(options: RuleOptions): readonly RecordingRule[] {
  const settings = settingsOf(options, 'LicenseFeatureSaturated');
  const least = thresholdOf(settings, 'minLicenses', of('license_feature_max_available'));
  const longest = rangeOf(Math.max(...valuesOf(settings, 'window').map(Number)));
  const use = `(license_feature_in_use / (license_feature_max_available >= ${least}))`;
  const past = `(max_over_time(${RATIO}${longest}) > ${HALF})`;
  return [
    // with a past above one half, lower ratios too: they show that the feature is not missing
    {
      record: RATIO,
      expr: ofReplicas(
        'max',
        FEATURE,
        `clamp_min(${use} > ${HALF} or ${use} and on (vendor_license, feature) ${past}, ${HALF})`,
        'usage',
      ),
    },
    // the vendor licenses whose usage is known; earlier versions do not say
    {
      record: MEASURED,
      expr: `max by (${VENDOR_LICENSE}) (license:vendor_license:known{data="usage"} == 1)
or on (${VENDOR_LICENSE})
(group by (${VENDOR_LICENSE}) (license:vendor_license:listed) unless on (${SITE}) license:vendor_license:known)
or on (${VENDOR_LICENSE})
group by (${VENDOR_LICENSE}) (${RATIO})`,
    },
    // the features with a past that have no ratio now: they are not reported, are uncounted, or have too few licenses
    {
      record: MISSING,
      expr: `${past}
and on (${VENDOR_LICENSE}) ${MEASURED}
unless on (${FEATURE}) ${RATIO}`,
    },
  ];
}

/**
 * The average of a window. An evaluation counts if the usage of the vendor license was known, unless the feature was missing. It
 * counts as one half without a ratio.
 */
const averaged =
  (settings: RuleSettings): Selection =>
  (matchers) =>
    chosenBy(settings, 'window', (seconds: number, chosen) => {
      const over = (operator: 'sum' | 'count', record: string, ...all: readonly string[]): string =>
        `${operator}_over_time(${select(record, ...all)}${rangeOf(seconds)})`;
      const all = [...matchers, ...chosen];
      const count = over('count', RATIO, ...all);
      const evaluations = `(${count} * 0 + on (${VENDOR_LICENSE}) group_left () ${over('count', MEASURED)})`;
      const missing = `(${over('count', MISSING, ...all)} or ${count} * 0)`;
      // rounded, so that 19 of 20 are 95 %
      return `round((${over('sum', RATIO, ...all)} - ${HALF} * ${count}) / clamp_min(${evaluations} - ${missing}, 1) + ${HALF}, 1e-6)`;
    });

function saturated(options: RuleOptions): HeldAlert {
  const settings = settingsOf(options, 'LicenseFeatureSaturated');
  const use = averaged(settings);
  return {
    alert: 'LicenseFeatureSaturated',
    severity: 'warning',
    data: 'usage',
    isEngines: true,
    // the average of a feature that has lost its licenses goes down only slowly
    condition: `(
  ${enabledOf(settings, use)} >= ${thresholdOf(settings, 'raise', use)}
  or
  ${enabledOf(settings, use)} >= ${thresholdOf(settings, 'clear', use)}
  and on (${FEATURE}) ALERTS{alertname="LicenseFeatureSaturated", alertstate="firing"}
)
unless on (${FEATURE}) ${MISSING}`,
    summary: `{{ $value | humanizePercentage }} of ${FEATURE_TEXT} is in use.`,
    description: `${IN_USE_TEXT}{{ $value | humanizePercentage }} is the average over the last minutes. Users may soon be denied a license. Look for idle checkouts and unused reservations, or buy more licenses.`,
  };
}

function queued(options: RuleOptions): HeldAlert {
  const settings = settingsOf(options, 'LicenseRequestsQueued');
  const requests = of('license:feature_max_queued:max');
  return {
    alert: 'LicenseRequestsQueued',
    severity: 'warning',
    data: 'usage',
    isEngines: true,
    condition: `${enabledOf(settings, requests)} > ${thresholdOf(settings, 'above', requests)}`,
    summary: `Requests are queued for ${FEATURE_TEXT}: {{ $value }}.`,
    description: `${IN_USE_TEXT}Users are waiting for a license. Look for idle checkouts and unused reservations.`,
  };
}

function denials(options: RuleOptions): HeldAlert {
  const settings = settingsOf(options, 'LicenseDenials');
  const denied = of('license:feature_history_denials:max');
  const at = of('license:feature_history_timestamp_seconds:max');
  return {
    alert: 'LicenseDenials',
    severity: 'warning',
    data: 'history',
    isEngines: true,
    condition: `${enabledOf(settings, denied)} > ${thresholdOf(settings, 'above', denied)}
and on (${HISTORY}) ${at([])} > time() - ${thresholdOf(settings, 'maxAge', at)}`,
    summary: 'License requests for {{ $labels.feature }} of {{ $labels.vendor_license }} were denied: {{ $value }}.',
    description:
      "The requests were denied on the newest day of the analyzer's history. Compare the peak usage of the feature with its number of licenses.",
  };
}

export const licenseAlerts = (options: RuleOptions): readonly HeldAlert[] => [
  serverDown(options),
  collectionStale(options),
  expired(options),
  ...expiringSoon(options),
  saturated(options),
  queued(options),
  denials(options),
];
