import type { Adjustable, Durations } from './rule-settings.ts';
import { type EngineRuleName, isRuleEnabled } from './rules.ts';

/**
 * The texts of alerts in Prometheus, as its templates. They read labels only, because a query for each alert costs too much. What
 * the engine sends, mails, and the page `/alerts` have figures too.
 */

export interface RelayTexts {
  readonly summary: string;
  readonly description: string;
}

/** Alerts of features are one of their vendor license. */
const FEATURES = 'features of {{ $labels.vendor_license }}';
const ANALYZER = 'analyzer {{ $labels.analyzer }}{{ if $labels.shard }} (shard {{ $labels.shard }}){{ end }}';
const PAGE = 'The page /alerts of the exporter has the figures.';

/** A rule without texts does not compile. */
const relayTexts: Readonly<Record<EngineRuleName, RelayTexts>> = {
  LicenseServerDown: {
    summary: 'License server {{ $labels.vendor_license }} is down.',
    description:
      'Users cannot check out its licenses while it is down. Check the license server and its vendor daemon.',
  },
  LicenseCollectionStale: {
    summary: 'Data of {{ $labels.vendor_license }} is old.',
    description: `The server is not reported down, but its data is not collected. Check the collector of the analyzer for this server. ${PAGE}`,
  },
  LicenseExpired: {
    summary: `Licenses of ${FEATURES} expired on {{ $labels.expires }}.`,
    description:
      'Install the renewed license file. If it is not needed any more, remove it from the license file, or silence this alert.',
  },
  LicenseExpiringSoon: {
    summary: `Licenses of ${FEATURES} expire on {{ $labels.expires }}.`,
    description: 'Order the renewal and install the new license file.',
  },
  LicenseFeatureSaturated: {
    summary: `Nearly all licenses of ${FEATURES} are in use.`,
    description: `Users may soon be denied a license. Look for idle checkouts and unused reservations, or buy more licenses. ${PAGE}`,
  },
  LicenseRequestsQueued: {
    summary: `Requests are queued for ${FEATURES}.`,
    description: `Users are waiting for a license. Look for idle checkouts and unused reservations. ${PAGE}`,
  },
  LicenseDenials: {
    summary: `License requests for ${FEATURES} were denied.`,
    description: `Compare the peak usage of the feature with its number of licenses. ${PAGE}`,
  },
  LicenseRunsOut: {
    summary: `Licenses of ${FEATURES} are expected to run out.`,
    description: `Order more licenses in time, or find out why the use grows. The page /rightsizing of the exporter has the dates.`,
  },
  LicenseSourceDown: {
    summary:
      'License source {{ $labels.license_source }}{{ if $labels.vendor_license }} of {{ $labels.vendor_license }}{{ end }} is down or cannot be read.',
    description: 'The page /sources of the exporter shows the reason and the remedy.',
  },
  LicenseRedundancyLost: {
    summary: 'Not all servers of license source {{ $labels.license_source }} answer.',
    description:
      'It still serves licenses, but one more server that fails may end that. The page /sources of the exporter names the server that is down.',
  },
  LicenseHistoryNotRecorded: {
    summary: `History of ${ANALYZER} is not recorded.`,
    description:
      'What is not recorded now is missing from charts and from advice permanently. Check the disk of storage.path and embedded_analyzer.store_max_size. The page /sources of the exporter shows the reason.',
  },
  LicenseVendorLicenseVanished: {
    summary: 'The analyzer no longer lists {{ $labels.vendor_license }}.',
    description: `Its server is no longer monitored. Check the configuration of the analyzer. If the vendor license was removed on purpose, silence the alert. ${PAGE}`,
  },
  LicenseFeatureVanished: {
    summary: `The analyzer no longer lists ${FEATURES}.`,
    description: `Users may be denied them. Compare the license file with that of the day before. ${PAGE}`,
  },
  LicenseCapacityDropped: {
    summary: `There are fewer licenses of ${FEATURES} than a day ago.`,
    description: `Licenses expired, a license file changed, or a redundant server is missing. Compare the license file with that of the day before. ${PAGE}`,
  },
  LicenseExporterSeriesLimit: {
    summary: `The license exporter of ${ANALYZER} withholds series.`,
    description: 'The number of series has reached metrics.max_series. Raise the limit, select less, or use shards.',
  },
  LicenseExporterConfigReloadFailed: {
    summary: `The license exporter of ${ANALYZER} runs with an old configuration.`,
    description:
      'The last reload was refused. Run "license-exporter check-config FILE" to see what is wrong. Correct the configuration and reload it.',
  },
  LicenseProductsEmpty: {
    summary: `The ${ANALYZER} reports no vendor license.`,
    description:
      'GetProducts answers with an empty list: no license server is monitored. Check whether the analyzer has lost its configuration, and whether the account may see the vendor licenses.',
  },
  LicenseAnalyzerUnreachable: {
    summary: `The ${ANALYZER} cannot be polled.`,
    description:
      'Until it answers, there is no new data about any license server. Check the analyzer and the network path to it. "license-exporter doctor" shows what each endpoint answers.',
  },
  LicenseAnalyzerAuthFailing: {
    summary: `The ${ANALYZER} rejects the logon.`,
    description:
      'The password is wrong or has expired, the account is locked, or a reverse proxy does not keep one connection for each client. Correct the credentials or the proxy. To keep the account from being locked, polling stops until the credentials change or the next logon is due.',
  },
  LicensePollPartial: {
    summary: `Only a part of {{ $labels.endpoint }} of ${ANALYZER} can be polled.`,
    description:
      'At least one vendor license cannot be polled despite retries and its last good data ages out, or a list has unusable records and what it lacks is not known. The log names the vendor license and the reason; license_poll_incomplete is 1 for a list.',
  },
  LicenseFieldMissing: {
    summary: `The field {{ $labels.field }} of {{ $labels.endpoint }} of ${ANALYZER} is missing.`,
    description:
      'What it says is not known. Alerts about this data do not end, and begin only where the values that they compare are there. Check whether the analyzer was updated, or a proxy changes its answers. If the analyzer does not have this field, add it to analyzer.absent_fields.',
  },
  LicenseRecordsDiscarded: {
    summary: `Records of {{ $labels.endpoint }} of ${ANALYZER} are discarded.`,
    description:
      'These records are not objects or have no name. Vendor licenses or features are missing from the metrics. Run "license-exporter doctor" to compare the answers with the specification.',
  },
};

/** The alerts that the rules for Prometheus relay: those that are enabled for at least one vendor license or feature. */
export const relayedAlerts = (
  settings: Readonly<Record<EngineRuleName, Adjustable<Durations>>>,
): readonly (RelayTexts & { readonly alert: string })[] =>
  (Object.keys(relayTexts) as EngineRuleName[])
    .filter((alert) => isRuleEnabled(settings[alert]))
    .map((alert) => ({ alert, ...relayTexts[alert] }));
