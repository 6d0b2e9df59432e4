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
    summary: ({ exporter }) => `The ${exporter} runs with an old configuration.`,
    remedy:
      'The last reload was refused. Run "license-exporter check-config FILE" to see what is wrong. Correct the configuration and reload it.',
  },
  example: () => ({ isReloadRefused: true }),
});
