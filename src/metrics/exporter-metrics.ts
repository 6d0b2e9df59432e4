import { metricsOf } from './metric.ts';

/** Metrics of the exporter itself. */
export const exporterMetrics = {
  ...metricsOf('default', ['version', 'revision', 'node_version'], {
    license_exporter_build_info: 'Version of the exporter, always 1.',
  }),
  ...metricsOf('default', ['analyzer', 'shard', 'external_url'], {
    license_exporter_analyzer_info:
      'Name of the analyzer, which alerts have as a label, the shard of it that is monitored (empty if there is only one), and the URL of this daemon for users; always 1.',
  }),
  ...metricsOf('default', [], {
    license_exporter_time_seconds: 'Unix time of the clock of this daemon when the page was made.',
    license_exporter_demo: 'Whether the data is simulated by the demo.',
  }),
  ...metricsOf('default', ['endpoint'], {
    license_exporter_upstream_requests_total: 'Requests to the License Monitoring Query API.',
  }),
  ...metricsOf('default', ['endpoint', 'reason'], {
    license_exporter_upstream_request_failures_total: 'Failed requests to the API by reason (the failure kind).',
  }),
  ...metricsOf(
    'default',
    ['endpoint'],
    {
      license_exporter_upstream_request_duration_seconds:
        'Duration of requests to the API including the NTLM handshake.',
    },
    'histogram',
  ),
  ...metricsOf('default', ['endpoint'], {
    license_exporter_upstream_response_bytes_total: 'Response body bytes received from the API.',
  }),
  ...metricsOf('default', [], {
    license_exporter_upstream_connections_opened_total: 'Connections opened to the API.',
    license_exporter_upstream_round_trips_total: 'HTTP round trips to the API, the legs of NTLM handshakes included.',
    license_exporter_upstream_handshakes_total: 'NTLM handshakes with the API.',
    license_exporter_upstream_reauthentications_total:
      'NTLM handshakes on connections that had been authenticated before.',
    license_exporter_upstream_rejected_logons_total: 'Logons the API rejected (401 to the NTLM AUTHENTICATE message).',
    license_exporter_upstream_stale_retries_total: 'Requests sent again because a kept connection had been closed.',
    license_exporter_series_limit_exceeded:
      'Whether series were withheld because the configured series limit was reached.',
    license_exporter_series: 'Series exposed from API data.',
    license_exporter_config_last_reload_successful: 'Whether the last configuration reload succeeded.',
    license_exporter_config_last_reload_success_timestamp_seconds:
      'Unix time of the last successful configuration reload.',
  }),
  ...metricsOf('default', ['reason'], {
    license_exporter_http_requests_refused_total:
      'Requests to the exporter that were answered with 503 because of its limits, by reason (scrapes, queue_full, deadline, logons).',
    license_exporter_http_connections_cut_total:
      'Connections to the exporter that it cut because of its limits, by reason (too_many, pipelining, stalled, too_long).',
  }),
  ...metricsOf('default', [], {
    license_exporter_shard_index: 'Zero-based shard of this exporter.',
    license_exporter_shards: 'Number of shards this exporter is configured with.',
  }),
} as const;
