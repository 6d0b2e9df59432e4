import { metricsOf } from './metric.ts';

/** Metrics of polling, and of the connection to the API. */
export const pollMetrics = {
  ...metricsOf('default', [], {
    license_up:
      'Whether the last attempt of every polled endpoint of the License Monitoring Query API got at least one good answer, which must not be empty where others failed.',
  }),
  ...metricsOf('default', ['data'], {
    license_data_known:
      'Whether the data is known now (vendor_licenses: which vendor licenses there are): 0 before its first poll, when it is too old, and for a day while its list has unusable records.',
  }),
  ...metricsOf('default', [], {
    license_upstream_authenticated: 'Whether the last NTLM authentication to the API succeeded.',
    license_upstream_auth_retry_timestamp_seconds:
      'Unix time before which no logon is sent, because one was rejected or got no verdict; 0 when nothing is in the way.',
  }),
  ...metricsOf('default', ['endpoint'], {
    license_poll_success: 'Whether every part of the last poll of the endpoint succeeded.',
    license_poll_incomplete:
      'Whether the last good answers of the endpoint have unusable records, so that what they lack may exist.',
    license_poll_duration_seconds: 'Duration of the last poll of the endpoint.',
    license_poll_records: 'Records in the last good answers of the endpoint.',
    license_poll_last_attempt_timestamp_seconds: 'Unix time of the last poll of the endpoint.',
    license_poll_last_success_timestamp_seconds:
      'Unix time of the last poll of the endpoint in which every part succeeded, 0 before the first.',
    license_poll_interval_seconds: 'Longest gap between scheduled polls of the endpoint over the next 7 days.',
  }),
  ...metricsOf('default', ['endpoint', 'reason'], {
    license_poll_discarded_values:
      'Values, records and fields in the last good answers that were not exported, by reason (nan, not_a_number, negative, not_an_integer, duplicate, bad_record, unknown_field).',
  }),
  ...metricsOf('default', ['endpoint'], {
    license_poll_merged_records: 'Records in the last poll that shared all labels with another record and were merged.',
  }),
  ...metricsOf('default', ['endpoint', 'field'], {
    license_poll_field_missing:
      'Whether the field is missing in all records of at least one current vendor license that had it, or that needs it.',
  }),
  ...metricsOf('default', ['endpoint', 'state'], {
    license_endpoint_state:
      'Whether the endpoint is in the state: polled, absent (the analyzer does not have it), off (by configuration).',
  }),
} as const;
