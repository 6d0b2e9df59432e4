import type { Metric } from './metric.ts';

/** Metrics of the exporter itself. */
export const exporterMetrics = {
  license_exporter_build_info: {
    type: 'gauge',
    labels: ['version', 'revision', 'node_version'],
    group: 'default',
    help: 'Version of the exporter, always 1.',
  },
  license_exporter_analyzer_info: {
    type: 'gauge',
    labels: ['analyzer', 'shard', 'external_url'],
    group: 'default',
    help: 'Name of the analyzer, which alerts have as a label, the shard of it that is monitored (empty if there is only one), and the URL of this daemon for users; always 1.',
  },
  license_exporter_time_seconds: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Unix time of the clock of this daemon when the page was made.',
  },
  license_exporter_demo: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Whether the data is simulated by the demo.',
  },
  license_exporter_upstream_requests_total: {
    type: 'counter',
    labels: ['endpoint'],
    group: 'default',
    help: 'Requests to the License Monitoring Query API.',
  },
  license_exporter_upstream_request_failures_total: {
    type: 'counter',
    labels: ['endpoint', 'reason'],
    group: 'default',
    help: 'Failed requests to the API by reason (the failure kind).',
  },
  license_exporter_upstream_request_duration_seconds: {
    type: 'histogram',
    labels: ['endpoint'],
    group: 'default',
    help: 'Duration of requests to the API including the NTLM handshake.',
  },
  license_exporter_upstream_response_bytes_total: {
    type: 'counter',
    labels: ['endpoint'],
    group: 'default',
    help: 'Response body bytes received from the API.',
  },
  license_exporter_upstream_connections_opened_total: {
    type: 'counter',
    labels: [],
    group: 'default',
    help: 'Connections opened to the API.',
  },
  license_exporter_upstream_round_trips_total: {
    type: 'counter',
    labels: [],
    group: 'default',
    help: 'HTTP round trips to the API, the legs of NTLM handshakes included.',
  },
  license_exporter_upstream_handshakes_total: {
    type: 'counter',
    labels: [],
    group: 'default',
    help: 'NTLM handshakes with the API.',
  },
  license_exporter_upstream_reauthentications_total: {
    type: 'counter',
    labels: [],
    group: 'default',
    help: 'NTLM handshakes on connections that had been authenticated before.',
  },
  license_exporter_upstream_rejected_logons_total: {
    type: 'counter',
    labels: [],
    group: 'default',
    help: 'Logons the API rejected (401 to the NTLM AUTHENTICATE message).',
  },
  license_exporter_upstream_stale_retries_total: {
    type: 'counter',
    labels: [],
    group: 'default',
    help: 'Requests sent again because a kept connection had been closed.',
  },
  license_exporter_series_limit_exceeded: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Whether series were withheld because the configured series limit was reached.',
  },
  license_exporter_series: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Series exposed from API data.',
  },
  license_exporter_config_last_reload_successful: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Whether the last configuration reload succeeded.',
  },
  license_exporter_config_last_reload_success_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Unix time of the last successful configuration reload.',
  },
  license_exporter_http_requests_refused_total: {
    type: 'counter',
    labels: ['reason'],
    group: 'default',
    help: 'Requests to the exporter that were answered with 503 because of its limits, by reason (scrapes, queue_full, deadline, logons).',
  },
  license_exporter_http_connections_cut_total: {
    type: 'counter',
    labels: ['reason'],
    group: 'default',
    help: 'Connections to the exporter that it cut because of its limits, by reason (too_many, pipelining, stalled, too_long).',
  },
  license_exporter_shard_index: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Zero-based shard of this exporter.',
  },
  license_exporter_shards: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Number of shards this exporter is configured with.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
