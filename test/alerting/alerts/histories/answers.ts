import type { TrendSeries } from '../../../../src/base/model/history.ts';
import type {
  Answer,
  ExpirationRecord,
  FeatureRecord,
  ProductRecord,
  ServerDownRecord,
} from '../../../../src/base/model/records.ts';
import { parseVendorLicense } from '../../../../src/base/model/vendor-license.ts';
import { answer, expiration, feature, product } from '../../../support/scenario.ts';
import { trendOf } from '../../../support/trend.ts';
import type { World, WorldFeature } from './world.ts';

/** What the analyzer answers in one minute. */
export interface Answers {
  products(badRecords: number): Answer<ProductRecord>;
  serversDown(badRecords: number): Answer<ServerDownRecord>;
  /** @param vendorLicense all of them if empty */
  features(vendorLicense: string, badRecords: number): Answer<FeatureRecord>;
  expirations(vendorLicense: string, badRecords: number): Answer<ExpirationRecord>;
  history(feature: WorldFeature): readonly TrendSeries[];
}

/** The day of all denials, epoch milliseconds. */
const DENIALS_AT = 1000;

const usageOf = ({ maxAvailable = 0, inUse = 0 }: WorldFeature) => ({ available: Math.max(0, maxAvailable - inUse) });

const featureRecord = (row: WorldFeature) => {
  const { server, daemon } = parseVendorLicense(row.vendorLicense);
  return feature({
    feature: row.feature,
    version: row.version,
    package: row.package,
    featureType: row.featureType,
    serverName: server,
    daemon,
    licenseType: row.licenseType,
    licenseExpiration: row.expiration,
    maxAvailable: row.maxAvailable,
    inUse: row.inUse,
    maxQueued: row.queued,
    ...usageOf(row),
  });
};

const expirationRecord = (row: WorldFeature) =>
  expiration({
    feature: row.feature,
    version: row.version,
    package: row.package,
    featureType: row.featureType,
    licenseType: row.licenseType,
    licenseExpiration: row.expiration,
    minLicenseExpiration: row.expiration,
  });

const sumOf = (features: readonly WorldFeature[]): number =>
  features.reduce((sum, { maxAvailable = 0 }) => sum + maxAvailable, 0);

/** Creates answers. Equal answers of features are the same object, so that the features are derived only when they change. */
export function createAnswers(): (world: World) => Answers {
  const stored = new Map<string, unknown>();
  const once = <T>(key: readonly unknown[], create: () => T): T => {
    const text = JSON.stringify(key, (_, value) => (value === Number.POSITIVE_INFINITY ? 'permanent' : value));
    const found = (stored.get(text) as T | undefined) ?? create();
    stored.set(text, found);
    return found;
  };
  return ({ vendorLicenses, features: all }) => {
    const of = (vendorLicense: string) =>
      vendorLicense === '' ? all : all.filter((row) => row.vendorLicense === vendorLicense);
    return {
      products: (bad) =>
        answer(
          vendorLicenses.map(({ name, isCurrent, collectionTime }) =>
            product({ product: name, isCurrent, collectionTime, maxAvailable: sumOf(of(name)) }),
          ),
          { bad_record: bad },
        ),
      serversDown: (bad) =>
        answer(
          vendorLicenses.filter(({ isDown }) => isDown).map(({ name }) => ({ label: name })),
          { bad_record: bad },
        ),
      features: (name, bad) =>
        once(['features', of(name), bad], () => answer(of(name).map(featureRecord), { bad_record: bad })),
      expirations: (name, bad) =>
        once(['expirations', of(name), bad], () => answer(of(name).map(expirationRecord), { bad_record: bad })),
      history: ({ denials }) => [
        trendOf('Denials', [[DENIALS_AT, denials]]),
        trendOf('Elapsed Time', [[DENIALS_AT, 1]]),
      ],
    };
  };
}
