import type { FeatureRow } from '../../../src/inventory/feature-row.ts';
import { noFieldStates } from '../../../src/inventory/field-states.ts';
import type { Family } from '../../../src/metrics/family.ts';
import { attributeLabels } from '../../../src/metrics/info-metrics.ts';
import { featureLabels } from '../../../src/metrics/metric.ts';
import { collectRightsizing, type RightsizingState } from '../../../src/metrics/rightsizing-block.ts';
import { formatLabels } from '../../../src/metrics/rows.ts';
import { collectHistory, collectPolls, collectVendorLicenses } from '../../../src/metrics/site-collector.ts';
import type { SourceHealth } from '../../../src/observation/source.ts';
import { runAtOnce } from '../../../src/scheduling/slices.ts';
import { allCollectors } from '../../support/scenario.ts';
import type { Frame, Minute } from './frames.ts';
import { analyzerOf, type History, MINUTES, timeOf } from './history.ts';
import { owners } from './site-owners.ts';

/** What Prometheus scrapes over a history: the samples of each series by minute. */
export type Series = ReadonlyMap<string, readonly (number | undefined)[]>;

/** Receives a sample: metric, labels as on the page, value. */
type Emit = (name: string, labels: string, value: number | undefined) => void;

/** What the processes run. */
export const build = { version: '1.2.3', revision: 'abcdef', nodeVersion: 'v24.0.0' };

export const identityOfExporter = (history: Pick<History, 'seed'>) => ({
  analyzer: analyzerOf(history),
  shard: '',
  externalUrl: 'http://monitor.example.com:10319',
});

const nothingPolled = {
  polls: [],
  availability: [],
  up: false,
  knowledge: { products: false },
  fields: noFieldStates,
} as const;

function emitFamily({ name, rows, value }: Family, emit: Emit): void {
  const text = rows.arena.toString();
  // all labels are ASCII
  for (let row = 0; row < rows.count; row += 1)
    emit(name, text.slice(rows.offsets[row], rows.offsets[row + 1]), value(row));
}

/** The metrics of features that the rules read. */
const featureValues: Readonly<Record<string, (row: FeatureRow) => number | undefined>> = {
  license_feature_max_available: ({ maxAvailable }) => maxAvailable,
  license_feature_in_use: ({ inUse }) => inUse,
  license_feature_max_queued: ({ maxQueued }) => maxQueued,
  license_feature_expiration_timestamp_seconds: ({ expiration }) => expiration,
};

const attributesOf = ({ licenseType, licenseModel, tokenPool, tokenSource, mappedTo }: FeatureRow) =>
  [licenseType, licenseModel, tokenPool, tokenSource, mappedTo].map((value) => value ?? '');

function emitFeatures({ features }: Frame['inventory'], emit: Emit): void {
  for (const row of features.scan()) {
    const values = [row.vendorLicense, row.feature, row.version, row.package, row.featureType];
    const labels = formatLabels(featureLabels, values);
    for (const [name, value] of Object.entries(featureValues)) emit(name, labels, value(row));
    const owned = owners.of(row.vendorLicense, row.feature);
    const ownerValues = owners.names.map((name) => owned[name] ?? '');
    const labelsOfInfo = (names: readonly string[], extra: readonly string[]): string =>
      formatLabels([...featureLabels, ...names, ...owners.names], [...values, ...extra, ...ownerValues]);
    if (row.isReported) emit('license_feature_info', labelsOfInfo(attributeLabels, attributesOf(row)), 1);
    else emit('license_feature_expiration_info', labelsOfInfo([], []), 1);
  }
}

const asNumber = (up: boolean | undefined): number | undefined => (up === undefined ? undefined : Number(up));

