import type { Metric } from './metric.ts';

const labels = ['source', 'manager'] as const;

/** Metrics of the sources of the embedded analyzer. */
export const sourceMetrics = {
  license_source_up: {
    type: 'gauge',
    labels: [...labels],
    group: 'sources',
    help: 'Whether the last reading of the source was complete: its license server and all of its vendor daemons answered. No sample before the first reading is over.',
  },
  license_source_member_up: {
    type: 'gauge',
    labels: [...labels, 'server'],
    group: 'sources',
    help: 'Whether this server of the source answered at the last reading. Redundant servers are several. No sample if the reading did not show it.',
  },
  license_source_failed_readings: {
    type: 'gauge',
    labels: [...labels],
    group: 'sources',
    help: 'Readings in succession that failed or were not complete, 0 after a complete one. A redundant server that is down does not count. No sample before the first reading is over.',
  },
  license_source_vendor_license_info: {
    type: 'gauge',
    labels: [...labels, 'vendor_license'],
    group: 'sources',
    help: 'Vendor license of the source, always 1.',
  },
  license_source_last_success_timestamp_seconds: {
    type: 'gauge',
    labels: [...labels],
    group: 'sources',
    help: 'Unix time of the last reading that gave data. No sample before the first one.',
  },
  license_source_duration_seconds: {
    type: 'gauge',
    labels: [...labels],
    group: 'sources',
    help: 'Duration of the last reading.',
  },
  license_source_unparsed_lines: {
    type: 'gauge',
    labels: [...labels],
    group: 'sources',
    help: 'Lines of the last output that were not understood.',
  },
  license_source_contradictions_total: {
    type: 'counter',
    labels: [...labels],
    group: 'sources',
    help: 'Statements of the output that contradicted each other.',
  },
  license_source_runs_total: {
    type: 'counter',
    labels: [...labels, 'result'],
    group: 'sources',
    help: 'Readings of the source by result: ok, skipped because the previous one was not over, or the kind of the failure.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
