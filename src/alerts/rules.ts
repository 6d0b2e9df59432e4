import { createExpired, createExpiringSoon } from './expiry-rules.ts';
import { createDenials, createQueued, createSaturated } from './feature-rules.ts';
import type { Rule } from './rule.ts';
import type { RuleSettings } from './rule-settings.ts';
import {
  createAnalyzerUnreachable,
  createAuthFailing,
  createCollectionStale,
  createPollPartial,
  createRecordsDiscarded,
  createServerDown,
} from './site-rules.ts';

/** The rules of the engine that are on for anything at all. */
export function createRules(settings: RuleSettings): readonly Rule[] {
  const rules: readonly Rule[] = [
    createServerDown(settings.LicenseServerDown),
    createCollectionStale(settings.LicenseCollectionStale),
    createExpired(settings.LicenseExpired),
    ...createExpiringSoon(settings.LicenseExpiringSoon),
    createSaturated(settings.LicenseFeatureSaturated),
    createQueued(settings.LicenseRequestsQueued),
    createDenials(settings.LicenseDenials),
    createAnalyzerUnreachable(settings.LicenseAnalyzerUnreachable),
    createAuthFailing(settings.LicenseAnalyzerAuthFailing),
    createPollPartial(settings.LicensePollPartial),
    createRecordsDiscarded(settings.LicenseRecordsDiscarded),
  ];
  return rules.filter(({ name }) => {
    const { base, overrides } = settings[name];
    return base.enabled || overrides.some(({ values }) => values.enabled === true);
  });
}
