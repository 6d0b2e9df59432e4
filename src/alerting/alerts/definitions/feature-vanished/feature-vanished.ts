import { engineAlert } from '../../definition.ts';
import { vanishedParameters as parameters, vanishedCondition } from '../../loss-condition.ts';

/** The analyzer no longer lists a feature that it listed before. */
export const featureVanished = engineAlert({
  subject: 'feature',
  worst: 'first',
  messages: 'loss',
  severities: ['warning'],
  for: '15m',
  keepFiringFor: '0s',
  parameters,
  threshold: 'none',
  endsAfter: ({ within }) => within,
  condition: vanishedCondition(true),
  attention: { what: 'Feature is gone', class: 'partly', time: 'value is time since' },
  texts: {
    summary: ({ features }) => `The analyzer no longer lists ${features}.`,
    impact: 'Programs that need such a feature may not start.',
    step: 'Compare the license file with that of the day before. If they were removed on purpose, add them to alerting.ignore.',
  },
  example: () => ({ features: [{}], before: { features: [{}, { feature: 'gone' }] } }),
});
