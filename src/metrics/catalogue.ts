/** Every metric of the exporter: the one table that code, tests and README are held against. */

const FEATURE = ['vendor_license', 'feature', 'version', 'package', 'feature_type'] as const;
const HISTORY = ['vendor_license', 'feature', 'package', 'feature_type'] as const;

/** Groups of metrics that can be switched, and whether they are on by default. */
export const collectors = {
  borrow: true,
  reserve: true,
  icons: false,
  log: false,
  activity: false,
  token: false,
  users: false,
  history: false,
} as const;

export type Collector = keyof typeof collectors;

export interface Metric {
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly labels: readonly string[];
  /** `alerting`: exposed by the alert engine only. */
  readonly group: 'default' | 'alerting' | Collector;
  /** The field of the specification, or the part of the program, it comes from. */
  readonly source: string;
  readonly help: string;
}

export const catalogue = {
  license_vendor_license_info: { type: 'gauge', labels: ['vendor_license', 'server', 'daemon'], group: 'default', source: 'spec 2.1 Product (split on ";")', help: 'Vendor license parsed from GetProducts.Product (server;daemon), always 1.' },
  license_vendor_license_icon_info: { type: 'gauge', labels: ['vendor_license', 'mapping_icon', 'expired_icon'], group: 'icons', source: 'spec 2.1 MappingIcon, ExpiredIcon', help: 'Icon names reported by GetProducts.MappingIcon and GetProducts.ExpiredIcon, always 1.' },
  license_feature_info: { type: 'gauge', labels: [...FEATURE, 'license_type', 'license_model', 'token_pool', 'token_source', 'mapped_to'], group: 'default', source: 'spec 2.2 LicenseType, LicenseModel, TokenPool, TokenSource, MappedTo', help: 'Descriptive attributes of a feature from GetFeatures, always 1.' },
  license_server_up: { type: 'gauge', labels: ['vendor_license'], group: 'default', source: 'spec 2.4 Label absent/present', help: 'Whether the license server sent data within the window of GetServerDown (30 minutes): 0 if listed there, 1 otherwise.' },
  license_server_down_info: { type: 'gauge', labels: ['vendor_license', 'qualifier'], group: 'default', source: 'spec 2.4 Label (third part)', help: 'Record reported by GetServerDown, with the optional third part of Label as qualifier, always 1 while reported.' },
  license_vendor_license_last_collection_timestamp_seconds: { type: 'gauge', labels: ['vendor_license'], group: 'default', source: 'spec 2.1 CollectionTime', help: 'Unix time of the last data collection, from GetProducts.CollectionTime.' },
  license_vendor_license_min_expiration_timestamp_seconds: { type: 'gauge', labels: ['vendor_license'], group: 'default', source: 'spec 2.1 MinLicenseExpiration', help: 'Unix time of the earliest license expiration, +Inf if permanent, from GetProducts.MinLicenseExpiration.' },
  license_vendor_license_current: { type: 'gauge', labels: ['vendor_license'], group: 'default', source: 'spec 2.1 IsCurrent', help: 'Whether the analyzer considers the data current, from GetProducts.IsCurrent.' },
  license_vendor_license_max_available: { type: 'gauge', labels: ['vendor_license'], group: 'default', source: 'spec 2.1 MaxAvailable', help: 'Licenses available at most, from GetProducts.MaxAvailable.' },
  license_vendor_license_distinct_users: { type: 'gauge', labels: ['vendor_license'], group: 'default', source: 'spec 2.1 DistinctUsers', help: 'Distinct users, from GetProducts.DistinctUsers; maximum of merged records, lower bound.' },
  license_vendor_license_active: { type: 'gauge', labels: ['vendor_license'], group: 'default', source: 'spec 2.1 Active', help: 'Active usage, from GetProducts.Active.' },
  license_vendor_license_inactive: { type: 'gauge', labels: ['vendor_license'], group: 'default', source: 'spec 2.1 Inactive', help: 'Inactive usage, from GetProducts.Inactive.' },
  license_vendor_license_indeterminate: { type: 'gauge', labels: ['vendor_license'], group: 'default', source: 'spec 2.1 Indeterminate', help: 'Indeterminate usage, from GetProducts.Indeterminate.' },
  license_vendor_license_mapped: { type: 'gauge', labels: ['vendor_license'], group: 'default', source: 'spec 2.1 Mapped', help: 'Mapped usage, from GetProducts.Mapped.' },
  license_vendor_license_log_active: { type: 'gauge', labels: ['vendor_license'], group: 'log', source: 'spec 2.1 LogActive', help: 'log10 of Active; absent when the API reports NaN, from GetProducts.LogActive.' },
  license_vendor_license_log_inactive: { type: 'gauge', labels: ['vendor_license'], group: 'log', source: 'spec 2.1 LogInactive', help: 'log10 of Inactive; absent when the API reports NaN, from GetProducts.LogInactive.' },
  license_feature_max_available: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.2 MaxAvailable', help: 'Licenses available at most, from GetFeatures.MaxAvailable.' },
  license_feature_available: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.2 Available', help: 'Licenses available, from GetFeatures.Available.' },
  license_feature_in_use: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.2 InUse', help: 'Licenses in use, from GetFeatures.InUse.' },
  license_feature_max_in_use: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.2 MaxInUse', help: 'Licenses in use at most, from GetFeatures.MaxInUse; sum of merged records, upper bound.' },
  license_feature_max_queued: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.2 MaxQueued', help: 'Queued license requests at most, from GetFeatures.MaxQueued; sum of merged records, upper bound.' },
  license_feature_distinct_users: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.2 DistinctUsers', help: 'Distinct users, from GetFeatures.DistinctUsers; maximum of merged records, lower bound.' },
  license_feature_active_use: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.2 ActiveUse', help: 'Licenses in active use, from GetFeatures.ActiveUse.' },
  license_feature_inactive_use: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.2 InactiveUse', help: 'Licenses checked out but inactive, from GetFeatures.InactiveUse.' },
  license_feature_max_borrowed: { type: 'gauge', labels: FEATURE, group: 'borrow', source: 'spec 2.2 MaxBorrowed', help: 'Borrowed licenses at most, from GetFeatures.MaxBorrowed; sum of merged records, upper bound.' },
  license_feature_borrowed_use: { type: 'gauge', labels: FEATURE, group: 'borrow', source: 'spec 2.2 BorrowedUse', help: 'Borrowed licenses in use, from GetFeatures.BorrowedUse.' },
  license_feature_borrowed_active_use: { type: 'gauge', labels: FEATURE, group: 'borrow', source: 'spec 2.2 BorrowedActiveUse', help: 'Borrowed licenses in active use, from GetFeatures.BorrowedActiveUse.' },
  license_feature_borrowed_inactive_use: { type: 'gauge', labels: FEATURE, group: 'borrow', source: 'spec 2.2 BorrowedInactiveUse', help: 'Borrowed licenses not in active use, from GetFeatures.BorrowedInactiveUse.' },
  license_feature_used_reserve: { type: 'gauge', labels: FEATURE, group: 'reserve', source: 'spec 2.2 UsedReserve', help: 'Reserved licenses in use, from GetFeatures.UsedReserve.' },
  license_feature_unused_reserve: { type: 'gauge', labels: FEATURE, group: 'reserve', source: 'spec 2.2 UnusedReserve', help: 'Reserved licenses not in use, from GetFeatures.UnusedReserve.' },
  license_feature_active: { type: 'gauge', labels: FEATURE, group: 'activity', source: 'spec 2.2 Active', help: 'Active usage, from GetFeatures.Active.' },
  license_feature_inactive: { type: 'gauge', labels: FEATURE, group: 'activity', source: 'spec 2.2 Inactive', help: 'Inactive usage, from GetFeatures.Inactive.' },
  license_feature_borrowed_active: { type: 'gauge', labels: FEATURE, group: 'activity', source: 'spec 2.2 BorrowedActive', help: 'Borrowed active usage, from GetFeatures.BorrowedActive.' },
  license_feature_borrowed_inactive: { type: 'gauge', labels: FEATURE, group: 'activity', source: 'spec 2.2 BorrowedInactive', help: 'Borrowed inactive usage, from GetFeatures.BorrowedInactive.' },
  license_feature_token_cost: { type: 'gauge', labels: FEATURE, group: 'token', source: 'spec 2.2 TokenCostValue', help: 'Tokens consumed per license, from GetFeatures.TokenCostValue.' },
  license_feature_user_data_available: { type: 'gauge', labels: FEATURE, group: 'users', source: 'spec 2.2 AvailableUser', help: 'Whether user records are available, from GetFeatures.AvailableUser.' },
  license_feature_log_available: { type: 'gauge', labels: FEATURE, group: 'log', source: 'spec 2.2 LogAvailable', help: 'log10 of Available; absent when the API reports NaN, from GetFeatures.LogAvailable.' },
  license_feature_log_in_use: { type: 'gauge', labels: FEATURE, group: 'log', source: 'spec 2.2 LogInUse', help: 'log10 of InUse; absent when the API reports NaN, from GetFeatures.LogInUse.' },
  license_feature_log_unused_reserve: { type: 'gauge', labels: FEATURE, group: 'log', source: 'spec 2.2 LogUnusedReserve', help: 'log10 of UnusedReserve; absent when the API reports NaN, from GetFeatures.LogUnusedReserve.' },
  license_feature_log_used_reserve: { type: 'gauge', labels: FEATURE, group: 'log', source: 'spec 2.2 LogUsedReserve', help: 'log10 of UsedReserve; absent when the API reports NaN, from GetFeatures.LogUsedReserve.' },
  license_feature_log_queued: { type: 'gauge', labels: FEATURE, group: 'log', source: 'spec 2.2 LogQueued', help: 'log10 of the queued requests; absent when the API reports NaN, from GetFeatures.LogQueued.' },
  license_feature_log_borrowed: { type: 'gauge', labels: FEATURE, group: 'log', source: 'spec 2.2 LogBorrowed', help: 'log10 of the borrowed licenses; absent when the API reports NaN, from GetFeatures.LogBorrowed.' },
  license_feature_log_active: { type: 'gauge', labels: FEATURE, group: 'log', source: 'spec 2.2 LogActive', help: 'log10 of Active; absent when the API reports NaN, from GetFeatures.LogActive.' },
  license_feature_log_inactive: { type: 'gauge', labels: FEATURE, group: 'log', source: 'spec 2.2 LogInactive', help: 'log10 of Inactive; absent when the API reports NaN, from GetFeatures.LogInactive.' },
  license_feature_log_borrowed_active: { type: 'gauge', labels: FEATURE, group: 'log', source: 'spec 2.2 LogBorrowedActive', help: 'log10 of BorrowedActive; absent when the API reports NaN, from GetFeatures.LogBorrowedActive.' },
  license_feature_log_borrowed_inactive: { type: 'gauge', labels: FEATURE, group: 'log', source: 'spec 2.2 LogBorrowedInactive', help: 'log10 of BorrowedInactive; absent when the API reports NaN, from GetFeatures.LogBorrowedInactive.' },
  license_feature_expiration_timestamp_seconds: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.5 LicenseExpiration (fallback 2.2 LicenseExpiration)', help: 'Unix time of the earliest license expiration, +Inf if permanent, from GetExpirationFeatures.LicenseExpiration.' },
  license_feature_min_expiration_timestamp_seconds: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.5 MinLicenseExpiration', help: 'Unix time of the earliest expiration among related licenses, +Inf if permanent, from GetExpirationFeatures.MinLicenseExpiration.' },
  license_feature_expired: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.5 ShowExpired (fallback 2.2)', help: 'Whether the analyzer shows the license as expired, from GetExpirationFeatures.ShowExpired.' },
  license_feature_expiration_warning: { type: 'gauge', labels: FEATURE, group: 'default', source: 'spec 2.5 ShowWarning (fallback 2.2)', help: 'Whether the analyzer shows an expiration warning, from GetExpirationFeatures.ShowWarning.' },
  license_feature_history_denials: { type: 'gauge', labels: HISTORY, group: 'history', source: 'spec 2.6 GetHistory "Denials" last point', help: 'Denials in the most recent period of GetHistory.' },
  license_feature_history_elapsed_time: { type: 'gauge', labels: HISTORY, group: 'history', source: 'spec 2.6 GetHistory "Elapsed Time" last point (unit not documented)', help: 'Elapsed time in the most recent period of GetHistory, in the unit of the API.' },
  license_feature_history_timestamp_seconds: { type: 'gauge', labels: HISTORY, group: 'history', source: 'spec 2.6 GetHistory time of last point', help: 'Unix time of the most recent period of GetHistory.' },
  license_concurrent_users: { type: 'gauge', labels: [], group: 'default', source: 'spec 4.11 bare integer', help: 'Distinct users over all vendor licenses, from GetConcurrentUsers.' },
  license_up: { type: 'gauge', labels: [], group: 'default', source: 'poller', help: 'Whether the last attempt of every polled endpoint of the License Monitoring Query API got at least one good answer.' },
  license_upstream_authenticated: { type: 'gauge', labels: [], group: 'default', source: 'client', help: 'Whether the last NTLM authentication to the API succeeded.' },
  license_upstream_auth_retry_timestamp_seconds: { type: 'gauge', labels: [], group: 'default', source: 'client', help: 'Unix time before which no logon is sent after a rejected one, 0 without a hold.' },
  license_poll_success: { type: 'gauge', labels: ['endpoint'], group: 'default', source: 'poller', help: 'Whether every part of the last poll of the endpoint succeeded.' },
  license_poll_duration_seconds: { type: 'gauge', labels: ['endpoint'], group: 'default', source: 'poller', help: 'Duration of the last poll of the endpoint.' },
  license_poll_records: { type: 'gauge', labels: ['endpoint'], group: 'default', source: 'poller', help: 'Records in the last good answers of the endpoint.' },
  license_poll_last_attempt_timestamp_seconds: { type: 'gauge', labels: ['endpoint'], group: 'default', source: 'poller', help: 'Unix time of the last poll of the endpoint.' },
  license_poll_last_success_timestamp_seconds: { type: 'gauge', labels: ['endpoint'], group: 'default', source: 'poller', help: 'Unix time of the last poll of the endpoint in which every part succeeded, 0 before the first.' },
  license_poll_interval_seconds: { type: 'gauge', labels: ['endpoint'], group: 'default', source: 'config', help: 'Longest gap between scheduled polls of the endpoint over the next 7 days.' },
  license_poll_discarded_values: { type: 'gauge', labels: ['endpoint', 'reason'], group: 'default', source: 'poller', help: 'Values in the last poll that were not exported, by reason (nan, not_a_number, negative, bad_record).' },
  license_poll_merged_records: { type: 'gauge', labels: ['endpoint'], group: 'default', source: 'poller', help: 'Records in the last poll that shared all labels with another record and were merged.' },
  license_exporter_build_info: { type: 'gauge', labels: ['version', 'revision', 'node_version'], group: 'default', source: 'build', help: 'Version of the exporter, always 1.' },
  license_exporter_demo: { type: 'gauge', labels: [], group: 'default', source: 'config', help: 'Whether the data is simulated by the demo.' },
  license_exporter_upstream_requests_total: { type: 'counter', labels: ['endpoint'], group: 'default', source: 'client', help: 'Requests to the License Monitoring Query API.' },
  license_exporter_upstream_request_failures_total: { type: 'counter', labels: ['endpoint', 'reason'], group: 'default', source: 'client', help: 'Failed requests to the API by reason (the failure kind).' },
  license_exporter_upstream_request_duration_seconds: { type: 'histogram', labels: ['endpoint'], group: 'default', source: 'client', help: 'Duration of requests to the API including the NTLM handshake.' },
  license_exporter_upstream_response_bytes_total: { type: 'counter', labels: ['endpoint'], group: 'default', source: 'client', help: 'Response body bytes received from the API.' },
  license_exporter_upstream_connections_opened_total: { type: 'counter', labels: [], group: 'default', source: 'client', help: 'Connections opened to the API.' },
  license_exporter_upstream_round_trips_total: { type: 'counter', labels: [], group: 'default', source: 'client', help: 'HTTP round trips to the API, the legs of NTLM handshakes included.' },
  license_exporter_upstream_handshakes_total: { type: 'counter', labels: [], group: 'default', source: 'client', help: 'NTLM handshakes with the API.' },
  license_exporter_upstream_reauthentications_total: { type: 'counter', labels: [], group: 'default', source: 'client', help: 'NTLM handshakes on connections that had been authenticated before.' },
  license_exporter_upstream_rejected_logons_total: { type: 'counter', labels: [], group: 'default', source: 'client', help: 'Logons the API rejected (401 to the NTLM AUTHENTICATE message).' },
  license_exporter_upstream_stale_retries_total: { type: 'counter', labels: [], group: 'default', source: 'client', help: 'Requests sent again because a kept connection had been closed.' },
  license_exporter_series_limit_exceeded: { type: 'gauge', labels: [], group: 'default', source: 'registry', help: 'Whether series were withheld because the configured series limit was reached.' },
  license_exporter_series: { type: 'gauge', labels: [], group: 'default', source: 'registry', help: 'Series exposed from API data.' },
  license_exporter_config_last_reload_successful: { type: 'gauge', labels: [], group: 'default', source: 'config', help: 'Whether the last configuration reload succeeded.' },
  license_exporter_config_last_reload_success_timestamp_seconds: { type: 'gauge', labels: [], group: 'default', source: 'config', help: 'Unix time of the last successful configuration reload.' },
  license_exporter_shard_index: { type: 'gauge', labels: [], group: 'default', source: 'config', help: 'Zero-based shard of this exporter.' },
  license_exporter_shards: { type: 'gauge', labels: [], group: 'default', source: 'config', help: 'Number of shards this exporter is configured with.' },
  license_exporter_alerting_active: { type: 'gauge', labels: ['alertname'], group: 'alerting', source: 'alerting', help: 'Whether this daemon evaluates the alert itself and its last delivery to an Alertmanager is younger than twice the resend delay.' },
  license_exporter_alerts: { type: 'gauge', labels: ['alertname', 'state'], group: 'alerting', source: 'alerting', help: 'Alerts of the embedded evaluator by name and state (pending, firing).' },
  license_exporter_alert_evaluation_duration_seconds: { type: 'gauge', labels: [], group: 'alerting', source: 'alerting', help: 'Duration of the last evaluation of the embedded alert rules.' },
  license_exporter_alert_last_evaluation_timestamp_seconds: { type: 'gauge', labels: [], group: 'alerting', source: 'alerting', help: 'Unix time of the last evaluation of the embedded alert rules.' },
  license_exporter_notifications_sent_total: { type: 'counter', labels: ['alertmanager'], group: 'alerting', source: 'alerting', help: 'Alerts delivered to the Alertmanager.' },
  license_exporter_notifications_errors_total: { type: 'counter', labels: ['alertmanager'], group: 'alerting', source: 'alerting', help: 'Alerts affected by failed deliveries to the Alertmanager; a failed heartbeat counts as one.' },
  license_exporter_notifications_dropped_total: { type: 'counter', labels: ['alertmanager'], group: 'alerting', source: 'alerting', help: 'Alerts dropped because the queue was full or the Alertmanager rejected them.' },
  license_exporter_notifications_queue_length: { type: 'gauge', labels: ['alertmanager'], group: 'alerting', source: 'alerting', help: 'Alerts waiting for delivery.' },
  license_exporter_notifications_queue_capacity: { type: 'gauge', labels: [], group: 'alerting', source: 'alerting', help: 'Capacity of the delivery queue.' },
  license_exporter_notifications_last_success_timestamp_seconds: { type: 'gauge', labels: ['alertmanager'], group: 'alerting', source: 'alerting', help: 'Unix time of the last successful delivery, heartbeats included.' },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof catalogue;
