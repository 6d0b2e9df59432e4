import type { Metric } from './metric.ts';

/** Metrics of polling, and of the connection to the API. */
export const pollMetrics = {
  license_up: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Whether the last attempt of every polled endpoint of the License Monitoring Query API got at least one good answer, which must not be empty where others failed.',
  },
  license_data_known: {
    type: 'gauge',
    labels: ['data'],
    group: 'default',
    help: 'Whether the data is known now (vendor_licenses: which vendor licenses there are): 0 before its first poll, when it is too old, and for a day while its list has unusable records.',
  },
  license_upstream_authenticated: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Whether the last NTLM authentication to the API succeeded.',
  },
  license_upstream_auth_retry_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Unix time before which no logon is sent, because one was rejected or got no verdict; 0 when nothing is in the way.',
  },
  license_poll_success: {
    type: 'gauge',
    labels: ['endpoint'],
    group: 'default',
    help: 'Whether every part of the last poll of the endpoint succeeded.',
  },
  license_poll_incomplete: {
    type: 'gauge',
    labels: ['endpoint'],
    group: 'default',
    help: 'Whether the last good answers of the endpoint have unusable records, so that what they lack may exist.',
  },
  license_poll_duration_seconds: {
    type: 'gauge',
    labels: ['endpoint'],
    group: 'default',
    help: 'Duration of the last poll of the endpoint.',
  },
  license_poll_records: {
    type: 'gauge',
    labels: ['endpoint'],
    group: 'default',
    help: 'Records in the last good answers of the endpoint.',
  },
  license_poll_last_attempt_timestamp_seconds: {
    type: 'gauge',
    labels: ['endpoint'],
    group: 'default',
    help: 'Unix time of the last poll of the endpoint.',
  },
  license_poll_last_success_timestamp_seconds: {
    type: 'gauge',
    labels: ['endpoint'],
    group: 'default',
    help: 'Unix time of the last poll of the endpoint in which every part succeeded, 0 before the first.',
  },
  license_poll_interval_seconds: {
    type: 'gauge',
    labels: ['endpoint'],
    group: 'default',
    help: 'Longest gap between scheduled polls of the endpoint over the next 7 days.',
  },
  license_poll_discarded_values: {
    type: 'gauge',
    labels: ['endpoint', 'reason'],
    group: 'default',
    help: 'Values, records and fields in the last good answers that were not exported, by reason (nan, not_a_number, negative, not_an_integer, duplicate, bad_record, unknown_field).',
  },
  license_poll_merged_records: {
    type: 'gauge',
    labels: ['endpoint'],
    group: 'default',
    help: 'Records in the last poll that shared all labels with another record and were merged.',
  },
  license_poll_field_missing: {
    type: 'gauge',
    labels: ['endpoint', 'field'],
    group: 'default',
    help: 'Whether the field is missing in all records of at least one current vendor license that had it, or that needs it.',
  },
  license_endpoint_state: {
    type: 'gauge',
    labels: ['endpoint', 'state'],
    group: 'default',
    help: 'Whether the endpoint is in the state: polled, absent (the analyzer does not have it), off (by configuration).',
  },
} as const satisfies Readonly<Record<string, Metric>>;
