import type { Owners } from '../../base/model/owners.ts';
import { discardReasons } from '../../base/model/records.ts';
import { isKnown } from '../../base/model/unknown.ts';
import { forEachSliced, runSliced } from '../../base/scheduling/slices.ts';
import type { IsSaturated } from '../inventory/feature-row.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { Knowledge } from '../inventory/knowledge.ts';
import type { VendorLicenseRow } from '../inventory/vendor-license-row.ts';
import { catalogue, type MetricName } from './catalogue.ts';
import { type Block, collectGauges, createBlock, createFamily, type Family, labelsOf, toNumber } from './family.ts';
import { fieldGauges } from './field-metrics.ts';
import { type Enabled, historyLabels, isEnabled } from './metric.ts';
import { buildRows, buildRowsInSlices, noLabels, type Rows } from './rows.ts';

/** Metrics with few series: vendor licenses, servers, history, the site, and the state of polling. */

/** The figures of a feature. Days are local days of the analyzer, counted from 1970-01-01. */
export interface RightsizingFigures {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
  readonly needed: number | undefined;
  readonly confirmedRunsOut: number | undefined;
}

/** The results of the last pass of right-sizing. */
export interface RightsizingState {
  /** When it was finished, epoch seconds. */
  readonly computedAt: number;
  readonly durationSeconds: number | undefined;
  /** Another array after each pass. */
  readonly rows: readonly RightsizingFigures[];
  /** When a day begins, epoch seconds. */
  startOf(day: number): number;
}

/** The metrics of right-sizing, in slices. */
export function* collectRightsizing({
  rows,
  computedAt,
  durationSeconds,
  startOf,
}: RightsizingState): Generator<void, readonly Family[]> {
  const labels = catalogue.license_feature_needed.labels;
  const features = yield* buildRowsInSlices(labels, rows, ({ vendorLicense, feature, package: pkg, featureType }) => [
    vendorLicense,
    feature,
    pkg,
    featureType,
  ]);
  return [
    createFamily('license_feature_needed', features, (row) => rows[row]?.needed),
    createFamily('license_feature_runs_out_timestamp_seconds', features, (row) => {
      const day = rows[row]?.confirmedRunsOut;
      return day === undefined ? undefined : startOf(day);
    }),
    createFamily('license_rightsizing_last_success_timestamp_seconds', noLabels, () => computedAt),
    createFamily('license_rightsizing_duration_seconds', noLabels, () => durationSeconds),
  ];
}

const isSame = (one: RightsizingState, other: RightsizingState): boolean =>
  one.rows === other.rows && one.computedAt === other.computedAt && one.durationSeconds === other.durationSeconds;

/** About 800 samples: it is rendered at night, in code that has not run for a day. */
const CHUNK_BYTES = 96 * 1024;

/**
 * The block of right-sizing. It is rendered in slices, because it has several samples for each feature, and once for each pass:
 * the results are the same all day.
 */
export class RightsizingBlock {
  #shown: { readonly state: RightsizingState; readonly block: Block; readonly budget: number } | undefined;

  /** @param state `undefined` before the first pass, or if these metrics are off @param budget maximum number of series */
  async render(state: RightsizingState | undefined, budget: number): Promise<Block> {
    if (state === undefined) {
      this.#shown = undefined;
      return createBlock([], budget);
    }
    const shown = this.#shown;
    if (shown !== undefined && isSame(state, shown.state)) {
      const fits = shown.block.isLimited ? shown.budget === budget : shown.block.series <= budget;
      if (fits) return shown.block;
    }
    const block = await createBlock(await runSliced(collectRightsizing(state)), budget, CHUNK_BYTES);
    this.#shown = { state, block, budget };
    return block;
  }
}

function rowsOf(name: MetricName, labels: readonly (readonly string[])[]): Rows {
  return buildRows(catalogue[name].labels, labels);
}

const productGauges = fieldGauges('GetProducts');

/** The labels of `license_vendor_license_info` before those of its owner. */
const identityLabels = ['vendor_license', 'server', 'daemon'] as const;

/** Which data of a vendor license can be known, and whether it is. */
const dataOfVendorLicense: Readonly<Record<string, (row: VendorLicenseRow, knowledge: Knowledge) => boolean>> = {
  server: ({ up }) => up !== undefined,
  collection: ({ vendorLicense, collectionTime }, knowledge) =>
    isKnown(collectionTime) && knowledge.collection(vendorLicense),
  features: ({ vendorLicense }, knowledge) => knowledge.features(vendorLicense),
  usage: ({ vendorLicense, isWithheld }, knowledge) => !isWithheld && knowledge.features(vendorLicense),
  expirations: ({ vendorLicense }, knowledge) => knowledge.expiries(vendorLicense),
};

/** Which data of each vendor license is known. */
function collectKnowledge(all: readonly VendorLicenseRow[], knowledge: Knowledge): Family {
  const known = all.flatMap((row) =>
    Object.entries(dataOfVendorLicense).map(([data, isDataKnown]) => ({
      labels: [row.vendorLicense, data],
      value: Number(isDataKnown(row, knowledge)),
    })),
  );
  const rows = rowsOf(
    'license_vendor_license_data_known',
    known.map(({ labels }) => labels),
  );
  return createFamily('license_vendor_license_data_known', rows, (row) => known[row]?.value);
}

