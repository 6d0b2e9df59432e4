import type {
  ExpirationRecord,
  FeatureRecord,
  ProductRecord,
  ServerDownRecord,
  UserRecord,
} from '../../model/records.ts';
import { decideUncounted } from '../../model/uncounted.ts';
import { parseVendorLicense } from '../../model/vendor-license.ts';
import type { Fields } from '../../query-api/field.ts';
import { recordFields } from '../../query-api/records.ts';
import { createRecordReader, type RecordReader } from './record-reader.ts';
import type { WireValues } from './wire-values.ts';

/** The records of an endpoint. */
export interface RecordKind<R> {
  readonly fields: Fields;
  /** The identifying field. A record without it is discarded. */
  readonly identity: string;
  readonly isUsable: (identity: unknown, values: WireValues) => boolean;
  readonly reader: RecordReader<R>;
  /** Whether equal records are about different things. Other equal records count once. */
  readonly mayRepeat?: true;
}

const hasText: RecordKind<unknown>['isUsable'] = (identity, values) => values.text(identity) !== '';

/** Spec 2.1. */
export const products: RecordKind<ProductRecord> = {
  fields: recordFields.GetProducts,
  identity: 'Product',
  // a number, or only separators, does not name a vendor license
  isUsable: (product) => typeof product === 'string' && /[^;\s]/.test(product),
  reader: createRecordReader(recordFields.GetProducts, {
    // before the first collection of a server, the expiry of its licenses is not known
    minLicenseExpiration: (raw, values, { collectionTime }) =>
      collectionTime === undefined ? undefined : values.expiration(raw.MinLicenseExpiration),
  }),
};

const readFeatures = createRecordReader(recordFields.GetFeatures);

/** Spec 2.2. */
export const features: RecordKind<FeatureRecord> = {
  fields: recordFields.GetFeatures,
  identity: 'Feature',
  isUsable: hasText,
  reader: (...inputs) => {
    const read = readFeatures(...inputs);
    return (raw) => decideUncounted(read(raw));
  },
};

/** Spec 2.3. */
export const users: RecordKind<UserRecord> = {
  fields: recordFields.GetUsers,
  identity: 'UserName',
  // one user can have two checkouts of the same minute, without handles
  mayRepeat: true,
  isUsable: hasText,
  reader: createRecordReader(recordFields.GetUsers, {
    appStatus: ({ app_status: status }) => {
      if (typeof status === 'boolean') return String(status);
      return typeof status === 'string' || typeof status === 'number' ? status : undefined;
    },
    // the specification uses null if there is no value
    appDuration: ({ app_duration: duration }, values) => (duration === null ? undefined : values.quantity(duration)),
  }),
};

/** Spec 2.4. */
export const serversDown: RecordKind<ServerDownRecord> = {
  fields: recordFields.GetServerDown,
  identity: 'Label',
  isUsable: (label) => {
    if (typeof label !== 'string') return false;
    // a text without server and daemon, such as a message, does not name a server that is down
    const { server, daemon } = parseVendorLicense(label);
    return server !== '' && daemon !== '';
  },
  reader: createRecordReader(recordFields.GetServerDown),
};

/** Spec 2.5. */
export const expirations: RecordKind<ExpirationRecord> = {
  fields: recordFields.GetExpirationFeatures,
  identity: 'Feature',
  isUsable: hasText,
  reader: createRecordReader(recordFields.GetExpirationFeatures, {
    licenseExpiration: (raw, values) => values.expiration(raw.LicenseExpiration, raw.LicenseExpirationToDate),
    // related licenses cannot all be permanent if one of them expires
    minLicenseExpiration: (raw, values, { licenseExpiration }) => {
      const end = values.expiration(raw.MinLicenseExpiration);
      return end === Number.POSITIVE_INFINITY && licenseExpiration !== end ? undefined : end;
    },
  }),
};