function emitSource(
  { name: source, manager, failedReadings, contradictions, members, vendorLicenses }: SourceHealth,
  emit: Emit,
): void {
  const labels = (more: Readonly<Record<string, string>> = {}): string => {
    const all = { source, manager, ...more };
    return formatLabels(Object.keys(all), Object.values(all));
  };
  emit('license_source_contradictions_total', labels(), contradictions);
  emit('license_source_failed_readings', labels(), failedReadings);
  for (const { server, up } of members) emit('license_source_member_up', labels({ server }), asNumber(up));
  for (const name of vendorLicenses) emit('license_source_vendor_license_info', labels({ vendor_license: name }), 1);
}

/** What the metrics show of a pass. */
export const rightsizingOf = (forecasts: Frame['forecasts']): RightsizingState | undefined =>
  forecasts && {
    ...forecasts,
    durationSeconds: undefined,
    rows: forecasts.rows.map((row) => ({ ...row, needed: undefined })),
  };

/** The samples of one page, of the metrics that the rules read. */
export function emitPage(
  history: Pick<History, 'seed'>,
  { minute, startedAt, inventory, authenticated, sources = [], forecasts }: Frame,
  emit: Emit,
): void {
  const isPolled = minute > startedAt;
  const passed = rightsizingOf(forecasts);
  const rightsizing = passed === undefined ? [] : runAtOnce(collectRightsizing(passed));
  const families = [
    ...collectPolls(isPolled ? inventory : nothingPolled),
    ...(isPolled
      ? [
          ...collectVendorLicenses(inventory, allCollectors, owners),
          ...collectHistory(inventory, allCollectors),
          ...rightsizing,
        ]
      : []),
  ];
  for (const family of families) emitFamily(family, emit);
  if (isPolled) emitFeatures(inventory, emit);
  const { analyzer, shard, externalUrl } = identityOfExporter(history);
  const identity = { analyzer, shard, external_url: externalUrl };
  emit('license_exporter_analyzer_info', formatLabels(Object.keys(identity), Object.values(identity)), 1);
  const { version, revision, nodeVersion } = build;
  const buildLabels = formatLabels(['version', 'revision', 'node_version'], [version, revision, nodeVersion]);
  emit('license_exporter_build_info', buildLabels, 1);
  emit('license_exporter_config_last_reload_success_timestamp_seconds', '', timeOf(startedAt));
  emit('license_exporter_series_limit_exceeded', '', 0);
  emit('license_exporter_time_seconds', '', timeOf(minute));
  emit('license_exporter_shards', '', 1);
  emit('license_exporter_shard_index', '', 0);
  for (const source of sources) emitSource(source, emit);
  emit('license_upstream_authenticated', '', asNumber(authenticated));
}

/** Collects the series of a history, without those that no rule reads. */
export class SeriesRun {
  readonly #series = new Map<string, (number | undefined)[]>();
  readonly #history: Pick<History, 'seed'>;
  readonly #names: ReadonlySet<string>;

  constructor(history: Pick<History, 'seed'>, names: ReadonlySet<string>) {
    this.#history = history;
    this.#names = names;
  }

  /** Scrapes all targets. */
  add({ minute, targets, frames }: Minute): void {
    for (const instance of targets) {
      const frame = frames.find((each) => each.instance === instance);
      this.#sample(minute, instance, 'up', '', frame === undefined ? 0 : 1);
      if (frame === undefined) continue;
      emitPage(this.#history, frame, (name, labels, value) => {
        if (this.#names.has(name)) this.#sample(minute, instance, name, labels, value);
      });
    }
  }

  #sample(minute: number, instance: string, name: string, labels: string, value: number | undefined): void {
    if (value === undefined || Number.isNaN(value)) return;
    const target = `{job="license-exporter",instance="${analyzerOf(this.#history)}-${instance}:10319"`;
    const key = `${name}${target}${labels === '' ? '}' : `,${labels.slice(1)}`}`;
    const values = this.#series.get(key) ?? new Array<number | undefined>(MINUTES).fill(undefined);
    values[minute] = value;
    this.#series.set(key, values);
  }

  get all(): Series {
    return this.#series;
  }
}
