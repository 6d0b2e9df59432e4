import { siteCondition } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';

/** The exporter runs with an old configuration. */
export const exporterConfigReloadFailed = engineAlert({
  subject: 'analyzer',
  messages: 'upkeep',
  severities: ['warning'],
  for: '5m',
  keepFiringFor: '5m',
  parameters: {},
  threshold: 'none',
  condition: siteCondition(({ isReloadRefused }) => isReloadRefused && {}),
  attention: { what: 'Configuration is refused', class: 'partly' },
  texts: {
    summary: ({ exporter }) => `The ${exporter} runs with an old configuration: the last reload was refused.`,
    impact: 'What was changed in the configuration has no effect yet.',
    step: 'Run "license-exporter check-config FILE" to see what is wrong. Correct it, and reload the configuration.',
  },
  example: () => ({ isReloadRefused: true }),
});