/** Metrics of GetProducts (spec 2.1) and GetServerDown (spec 2.4). */
export function collectVendorLicenses(
  { vendorLicenses, knowledge }: Inventory,
  enabled: Enabled,
  owners: Owners,
): Family[] {
  const { license_vendor_license_icon_info: icons } = catalogue;
  const names = rowsOf(
    'license_server_up',
    vendorLicenses.map(({ vendorLicense }) => [vendorLicense]),
  );
  const reported = vendorLicenses.filter(({ isReported }) => isReported);
  const named = vendorLicenses.filter(({ isReported, isKept }) => isReported || isKept);
  const identity = labelsOf<(typeof identityLabels)[number], VendorLicenseRow>(identityLabels);
  const infoRows = buildRows(
    [...identityLabels, ...owners.names],
    named.map((row) => {
      const labels = identity(row);
      const owner = owners.of(labels[0] ?? '');
      return [...labels, ...owners.names.map((name) => owner[name] ?? '')];
    }),
  );
  const iconRows = rowsOf('license_vendor_license_icon_info', reported.map(labelsOf(icons.labels)));
  const downs = vendorLicenses.flatMap(({ vendorLicense, downQualifiers }) =>
    downQualifiers.map((qualifier) => [vendorLicense, qualifier]),
  );
  const always = () => 1;
  return [
    createFamily('license_vendor_license_info', infoRows, always),
    ...(isEnabled(icons, enabled) ? [createFamily('license_vendor_license_icon_info', iconRows, always)] : []),
    createFamily('license_server_up', names, (row) => toNumber(vendorLicenses[row]?.up)),
    collectKnowledge(vendorLicenses, knowledge),
    createFamily('license_server_down_info', rowsOf('license_server_down_info', downs), always),
    ...collectGauges(productGauges, enabled, vendorLicenses, names),
  ];
}

/** How many features of each vendor license are saturated, of those whose share in use is known. */
export async function collectSaturated(
  { features }: Pick<Inventory, 'features'>,
  isSaturated: IsSaturated,
): Promise<Family[]> {
  const counts = new Map<string, number>();
  await forEachSliced(features, (row) => {
    const isFull = isSaturated(row);
    if (isFull === undefined) return;
    counts.set(row.vendorLicense, (counts.get(row.vendorLicense) ?? 0) + Number(isFull));
  });
  const name = 'license_vendor_license_saturated_features';
  const rows = rowsOf(
    name,
    Array.from(counts.keys(), (vendorLicense) => [vendorLicense]),
  );
  const values = [...counts.values()];
  return [createFamily(name, rows, (row) => values[row])];
}

/** The newest point of GetHistory (spec 2.6) of the selected features. */
export function collectHistory({ history }: Inventory, enabled: Enabled): Family[] {
  if (!enabled.history) return [];
  const rows = rowsOf('license_feature_history_denials', history.map(labelsOf(historyLabels)));
  return [
    createFamily('license_feature_history_denials', rows, (row) => toNumber(history[row]?.denials)),
    createFamily('license_feature_history_elapsed_time', rows, (row) => toNumber(history[row]?.elapsedTime)),
    createFamily('license_feature_history_timestamp_seconds', rows, (row) => history[row]?.at),
  ];
}

/** GetConcurrentUsers (spec 4.11). */
export function collectSite({ concurrentUsers }: Inventory): Family[] {
  return [createFamily('license_concurrent_users', noLabels, () => toNumber(concurrentUsers))];
}

/** The part of an inventory that says how polling goes. */
export type PollingState = Pick<Inventory, 'polls' | 'availability' | 'up' | 'fields'> & {
  readonly knowledge: Pick<Inventory['knowledge'], 'products'>;
};

/** The state of polling. Its metrics are on every page and never age out. */
export function collectPolls({ polls, availability, up, knowledge, fields }: PollingState): Family[] {
  const rows = rowsOf(
    'license_poll_success',
    polls.map(({ endpoint }) => [endpoint]),
  );
  const discards = polls.flatMap((poll) => discardReasons.map((reason) => ({ poll, reason })));
  const discardRows = rowsOf(
    'license_poll_discarded_values',
    discards.map(({ poll, reason }) => [poll.endpoint, reason]),
  );
  const fieldRows = rowsOf(
    'license_poll_field_missing',
    fields.list.map(({ endpoint, field }) => [endpoint, field]),
  );
  const stateRows = rowsOf(
    'license_endpoint_state',
    availability.map(({ endpoint, state }) => [endpoint, state]),
  );
  const figure = (name: MetricName, read: (poll: (typeof polls)[number]) => number | undefined): Family =>
    createFamily(name, rows, (row) => {
      const poll = polls[row];
      return poll === undefined ? undefined : read(poll);
    });
  return [
    createFamily('license_up', noLabels, () => Number(up)),
    createFamily('license_data_known', rowsOf('license_data_known', [['vendor_licenses']]), () =>
      Number(knowledge.products),
    ),
    figure('license_poll_success', ({ success }) => Number(success)),
    figure('license_poll_incomplete', ({ isIncomplete }) => Number(isIncomplete)),
    figure('license_poll_duration_seconds', ({ duration }) => duration),
    figure('license_poll_records', ({ records }) => records),
    figure('license_poll_last_attempt_timestamp_seconds', ({ lastAttempt }) => lastAttempt),
    figure('license_poll_last_success_timestamp_seconds', ({ lastSuccess }) => lastSuccess ?? 0),
    figure('license_poll_interval_seconds', ({ interval }) => interval),
    createFamily('license_poll_discarded_values', discardRows, (row) => {
      const discard = discards[row];
      return discard?.poll.discarded[discard.reason];
    }),
    figure('license_poll_merged_records', ({ mergedRecords }) => mergedRecords),
    createFamily('license_poll_field_missing', fieldRows, (row) => Number(fields.list[row]?.missing.length !== 0)),
    createFamily('license_endpoint_state', stateRows, () => 1),
  ];
}
