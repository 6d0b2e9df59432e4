import { identityLabels, scopeLabels } from '../../base/model/alert-labels.ts';
import { fieldMetrics } from './field-metrics.ts';
import { attributeLabels, featureLabels, historyLabels, metricsOf } from './metric.ts';

/** What identifies an alert. Its owner and the other labels of the setting `owners` are added. */
const alertLabels = [...identityLabels, ...scopeLabels, 'owner'] as const;

const sourceLabels = ['source', 'manager'] as const;

/** Every metric of the exporter. Code, tests and the documentation are compared with it. */
export const catalogue = {
  // info metrics, and which servers are up
  ...metricsOf('default', 'always', ['vendor_license', 'server', 'daemon', 'owner'], {
    license_vendor_license_info:
      'Vendor license parsed from GetProducts.Product (server;daemon), with the labels of the setting owners, always 1.',
  }),
  ...metricsOf('icons', 'always', ['vendor_license', 'mapping_icon', 'expired_icon'], {
    license_vendor_license_icon_info:
      'Icon names reported by GetProducts.MappingIcon and GetProducts.ExpiredIcon, always 1.',
  }),
  ...metricsOf('default', 'always', [...featureLabels, ...attributeLabels, 'owner'], {
    license_feature_info:
      'Attributes of a feature from GetFeatures (license_type is uncounted for each uncounted feature), with the labels of the setting owners, always 1.',
  }),
  ...metricsOf('default', 'always', [...featureLabels, 'owner'], {
    license_feature_expiration_info:
      'Feature that GetExpirationFeatures reports and GetFeatures does not, with the labels of the setting owners, always 1.',
  }),
  ...metricsOf('default', 'known', ['vendor_license'], {
    license_server_up:
      'Whether the license server sent data within the window of GetServerDown (30 minutes): 0 if listed there, 1 if not, absent while records of it that cannot be used may list it.',
  }),
  ...metricsOf('default', 'always', ['vendor_license', 'data'], {
    license_vendor_license_data_known:
      'Whether data of the vendor license is known now (server: whether its server is down, collection: when it was last collected, features: which it has, usage and expirations: of its features). While it is, a missing series means that there is no such thing, or that the source of the analyzer does not know it.',
  }),
  ...metricsOf('default', 'not 0', ['vendor_license', 'qualifier'], {
    license_server_down_info:
      'Record reported by GetServerDown, with the optional third part of Label as qualifier, always 1 while reported.',
  }),
  ...metricsOf('default', 'known', ['vendor_license'], {
    license_vendor_license_saturated_features:
      'Features whose share of licenses in use is at least `raise` of LicenseFeatureSaturated now, of those with at least its `min_licenses` licenses. No sample while the share of none of its features is known.',
  }),

  ...fieldMetrics,

  // metrics of the site and of the history of features
  ...metricsOf('history', 'known', historyLabels, {
    license_feature_history_denials: 'Denials in the most recent period of GetHistory.',
    license_feature_history_elapsed_time:
      'Elapsed time in the most recent period of GetHistory, in the unit of the API.',
    license_feature_history_timestamp_seconds: 'Unix time of the most recent period of GetHistory.',
  }),
  ...metricsOf('default', 'known', [], {
    license_concurrent_users:
      'Distinct users over all vendor licenses, from GetConcurrentUsers. The analyzer of this program counts those of the vendor licenses that are not down.',
  }),

  // metrics of the advice on the number of licenses
  ...metricsOf('rightsizing', 'known', historyLabels, {
    license_feature_needed:
      'Smallest number of licenses that was exceeded for at most rightsizing.tolerance hours a year, as of the last pass of right-sizing.',
    license_feature_runs_out_timestamp_seconds:
      'Unix time from which every fourth week is expected to have a moment with all licenses in use. No sample if that is not likely within a year, or the data are not enough to tell.',
  }),
  ...metricsOf('rightsizing', 'known', [], {
    license_rightsizing_last_success_timestamp_seconds: 'Unix time of the last pass of right-sizing that was finished.',
    license_rightsizing_duration_seconds: 'Duration of the last pass of right-sizing.',
  }),

  // metrics of polling, and of the connection to the API
  ...metricsOf('default', 'always', [], {
    license_up:
      'Whether the last attempt of every polled endpoint got a good answer, which must not be empty where others failed, and the analyzer lists a vendor license that is selected.',
  }),
  ...metricsOf('default', 'always', ['data'], {
    license_data_known:
      'Whether the data is known now (vendor_licenses: which vendor licenses there are): 0 before its first poll, when it is too old, and for a day while its list has unusable records.',
  }),
  ...metricsOf('logons', 'known', [], {
    license_upstream_authenticated: 'Whether the last NTLM authentication to the API succeeded.',
  }),
  ...metricsOf('logons', 'always', [], {
    license_upstream_auth_retry_timestamp_seconds:
      'Unix time before which no logon is sent, because one was rejected or got no verdict; 0 when nothing is in the way.',
  }),
  ...metricsOf('default', 'known', ['endpoint'], {
    license_poll_success: 'Whether every part of the last poll of the endpoint succeeded.',
  }),
  ...metricsOf('default', 'not 0', ['endpoint'], {
    license_poll_incomplete:
      'Whether the last good answers of the endpoint have unusable records, so that what they lack may exist: 1 if so.',
  }),
  ...metricsOf('default', 'known', ['endpoint'], {
    license_poll_duration_seconds: 'Duration of the last poll of the endpoint.',
    license_poll_records: 'Records in the last good answers of the endpoint.',
    license_poll_last_attempt_timestamp_seconds: 'Unix time of the last poll of the endpoint.',
    license_poll_last_success_timestamp_seconds:
      'Unix time of the last poll of the endpoint in which every part succeeded, 0 before the first.',
    license_poll_interval_seconds: 'Longest gap between scheduled polls of the endpoint over the next 7 days.',
  }),
  ...metricsOf('default', 'not 0', ['endpoint', 'reason'], {
    license_poll_discarded_values:
      'Values, records and fields in the last good answers that were not exported, by reason (nan, not_a_number, negative, not_an_integer, duplicate, bad_record, unknown_field), or only in part (long_name).',
  }),
  ...metricsOf('default', 'not 0', ['endpoint'], {
    license_poll_merged_records: 'Records in the last poll that shared all labels with another record and were merged.',
  }),
  ...metricsOf('default', 'not 0', ['endpoint', 'field'], {
    license_poll_field_missing:
      'Whether the field is missing in all records of at least one current vendor license that had it, or that needs it: 1 if so.',
  }),
  ...metricsOf('default', 'not 0', ['endpoint', 'state'], {
    license_endpoint_state:
      'State of the endpoint: polled, absent (the analyzer does not have it), off (by configuration); always 1.',
  }),

  // metrics of the exporter itself
  ...metricsOf('default', 'always', ['version', 'revision', 'node_version'], {
    license_exporter_build_info: 'Version of the exporter, always 1.',
  }),
  ...metricsOf('default', 'always', ['analyzer', 'shard', 'external_url'], {
    license_exporter_analyzer_info:
      'Name of the analyzer in alerts, the shard that is monitored (empty if there is only one), and the URL of this daemon for users; always 1.',
  }),
  ...metricsOf('default', 'always', [], {
    license_exporter_time_seconds: 'Unix time of the clock of this daemon when the page was made.',
    license_exporter_demo: 'Whether the data is simulated by the demo.',
  }),
  ...metricsOf('default', 'always', ['endpoint'], {
    license_exporter_upstream_requests_total: 'Requests to the License Monitoring Query API.',
  }),
  ...metricsOf('default', 'seen', ['endpoint', 'reason'], {
    license_exporter_upstream_request_failures_total: 'Failed requests to the API by reason (the failure kind).',
  }),
  ...metricsOf(
    'default',
    'seen',
    ['endpoint'],
    {
      license_exporter_upstream_request_duration_seconds:
        'Duration of requests to the API, logon and decoding included: their sum and their number.',
    },
    'summary',
  ),
  ...metricsOf('default', 'seen', ['endpoint'], {
    license_exporter_upstream_response_bytes_total: 'Response body bytes received from the API.',
  }),
  ...metricsOf('logons', 'always', [], {
    license_exporter_upstream_connections_opened_total: 'Connections opened to the API.',
    license_exporter_upstream_round_trips_total: 'HTTP round trips to the API, the legs of NTLM handshakes included.',
    license_exporter_upstream_handshakes_total: 'NTLM handshakes with the API.',
    license_exporter_upstream_reauthentications_total:
      'NTLM handshakes on connections that had been authenticated before.',
    license_exporter_upstream_rejected_logons_total: 'Logons the API rejected (401 to the NTLM AUTHENTICATE message).',
    license_exporter_upstream_stale_retries_total: 'Requests sent again because a kept connection had been closed.',
  }),
  ...metricsOf('default', 'always', [], {
    license_exporter_series_limit_exceeded:
      'Whether series were left out because the configured series limit was reached.',
    license_exporter_series: 'Series exposed from API data.',
    license_exporter_config_last_reload_successful: 'Whether the last configuration reload succeeded.',
    license_exporter_config_last_reload_success_timestamp_seconds:
      'Unix time of the last successful configuration reload.',
  }),
  ...metricsOf('default', 'always', ['reason'], {
    license_exporter_http_requests_refused_total:
      'Requests to the exporter that were answered with 503 because of its limits, by reason (scrapes, queue_full, deadline, logons).',
    license_exporter_http_connections_cut_total:
      'Connections to the exporter that it cut because of its limits, by reason (too_many, pipelining, stalled, too_long).',
  }),
  ...metricsOf('default', 'always', [], {
    license_exporter_shard_index: 'Zero-based shard of this exporter.',
    license_exporter_shards: 'Number of shards this exporter is configured with.',
  }),

  // metrics of the alert engine, and of messages by e-mail and webhook
  ...metricsOf('alerts', 'known', alertLabels, {
    license_alert_firing:
      'What the alert engine says of an alert: 1 it fires, -1 it fired and its condition is not known now, 0 it is over (for an hour). With the labels of its owner.',
    license_alert_started_timestamp_seconds: 'Unix time at which an alert began to fire.',
  }),
  ...metricsOf('alerts', 'known', [...alertLabels, 'facts'], {
    license_alert_facts:
      'What is known of an alert that fires, as the label `facts`, for the texts of Prometheus: its features, with figures that seldom change. Always 1.',
  }),
  ...metricsOf('alerts', 'known', ['alertname', 'analyzer', 'shard'], {
    license_alerts_complete:
      'The share of the analyzer of which license_alert_firing has every alert of this name that fires: 1 divided by the number of shards, or 0 while data is missing. No sample for an alert about what is not configured.',
    license_alerts_delivered:
      'The share of the analyzer whose alerts of this name the exporter delivers itself, so that Prometheus is silent about them: 1 divided by the number of shards if the last delivery is younger than twice the resend delay, else 0. No sample without alerting.alertmanagers, and before the end of the first delivery.',
  }),
  ...metricsOf('alerts', 'always', ['alertname', 'severity', 'analyzer'], {
    license_alert_threshold:
      'What the alert compares with, unless an override sets another value for a vendor license or a feature. In the unit of its setting, durations in seconds.',
  }),
  ...metricsOf('alerts', 'known', ['analyzer', 'shard'], {
    license_alerts_evaluated_timestamp_seconds: 'Unix time of the last evaluation of the alerts.',
  }),
  ...metricsOf('alerting', 'always', ['state'], {
    license_exporter_alerts: 'Alerts by state (pending, firing).',
  }),
  ...metricsOf('alerting', 'known', [], {
    license_exporter_alert_evaluation_duration_seconds: 'Duration of the last evaluation of the embedded alert rules.',
  }),
  ...metricsOf('alerting', 'always', ['alertmanager'], {
    license_exporter_notifications_sent_total: 'Alerts delivered to the Alertmanager.',
    license_exporter_notifications_errors_total:
      'Alerts affected by failed deliveries to the Alertmanager; a failed heartbeat counts as one.',
    license_exporter_notifications_dropped_total:
      'Alerts dropped because the queue was full, the Alertmanager rejected them, or they waited too long.',
    license_exporter_notifications_queue_length: 'Alerts waiting for delivery.',
  }),
  ...metricsOf('alerting', 'always', [], {
    license_exporter_notifications_queue_capacity: 'Capacity of the delivery queue.',
  }),
  ...metricsOf('alerting', 'known', ['alertmanager'], {
    license_exporter_notifications_last_success_timestamp_seconds:
      'Unix time of the last successful delivery, heartbeats included.',
  }),
  ...metricsOf('messages', 'always', ['receiver'], {
    license_exporter_messages_sent_total: 'Messages about alerts that the receiver (email, webhook) has accepted.',
    license_exporter_messages_errors_total:
      'Attempts to send a message to the receiver that failed, and addresses that refused one.',
    license_exporter_messages_dropped_total: 'Ends of alerts that could not be delivered to the receiver for a week.',
    license_exporter_messages_waiting: 'Messages that are due and that the receiver has not accepted.',
  }),
  ...metricsOf('messages', 'known', ['receiver'], {
    license_exporter_messages_last_success_timestamp_seconds:
      'Unix time at which the receiver last accepted a message.',
  }),

  // metrics of the sources of the embedded analyzer
  ...metricsOf('sources', 'known', sourceLabels, {
    license_source_up:
      'Whether the last reading of the source was complete: its license server and all of its vendor daemons answered.',
  }),
  ...metricsOf('sources', 'known', [...sourceLabels, 'server'], {
    license_source_member_up:
      'Whether this server of the source answered at the last reading. Redundant servers are several. No sample if the reading did not show it.',
  }),
  ...metricsOf('sources', 'known', sourceLabels, {
    license_source_failed_readings:
      'Readings in succession that failed or were not complete, 0 after a complete one. A redundant server that is down does not count.',
  }),
  ...metricsOf('sources', 'known', [...sourceLabels, 'vendor_license'], {
    license_source_vendor_license_info: 'Vendor license of the source, always 1.',
  }),
  ...metricsOf('sources', 'known', sourceLabels, {
    license_source_last_success_timestamp_seconds: 'Unix time of the last reading that gave data.',
    license_source_duration_seconds: 'Duration of the last reading.',
    license_source_unparsed_lines: 'Lines of the last output that were not understood.',
  }),
  ...metricsOf('sources', 'always', sourceLabels, {
    license_source_contradictions_total: 'Statements of the output that contradicted each other.',
  }),
  ...metricsOf('sources', 'seen', [...sourceLabels, 'result'], {
    license_source_runs_total:
      'Readings of the source by result: ok, skipped because the previous one was not over, or the kind of the failure.',
  }),

  // metrics of the history that an analyzer in this process records, and of files that are saved again and again
  ...metricsOf('sources', 'always', [], {
    license_history_recording_start_timestamp_seconds: 'Unix time at which this process began to record the history.',
  }),
  ...metricsOf('sources', 'known', [], {
    license_history_last_sample_timestamp_seconds:
      'Unix time of the newest collection in the history. No sample before this process has recorded one.',
    license_history_sample_interval_seconds:
      'Seconds between two collections, of the source that is collected most often.',
  }),
  ...metricsOf('sources', 'always', [], {
    license_history_write_errors_total: 'Attempts to record the history that failed.',
  }),
  ...metricsOf('sources', 'known', [], {
    license_history_store_size_bytes: 'Size of the history store. No sample if it is in memory.',
    license_history_store_limit_bytes: 'Maximum size of the history store, embedded_analyzer.store_max_size.',
    license_history_free_bytes: 'Free space of the file system of the history store. No sample if it is in memory.',
    license_history_archive_up:
      '1 if the last exchange with the archive of the history succeeded, 0 if it failed. No sample without storage.archive, and before the first exchange.',
    license_history_archive_last_success_timestamp_seconds:
      'Unix time at which everything was exchanged with the archive last. No sample before this process has done so.',
    license_history_archive_waiting_days:
      'Days of features that the archive does not have yet, as of the last attempt to exchange them.',
  }),
  ...metricsOf('sources', 'seen', [...historyLabels, 'cause'], {
    license_feature_denials_total:
      'Requests for licenses that sources reported as denied since the start, by cause (all_in_use, expired, not_licensed, not_permitted, other; empty if it is not known). No sample for a feature without any.',
  }),
  ...metricsOf('sources', 'seen', ['vendor_license', 'feature', 'cause'], {
    license_people_blocked:
      'People who were refused a license of the feature and wait, by cause (free_elsewhere, reserved_for_others, held_idle, all_busy; all_in_use, expired, not_licensed, not_permitted, other, unknown). No sample while nobody does, and where people are not known.',
    license_blocked_seconds_total: 'Seconds of the waits for a license of the feature that have ended since the start.',
  }),
  ...metricsOf('sources', 'seen', ['vendor_license', 'feature', 'cause', 'ended'], {
    license_blocked_episodes_total:
      'Waits for a license of the feature that have ended since the start: with a checkout (got), with no request for 15 minutes (gave_up), or when nobody watched any longer (lost).',
  }),
  ...metricsOf('sources', 'known', ['vendor_license', 'kind'], {
    license_reclaimable_licenses:
      'Licenses that could come back: the application has ended (orphan), nobody has used it for an hour (idle), the same person has a later checkout on the same host (duplicate), or borrowed for more than 7 days to come or beyond its end (borrowed). Each has one kind. No sample where it is not known.',
  }),
  ...metricsOf('default', 'always', ['file'], {
    license_exporter_state_write_errors_total:
      'Attempts to save a file in storage.path that failed: alerts, messages, and advice on the number of licenses.',
  }),
} as const;

export type MetricName = keyof typeof catalogue;
