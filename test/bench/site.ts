import type { WireExpiration, WireFeature, WireProduct } from '../../src/base/query-api/records.ts';

/** A large site with complete records, as an analyzer would answer them. Some values change with each poll. */

export interface SiteSize {
  readonly vendorLicenses: number;
  /** Of each vendor license. */
  readonly features: number;
}

/** Number of samples and sum of the values of a gauge. */
export interface Total {
  readonly count: number;
  readonly sum: number;
}

export interface Site {
  readonly vendorLicenses: readonly string[];
  products(): Buffer;
  /** @param product a vendor license, or `%` for all */
  features(product: string): Buffer;
  expirations(product: string): Buffer;
  /** Changes every 20th record, spread evenly over the body. */
  change(): void;
  /** What the page must show, by metric. */
  totals(): Readonly<Record<string, Total>>;
}

/** One of this many records changes at once. */
const CHANGED_EVERY = 20;
const PERMANENT = 2_147_483_647;

const serverOf = (vendorLicense: number): string => `license-server-${String(vendorLicense).padStart(4, '0')}`;
const daemonOf = (vendorLicense: number): string => `vendor${vendorLicense % 100}d`;
const nameOf = (feature: number): string => `Simulation_${String(feature).padStart(7, '0')}`;
const expirationOf = (feature: number): number =>
  feature % 3 === 0 ? PERMANENT : 1_900_000_000 + (feature % 1000) * 86_400;
const log = (count: number): number => (count > 1 ? Math.log10(count) : 0);

/** @param revision how often the record has changed */
function figuresOf(feature: number, revision: number) {
  const maxAvailable = 20 + (feature % 80);
  const inUse = (feature * 7 + revision * 13) % maxAvailable;
  const inactive = Math.floor(inUse / 3);
  const reserved = feature % 8 === 0 ? 2 : 0;
  return {
    maxAvailable,
    inUse,
    inactive,
    active: inUse - inactive,
    borrowed: feature % 10 === 0 ? Math.min(2, inUse) : 0,
    unusedReserve: Math.min(reserved, maxAvailable - inUse),
    usedReserve: Math.min(reserved, inUse),
    users: Math.ceil(inUse * 0.8),
  };
}

function featureRecord(vendorLicense: number, feature: number, revision: number): WireFeature {
  const of = figuresOf(feature, revision);
  const queued = feature % 50 === 0 ? 3 : 0;
  return {
    Feature: nameOf(feature),
    TokenCost: '',
    TokenPool: '',
    TokenSource: '',
    ServerName: serverOf(vendorLicense),
    Daemon: daemonOf(vendorLicense),
    LicenseExpiration: expirationOf(feature),
    DistinctUsers: of.users,
    MaxAvailable: of.maxAvailable,
    MaxInUse: of.inUse,
    MaxBorrowed: of.borrowed,
    MaxQueued: queued,
    LicenseType: 'floating',
    FeatureType: 'feature',
    Version: `20${20 + (feature % 7)}.0`,
    LicenseModel: 'concurrent',
    Active: of.active,
    Inactive: of.inactive,
    BorrowedActive: of.borrowed,
    BorrowedInactive: 0,
    UnusedReserve: of.unusedReserve,
    UsedReserve: of.usedReserve,
    MappedTo: feature % 4 === 0 ? 'Solver' : null,
    TokenCostValue: 0,
    Available: of.maxAvailable - of.inUse - of.unusedReserve,
    InUse: of.inUse,
    ActiveUse: of.active,
    InactiveUse: of.inactive,
    BorrowedUse: of.borrowed,
    BorrowedActiveUse: of.borrowed,
    BorrowedInactiveUse: 0,
    AvailableUser: of.inUse > 0,
    Package: feature % 5 === 0 ? 'Simulation_Suite' : '',
    LogAvailable: log(of.maxAvailable - of.inUse),
    LogInUse: log(of.inUse),
    LogUnusedReserve: log(of.unusedReserve),
    LogQueued: feature % 10 === 0 ? Number.NaN : log(queued),
    LogUsedReserve: log(of.usedReserve),
    LogBorrowed: log(of.borrowed),
    LogActive: log(of.active),
    LogInactive: log(of.inactive),
    LogBorrowedActive: log(of.borrowed),
    LogBorrowedInactive: 0,
    ShowExpired: false,
    ShowWarning: false,
  };
}

