import { aboutSite, createRule, type RuleFactory } from './rule.ts';
import type { Durations } from './rule-settings.ts';

/** Rules about the exporter itself. */

export const createSeriesLimit: RuleFactory<Durations> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    threshold: 'none',
    evaluate: ({ isSeriesLimited }, { finding }) => {
      const annotations = {
        summary: 'The license exporter withholds series.',
        description:
          'The number of series has reached metrics.max_series. Raise the limit, select less, or use shards.',
      };
      const isUnknown = isSeriesLimited === undefined;
      const findings = isSeriesLimited === true ? [finding({}, annotations)] : [];
      return { findings, isUnknown: () => isUnknown, unknownAbout: aboutSite(isUnknown), hasNoData: isUnknown };
    },
  });

export const createConfigReloadFailed: RuleFactory<Durations> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    threshold: 'none',
    evaluate: ({ isReloadRefused }, { finding }) => {
      const annotations = {
        summary: 'The license exporter runs with an old configuration.',
        description:
          'The last reload was refused. Run "license-exporter check-config FILE" to see what is wrong. Correct the configuration and reload it.',
      };
      return {
        findings: isReloadRefused ? [finding({}, annotations)] : [],
        isUnknown: () => false,
        unknownAbout: aboutSite(false),
        hasNoData: false,
      };
    },
  });
