import type { Inventory } from '../inventory/inventory.ts';
import { availabilities } from '../inventory/poll-state.ts';
import { discardReasons } from '../model/records.ts';
import { catalogue, type MetricName } from './catalogue.ts';
import { createFamily, type Family, toNumber } from './family.ts';
import type { Enabled } from './feature-collector.ts';
import { buildRowsNow, noLabels, type Rows } from './rows.ts';

/** Metrics of which there are few: vendor licenses, servers, history, the site, and how polling goes. */

function rowsOf(name: MetricName, labels: readonly (readonly string[])[]): Rows {
  return buildRowsNow(
    catalogue[name].labels,
    labels.map((values) => JSON.stringify(values)),
    (row) => labels[row] ?? [],
  );
}

/** Metrics of GetProducts (spec 2.1) and GetServerDown (spec 2.4). */
export function collectVendorLicenses({ vendorLicenses }: Inventory, enabled: Enabled): Family[] {
  const all = [...vendorLicenses];
  const names = rowsOf(
    'license_server_up',
    all.map(({ vendorLicense }) => [vendorLicense]),
  );
  const reported = all.filter(({ isReported }) => isReported);
  const infos = reported.map(({ vendorLicense, server, daemon }) => [vendorLicense, server, daemon]);
  const downs = all.flatMap(({ vendorLicense, downQualifiers }) =>
    downQualifiers.map((qualifier) => [vendorLicense, qualifier]),
  );
  const icons = reported.map(({ vendorLicense, mappingIcon = '', expiredIcon = '' }) => [
    vendorLicense,
    mappingIcon,
    expiredIcon,
  ]);
  const { column } = vendorLicenses;
  const [up, isCurrent] = [column('up'), column('isCurrent')];
  const always = () => 1;
  return [
    createFamily('license_vendor_license_info', rowsOf('license_vendor_license_info', infos), always),
    ...(enabled.icons
      ? [createFamily('license_vendor_license_icon_info', rowsOf('license_vendor_license_icon_info', icons), always)]
      : []),
    createFamily('license_server_up', names, (row) => toNumber(up(row))),
    createFamily('license_server_down_info', rowsOf('license_server_down_info', downs), always),
    createFamily('license_vendor_license_last_collection_timestamp_seconds', names, column('collectionTime')),
    createFamily('license_vendor_license_min_expiration_timestamp_seconds', names, column('minLicenseExpiration')),
    createFamily('license_vendor_license_current', names, (row) => toNumber(isCurrent(row))),
    createFamily('license_vendor_license_max_available', names, column('maxAvailable')),
    createFamily('license_vendor_license_distinct_users', names, column('distinctUsers')),
    createFamily('license_vendor_license_active', names, column('active')),
    createFamily('license_vendor_license_inactive', names, column('inactive')),
    createFamily('license_vendor_license_indeterminate', names, column('indeterminate')),
    createFamily('license_vendor_license_mapped', names, column('mapped')),
    ...(enabled.log
      ? [
          createFamily('license_vendor_license_log_active', names, column('logActive')),
          createFamily('license_vendor_license_log_inactive', names, column('logInactive')),
        ]
      : []),
  ];
}

/** The newest point of GetHistory (spec 2.6) of the selected features. */
export function collectHistory({ history }: Inventory, enabled: Enabled): Family[] {
  if (!enabled.history) return [];
  const rows = rowsOf(
    'license_feature_history_denials',
    [...history].map((row) => [row.vendorLicense, row.feature, row.package, row.featureType]),
  );
  return [
    createFamily('license_feature_history_denials', rows, history.column('denials')),
    createFamily('license_feature_history_elapsed_time', rows, history.column('elapsedTime')),
    createFamily('license_feature_history_timestamp_seconds', rows, history.column('at')),
  ];
}

/** GetConcurrentUsers (spec 4.11). */
export function collectSite({ concurrentUsers }: Inventory): Family[] {
  return [createFamily('license_concurrent_users', noLabels, () => concurrentUsers)];
}

/** How polling goes. These are shown on every page and never age out. */
export function collectPolls({ polls, availability, up }: Pick<Inventory, 'polls' | 'availability' | 'up'>): Family[] {
  const rows = rowsOf(
    'license_poll_success',
    polls.map(({ endpoint }) => [endpoint]),
  );
  const discards = polls.flatMap((poll) => discardReasons.map((reason) => ({ poll, reason })));
  const discardRows = rowsOf(
    'license_poll_discarded_values',
    discards.map(({ poll, reason }) => [poll.endpoint, reason]),
  );
  const states = availability.flatMap(({ endpoint, state }) =>
    availabilities.map((each) => ({ endpoint, each, is: each === state })),
  );
  const stateRows = rowsOf(
    'license_endpoint_state',
    states.map(({ endpoint, each }) => [endpoint, each]),
  );
  const figure = (name: MetricName, read: (poll: (typeof polls)[number]) => number | undefined): Family =>
    createFamily(name, rows, (row) => {
      const poll = polls[row];
      return poll === undefined ? undefined : read(poll);
    });
  return [
    createFamily('license_up', noLabels, () => Number(up)),
    figure('license_poll_success', ({ success }) => Number(success)),
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
    createFamily('license_endpoint_state', stateRows, (row) => Number(states[row]?.is)),
  ];
}
