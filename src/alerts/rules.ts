import { createExpired, createExpiringSoon } from './expiry-rules.ts';
import { createConfigReloadFailed, createSeriesLimit } from './exporter-rules.ts';
import { createDenials, createQueued } from './feature-rules.ts';
import {
  createAnalyzerUnreachable,
  createAuthFailing,
  createFieldMissing,
  createPollPartial,
  createProductsEmpty,
  createRecordsDiscarded,
} from './poll-rules.ts';
import type { Rule, RuleFactory } from './rule.ts';
import type { Adjustable, Durations } from './rule-settings.ts';
import { createRunsOut } from './runs-out-rule.ts';
import { createSaturated } from './saturation-rule.ts';
import { createCollectionStale, createServerDown } from './site-rules.ts';
import { createHistoryNotRecorded, createRedundancyLost, createSourceDown } from './source-rules.ts';
import { createCapacityDropped, createFeatureVanished, createVendorLicenseVanished } from './vanished-rules.ts';

/** Every rule of the engine. The key is the `alertname`, and the name of its settings. */
const factories = {
  LicenseServerDown: createServerDown,
  LicenseCollectionStale: createCollectionStale,
  LicenseExpired: createExpired,
  LicenseExpiringSoon: createExpiringSoon,
  LicenseFeatureSaturated: createSaturated,
  LicenseRequestsQueued: createQueued,
  LicenseDenials: createDenials,
  LicenseRunsOut: createRunsOut,
  LicenseSourceDown: createSourceDown,
  LicenseRedundancyLost: createRedundancyLost,
  LicenseHistoryNotRecorded: createHistoryNotRecorded,
  LicenseProductsEmpty: createProductsEmpty,
  LicenseAnalyzerUnreachable: createAnalyzerUnreachable,
  LicenseAnalyzerAuthFailing: createAuthFailing,
  LicensePollPartial: createPollPartial,
  LicenseFieldMissing: createFieldMissing,
  LicenseRecordsDiscarded: createRecordsDiscarded,
  LicenseVendorLicenseVanished: createVendorLicenseVanished,
  LicenseFeatureVanished: createFeatureVanished,
  LicenseCapacityDropped: createCapacityDropped,
  LicenseExporterSeriesLimit: createSeriesLimit,
  LicenseExporterConfigReloadFailed: createConfigReloadFailed,
};

/** The names of the alerts that the engine evaluates. */
export type EngineRuleName = keyof typeof factories;

/** The settings of each rule. */
export type RuleSettings = { readonly [N in EngineRuleName]: Parameters<(typeof factories)[N]>[1] };

/** Whether a rule is enabled for at least one vendor license or feature. */
export const isRuleEnabled = ({ base, overrides }: Adjustable<Durations>): boolean =>
  base.enabled || overrides.some(({ values }) => values.enabled === true);

/** The rules that are enabled for at least one vendor license or feature. */
export function createRules(settings: RuleSettings): readonly Rule[] {
  return (Object.keys(factories) as EngineRuleName[]).flatMap((name) => {
    // the type of the settings is taken from the factory of the same name
    const create = factories[name] as RuleFactory<Durations, RuleSettings>;
    return isRuleEnabled(settings[name]) ? create(name, settings[name], settings) : [];
  });
}
