import type { Shape } from './alert-settings.ts';
import type { EngineAlert } from './definition.ts';
import { alertDeliveryFailing } from './definitions/alert-delivery-failing/alert-delivery-failing.ts';
import { analyzerAuthFailing } from './definitions/analyzer-auth-failing/analyzer-auth-failing.ts';
import { analyzerUnreachable } from './definitions/analyzer-unreachable/analyzer-unreachable.ts';
import { archiveDown } from './definitions/archive-down/archive-down.ts';
import { capacityDropped } from './definitions/capacity-dropped/capacity-dropped.ts';
import { collectionStale } from './definitions/collection-stale/collection-stale.ts';
import { denials } from './definitions/denials/denials.ts';
import { expired } from './definitions/expired/expired.ts';
import { expiringSoon } from './definitions/expiring-soon/expiring-soon.ts';
import { exporterAbsent } from './definitions/exporter-absent/exporter-absent.ts';
import { exporterConfigReloadFailed } from './definitions/exporter-config-reload-failed/exporter-config-reload-failed.ts';
import { exporterDown } from './definitions/exporter-down/exporter-down.ts';
import { exporterSeriesLimit } from './definitions/exporter-series-limit/exporter-series-limit.ts';
import { exporterShardMismatch } from './definitions/exporter-shard-mismatch/exporter-shard-mismatch.ts';
import { exporterSilent } from './definitions/exporter-silent/exporter-silent.ts';
import { featureSaturated } from './definitions/feature-saturated/feature-saturated.ts';
import { featureVanished } from './definitions/feature-vanished/feature-vanished.ts';
import { fieldMissing } from './definitions/field-missing/field-missing.ts';
import { historyNotRecorded } from './definitions/history-not-recorded/history-not-recorded.ts';
import { pollPartial } from './definitions/poll-partial/poll-partial.ts';
import { pollStale } from './definitions/poll-stale/poll-stale.ts';
import { productsEmpty } from './definitions/products-empty/products-empty.ts';
import { recordsDiscarded } from './definitions/records-discarded/records-discarded.ts';
import { redundancyLost } from './definitions/redundancy-lost/redundancy-lost.ts';
import { requestsQueued } from './definitions/requests-queued/requests-queued.ts';
import { runsOut } from './definitions/runs-out/runs-out.ts';
import { serverDown } from './definitions/server-down/server-down.ts';
import { sourceDown } from './definitions/source-down/source-down.ts';
import { vendorLicenseVanished } from './definitions/vendor-license-vanished/vendor-license-vanished.ts';
import { watchdog } from './definitions/watchdog/watchdog.ts';

/** Those that the engine evaluates, by their `alertname`, which is also the name of their settings. A name has its folder in `definitions`. */
export const engineAlerts = {
  LicenseServerDown: serverDown,
  LicenseSourceDown: sourceDown,
  LicenseRedundancyLost: redundancyLost,
  LicenseHistoryNotRecorded: historyNotRecorded,
  LicenseArchiveDown: archiveDown,
  LicenseCollectionStale: collectionStale,
  LicenseExpired: expired,
  LicenseExpiringSoon: expiringSoon,
  LicenseFeatureSaturated: featureSaturated,
  LicenseRequestsQueued: requestsQueued,
  LicenseDenials: denials,
  LicenseRunsOut: runsOut,
  LicenseVendorLicenseVanished: vendorLicenseVanished,
  LicenseFeatureVanished: featureVanished,
  LicenseCapacityDropped: capacityDropped,
  LicenseAnalyzerUnreachable: analyzerUnreachable,
  LicenseProductsEmpty: productsEmpty,
  LicenseAnalyzerAuthFailing: analyzerAuthFailing,
  LicensePollPartial: pollPartial,
  LicenseFieldMissing: fieldMissing,
  LicenseRecordsDiscarded: recordsDiscarded,
  LicenseExporterSeriesLimit: exporterSeriesLimit,
  LicenseExporterConfigReloadFailed: exporterConfigReloadFailed,
};

/** Those that only Prometheus can evaluate. */
export const prometheusAlerts = {
  LicenseExporterDown: exporterDown,
  LicenseExporterAbsent: exporterAbsent,
  LicenseExporterSilent: exporterSilent,
  LicensePollStale: pollStale,
  LicenseAlertDeliveryFailing: alertDeliveryFailing,
  LicenseExporterShardMismatch: exporterShardMismatch,
  LicenseWatchdog: watchdog,
};

/** The alerts that the engine evaluates. */
export type EngineRuleName = keyof typeof engineAlerts;

/** Every alert, also those that only Prometheus can evaluate. */
export type AlertName = EngineRuleName | keyof typeof prometheusAlerts;

/** The definition of an alert of the engine; `undefined` for one of another version, or of Prometheus. */
export const engineAlertOf = (name = ''): EngineAlert<Shape> | undefined =>
  // what is read here does not depend on its settings
  Object.hasOwn(engineAlerts, name)
    ? (engineAlerts[name as EngineRuleName] as unknown as EngineAlert<Shape>)
    : undefined;
