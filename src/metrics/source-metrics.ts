import { metricsOf } from './metric.ts';

const labels = ['source', 'manager'] as const;

/** Metrics of the sources of the embedded analyzer. */
export const sourceMetrics = {
  ...metricsOf('sources', labels, {
    license_source_up:
      'Whether the last reading of the source was complete: its license server and all of its vendor daemons answered. No sample before the first reading is over.',
  }),
  ...metricsOf('sources', [...labels, 'server'], {
    license_source_member_up:
      'Whether this server of the source answered at the last reading. Redundant servers are several. No sample if the reading did not show it.',
  }),
  ...metricsOf('sources', labels, {
    license_source_failed_readings:
      'Readings in succession that failed or were not complete, 0 after a complete one. A redundant server that is down does not count. No sample before the first reading is over.',
  }),
  ...metricsOf('sources', [...labels, 'vendor_license'], {
    license_source_vendor_license_info: 'Vendor license of the source, always 1.',
  }),
  ...metricsOf('sources', labels, {
    license_source_last_success_timestamp_seconds:
      'Unix time of the last reading that gave data. No sample before the first one.',
    license_source_duration_seconds: 'Duration of the last reading.',
    license_source_unparsed_lines: 'Lines of the last output that were not understood.',
    license_source_contradictions_total: 'Statements of the output that contradicted each other.',
  }),
  ...metricsOf('sources', [...labels, 'result'], {
    license_source_runs_total:
      'Readings of the source by result: ok, skipped because the previous one was not over, or the kind of the failure.',
  }),
} as const;
