import { prometheusAlert } from '../../definition.ts';
import { EXPORTER } from '../../prometheus/promql.ts';

/** The shards of an analyzer disagree on their number, or one is missing. */
export const exporterShardMismatch = prometheusAlert({
  subject: 'analyzer',
  messages: 'fault',
  severity: 'warning',
  needs: 'all shards',
  for: '10m',
  keepFiringFor: '5m',
  parameters: {},
  expr: () => `max by (analyzer) (license_exporter_shards * on (job, instance) group_left (analyzer) ${EXPORTER})
!= count by (analyzer) (count by (analyzer, shard) (${EXPORTER}))`,
  texts: {
    summary: () =>
      'Not all {{ $value }} shards of the analyzer {{ $labels.analyzer }} are found, or they disagree on their number.',
    impact: 'Some vendor licenses may not be monitored.',
    step: 'Compare shard.index and shard.total of all shards: one is missing, or shard.total differs.',
  },
});
