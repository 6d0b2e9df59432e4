import { prometheusAlert } from '../../definition.ts';
import { EXPORTER } from '../../prometheus/promql.ts';

/** An endpoint is not polled. */
export const pollStale = prometheusAlert({
  subject: 'analyzer',
  messages: 'fault',
  severity: 'warning',
  needs: 'a process that is not the exporter',
  for: '5m',
  keepFiringFor: '5m',
  parameters: {},
  // by the clock of the exporter. Other alerts explain an endpoint whose polls fail, and a logon that is rejected
  expr: () => `min by (analyzer, shard, endpoint) (
  (
    (license_exporter_time_seconds - on (job, instance) group_right () license_poll_last_success_timestamp_seconds)
    > on (job, instance, endpoint) (3 * license_poll_interval_seconds)
    unless on (job, instance, endpoint) (
      license_poll_success == 0
      and on (job, instance, endpoint)
      (license_exporter_time_seconds - on (job, instance) group_right () license_poll_last_attempt_timestamp_seconds)
      <= on (job, instance, endpoint) (3 * license_poll_interval_seconds)
    )
    unless on (job, instance) license_upstream_authenticated == 0
  )
  * on (job, instance) group_left (analyzer, shard) ${EXPORTER}
)`,
  texts: {
    summary: ({ endpoint, analyzer }) =>
      `Endpoint ${endpoint} of ${analyzer} {{ if gt $value 1e9 }}has never been polled successfully{{ else }}was last polled successfully {{ $value | humanizeDuration }} ago{{ end }}.`,
    impact:
      'Users are not affected. Data older than poll.max_data_age is no longer shown, and alerts about it neither begin nor end.',
    step: 'Read the log of the exporter, and check whether its polls take longer than their interval.',
  },
});
