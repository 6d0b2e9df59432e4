import type { Inventory, VendorLicenseEntry } from '../inventory/inventory.ts';
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
  const names = rowsOf(
    'license_server_up',
    vendorLicenses.map(({ vendorLicense }) => [vendorLicense]),
  );
  const listed = vendorLicenses.filter(({ product }) => product !== undefined);
  const infos = listed.map(({ vendorLicense, server, daemon }) => [vendorLicense, server, daemon]);
  const downs = vendorLicenses.flatMap(({ vendorLicense, downQualifiers }) =>
    downQualifiers.map((qualifier) => [vendorLicense, qualifier]),
  );
  const icons = listed.map(({ vendorLicense, product }) => [
    vendorLicense,
    product?.mappingIcon ?? '',
    product?.expiredIcon ?? '',
  ]);
  type Product = NonNullable<VendorLicenseEntry['product']>;
  const figure = (name: MetricName, read: (product: Product) => number | undefined): Family =>
    createFamily(name, names, (row) => {
      const product = vendorLicenses[row]?.product;
      return product === undefined ? undefined : read(product);
    });
  const always = () => 1;
  return [
    createFamily('license_vendor_license_info', rowsOf('license_vendor_license_info', infos), always),
    ...(enabled.icons
      ? [createFamily('license_vendor_license_icon_info', rowsOf('license_vendor_license_icon_info', icons), always)]
      : []),
    createFamily('license_server_up', names, (row) => toNumber(vendorLicenses[row]?.up)),
    createFamily('license_server_down_info', rowsOf('license_server_down_info', downs), always),
    figure('license_vendor_license_last_collection_timestamp_seconds', ({ collectionTime }) => collectionTime),
    figure('license_vendor_license_min_expiration_timestamp_seconds', (product) => product.minLicenseExpiration),
    figure('license_vendor_license_current', ({ isCurrent }) => toNumber(isCurrent)),
    figure('license_vendor_license_max_available', ({ maxAvailable }) => maxAvailable),
    figure('license_vendor_license_distinct_users', ({ distinctUsers }) => distinctUsers),
    figure('license_vendor_license_active', ({ active }) => active),
    figure('license_vendor_license_inactive', ({ inactive }) => inactive),
    figure('license_vendor_license_indeterminate', ({ indeterminate }) => indeterminate),
    figure('license_vendor_license_mapped', ({ mapped }) => mapped),
    ...(enabled.log
      ? [
          figure('license_vendor_license_log_active', ({ logActive }) => logActive),
          figure('license_vendor_license_log_inactive', ({ logInactive }) => logInactive),
        ]
      : []),
  ];
}

/** The newest point of GetHistory (spec 2.6) of the selected features. */
export function collectHistory({ history }: Inventory, enabled: Enabled): Family[] {
  if (!enabled.history) return [];
  const rows = rowsOf(
    'license_feature_history_denials',
    history.map((entry) => [entry.vendorLicense, entry.feature, entry.package, entry.featureType]),
  );
  return [
    createFamily('license_feature_history_denials', rows, (row) => history[row]?.denials),
    createFamily('license_feature_history_elapsed_time', rows, (row) => history[row]?.elapsedTime),
    createFamily('license_feature_history_timestamp_seconds', rows, (row) => history[row]?.at),
  ];
}

/** GetConcurrentUsers (spec 4.11). */
export function collectSite({ concurrentUsers }: Inventory): Family[] {
  return [createFamily('license_concurrent_users', noLabels, () => concurrentUsers)];
}

/** How polling goes. These are shown on every page and never age out. */
export function collectPolls({ polls, availability, up }: Inventory): Family[] {
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
