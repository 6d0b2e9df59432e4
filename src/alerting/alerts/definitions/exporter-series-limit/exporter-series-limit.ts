import { siteCondition } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';

export const exporterSeriesLimit = engineAlert({
  subject: 'analyzer',
  messages: 'upkeep',
  severities: ['warning'],
  for: '10m',
  keepFiringFor: '5m',
  parameters: {},
  threshold: 'none',
  condition: siteCondition(({ isSeriesLimited }) =>
    isSeriesLimited === undefined ? 'unknown' : isSeriesLimited && {},
  ),
  attention: { what: 'Series are left out', class: 'partly' },
  texts: {
    summary: ({ exporter }) => `The ${exporter} leaves out series: it has reached metrics.max_series.`,
    impact: 'Dashboards and rules of Prometheus lack some vendor licenses or features.',
    step: 'Raise metrics.max_series, select fewer vendor licenses, or use shards.',
  },
  example: () => ({ isSeriesLimited: true }),
});
