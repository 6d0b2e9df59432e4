import { duration } from '../../../../base/settings/values.ts';
import { prometheusAlert } from '../../definition.ts';
import { durationOf, EXPORTER } from '../../prometheus/promql.ts';

const parameters = {
  within: duration(3600, 7 * 86_400)
    .prefault('1d')
    .describe('The alert ends this long after it was last seen.'),
};

/** Prometheus scraped the exporter, and has no such target any more. */
export const exporterAbsent = prometheusAlert({
  subject: 'analyzer',
  messages: 'fault',
  severity: 'critical',
  needs: 'a process that is not the exporter',
  for: '10m',
  keepFiringFor: '0s',
  parameters,
  expr: ({ values: { within }, job }) => {
    const seen = `last_over_time(${EXPORTER}[${durationOf(within)}])`;
    // not if its target exists but is down, nor if the exporter now serves another analyzer
    return `(
  max by (analyzer, shard) (${seen})
  unless on (analyzer, shard) ${EXPORTER}
  unless on (analyzer, shard) (${seen} and on (job, instance) (up == 0 or ${EXPORTER}))
)
or (absent(up{job=${job}}) unless on (job) ${seen})`;
  },
  texts: {
    summary: ({ analyzer }) => `There is no license exporter{{ if $labels.analyzer }} of ${analyzer}{{ end }}.`,
    impact: 'Users are not affected. Prometheus has no license data, and no new license alert begins there.',
    step: 'Check the service discovery and the scrape configuration. If the exporter was removed on purpose, silence this alert for a day; if it was the last one, remove the rules.',
  },
});
