import type { productFields } from '../query-api/product-fields.ts';
import { gauges, type MetricOf } from './metric.ts';

/** The metrics of fields of GetProducts, in page order. */
export const vendorLicenseMetrics = gauges<MetricOf<typeof productFields>>(['vendor_license'], {
  license_vendor_license_last_collection_timestamp_seconds: {
    group: 'default',
    help: 'Unix time of the last data collection, absent before the first, from GetProducts.CollectionTime.',
  },
  license_vendor_license_min_expiration_timestamp_seconds: {
    group: 'default',
    help: 'Unix time of the earliest license expiration, +Inf if permanent, absent if unknown, from GetProducts.MinLicenseExpiration.',
  },
  license_vendor_license_current: {
    group: 'default',
    help: 'Whether the analyzer considers the data current, from GetProducts.IsCurrent.',
  },
  license_vendor_license_max_available: {
    group: 'default',
    help: 'Licenses available at most, to which an analyzer may add 99999 for each uncounted feature, from GetProducts.MaxAvailable.',
  },
  license_vendor_license_distinct_users: {
    group: 'default',
    help: 'Distinct users, from GetProducts.DistinctUsers; maximum of merged records, lower bound.',
  },
  license_vendor_license_active: { group: 'default', help: 'Active usage, from GetProducts.Active.' },
  license_vendor_license_inactive: { group: 'default', help: 'Inactive usage, from GetProducts.Inactive.' },
  license_vendor_license_indeterminate: {
    group: 'default',
    help: 'Indeterminate usage, from GetProducts.Indeterminate.',
  },
  license_vendor_license_mapped: { group: 'default', help: 'Mapped usage, from GetProducts.Mapped.' },
  license_vendor_license_log_active: {
    group: 'log',
    help: 'log10 of Active; absent when the API reports NaN, from GetProducts.LogActive.',
  },
  license_vendor_license_log_inactive: {
    group: 'log',
    help: 'log10 of Inactive; absent when the API reports NaN, from GetProducts.LogInactive.',
  },
});