function expirationRecord(feature: number): WireExpiration {
  const expiration = expirationOf(feature);
  return {
    Feature: nameOf(feature),
    Version: `20${20 + (feature % 7)}.0`,
    Package: feature % 5 === 0 ? 'Simulation_Suite' : '',
    LicenseExpiration: expiration,
    MinLicenseExpiration: expiration,
    ShowExpired: false,
    ShowWarning: false,
    LicenseType: 'floating',
    FeatureType: 'feature',
    LicenseExpirationToDate: `/Date(${expiration}000)/`,
  };
}

const productRecord = (Product: string): WireProduct => ({
  CollectionTime: Math.floor(Date.now() / 1000),
  DistinctUsers: 10,
  Active: 10,
  Inactive: 5,
  Indeterminate: 0,
  Mapped: 15,
  MinLicenseExpiration: 1_900_000_000,
  MaxAvailable: 100,
  Product,
  MappingIcon: '',
  ExpiredIcon: '',
  IsCurrent: true,
  LogActive: 1,
  LogInactive: Math.log10(5),
});

/** A record as the contract wants it: a logarithm that is not known is the bare literal NaN. */
const encode = (record: WireFeature): Buffer =>
  Buffer.from(JSON.stringify(record).replaceAll(/("Log\w+":)null/g, '$1NaN'));

function join(records: readonly Buffer[], open: string, close: string): Buffer {
  const comma = Buffer.from(',');
  const parts = records.flatMap((record, at) => (at === 0 ? [record] : [comma, record]));
  return Buffer.concat([Buffer.from(open), ...parts, Buffer.from(close)]);
}

export function createSite({ vendorLicenses, features }: SiteSize): Site {
  const count = vendorLicenses * features;
  const names = Array.from({ length: vendorLicenses }, (_, i) => `${serverOf(i)};${daemonOf(i)}`);
  const vendorLicenseOf = (feature: number): number => Math.floor(feature / features);
  const revisions = new Uint32Array(count);
  const recordOf = (feature: number): Buffer =>
    encode(featureRecord(vendorLicenseOf(feature), feature, revisions[feature] ?? 0));
  const records = Array.from({ length: count }, (_, feature) => recordOf(feature));
  let changes = 0;

  const totalOf = (value: (of: ReturnType<typeof figuresOf>) => number): Total => {
    let sum = 0;
    for (let feature = 0; feature < count; feature += 1) sum += value(figuresOf(feature, revisions[feature] ?? 0));
    return { count, sum };
  };

  return {
    vendorLicenses: names,
    products: () => Buffer.from(JSON.stringify(names.map(productRecord))),
    features: (product) => {
      const from = product === '%' ? 0 : names.indexOf(product) * features;
      return join(records.slice(from, product === '%' ? count : from + features), '[[', ']]');
    },
    expirations: (product) => {
      const from = names.indexOf(product) * features;
      return Buffer.from(JSON.stringify(Array.from({ length: features }, (_, i) => expirationRecord(from + i))));
    },
    change: () => {
      for (let feature = changes % CHANGED_EVERY; feature < count; feature += CHANGED_EVERY) {
        revisions[feature] = (revisions[feature] ?? 0) + 1;
        records[feature] = recordOf(feature);
      }
      changes += 1;
    },
    totals: () => ({
      license_feature_max_available: totalOf(({ maxAvailable }) => maxAvailable),
      license_feature_in_use: totalOf(({ inUse }) => inUse),
      license_feature_inactive_use: totalOf(({ inactive }) => inactive),
      license_feature_borrowed_use: totalOf(({ borrowed }) => borrowed),
      license_feature_used_reserve: totalOf(({ usedReserve }) => usedReserve),
      license_feature_distinct_users: totalOf(({ users }) => users),
      license_feature_info: totalOf(() => 1),
    }),
  };
}
