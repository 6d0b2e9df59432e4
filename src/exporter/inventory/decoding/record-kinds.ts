import type {
  ExpirationRecord,
  FeatureRecord,
  ProductRecord,
  ServerDownRecord,
  UserRecord,
} from '../../../base/model/records.ts';
import { decideUncounted } from '../../../base/model/uncounted.ts';
import { parseVendorLicense } from '../../../base/model/vendor-license.ts';
import type { Field, Fields, FieldType } from '../../../base/query-api/field.ts';
import { type ModelRecord, type ModelTypes, modelName, recordFields } from '../../../base/query-api/records.ts';
import { createWireValues, type WireValues } from './wire-values.ts';

/**
 * The kinds of records, and which fields of its table a record has, with any values: one bit for each field, in a number that is
 * exact up to 2 ** 53. Tables have at most 53 fields.
 */

/** The bit of each field. @throws RangeError for a table with too many fields */
function fieldBits(fields: Fields): ReadonlyMap<string, number> {
  const names = Object.keys(fields);
  if (names.length > 53) throw new RangeError('a table has more fields than a number has bits');
  return new Map(names.map((name, i) => [name, 2 ** i]));
}

const HIGH = 2 ** 32;

/** The bits of either number. */
export const unionOfBits = (a: number, b: number): number =>
  a === b ? a : ((a / HIGH) | (b / HIGH)) * HIGH + ((a | b) >>> 0);

/** The fields of these bits, in the order of the table. */
export function fieldsOfBits(fields: Fields, bits: number): readonly string[] {
  return Object.keys(fields).filter((_, i) => Math.floor(bits / 2 ** i) % 2 === 1);
}

/** A record of the answer before it is checked. */
export type Raw = Readonly<Record<string, unknown>>;

/** Which fields of the table the last record had. */
export interface PresentFields {
  bits: number;
}

/** Reads the records of one answer. `onUnknown` gets the names of fields that are not in the table. */
export type RecordReader<R> = (
  values: WireValues,
  onUnknown: (name: string) => void,
  present: PresentFields,
) => (raw: Raw) => R;

/** Readers of fields that depend on other fields. They run last, in this order. */
type OwnReaders<R> = { readonly [K in keyof R]?: (raw: Raw, values: WireValues, record: R) => R[K] };

type Reader<T> = (values: WireValues, value: unknown) => T;

const scalar = (value: unknown): string | number | boolean | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;

const readersByType: { readonly [T in Exclude<FieldType, 'date'>]: Reader<ModelTypes[T]> } = {
  count: (values, value) => values.count(value),
  quantity: (values, value) => values.quantity(value),
  number: (values, value) => values.number(value),
  time: (values, value) => values.seconds(value),
  expiration: (values, value) => values.expiration(value),
  text: (values, value) => values.name(value),
  flag: (values, value) => values.boolean(value),
  scalar: (_, value) => scalar(value),
};

const optionalText: Reader<string | undefined> = (values, value) =>
  typeof value === 'string' ? values.name(value) : undefined;

/** Reads a field that is missing. */
const noValues = createWireValues(0);

/** The reader for the type of a field; `undefined` for a field that only repeats another. */
function readerOf({ type, unknown, metric }: Field): Reader<unknown> | undefined {
  if (type === 'date') return undefined;
  if (metric === 'label') return readersByType.text;
  return type === 'text' && unknown === 'null' ? optionalText : readersByType[type];
}

/** Creates the reader of a table's records. Each record has every field, in the order of the table. */
function createRecordReader<F extends Fields, R extends ModelRecord<F>>(
  fields: F,
  own: NoInfer<OwnReaders<R>> = {},
): RecordReader<R> {
  const columns = Object.entries(fields).map(([wireName, field]) => ({
    wireName,
    name: modelName(wireName),
    reader: readerOf(field),
  }));
  const others = Object.entries(own) as [string, (raw: Raw, values: WireValues, record: R) => unknown][];
  const bits = fieldBits(fields);
  // created once, and not for each answer, which can be small
  const readers = new Map(
    columns.map(({ wireName, name, reader }) => [
      wireName,
      { name, bit: bits.get(wireName) ?? 0, read: Object.hasOwn(own, name) ? undefined : reader },
    ]),
  );
  // copies of one object share its shape, which makes the records faster to use
  const empty = Object.fromEntries(
    columns.flatMap(({ name, reader }) => (reader === undefined ? [] : [[name, reader(noValues, undefined)]])),
  );
  return (values, onUnknown, present) => (raw) => {
    present.bits = 0;
    const record: Record<string, unknown> = { ...empty };
    // iterates over the fields of the record; looking up each field of the table takes twice as long
    for (const wireName in raw) {
      const field = readers.get(wireName);
      if (field === undefined) {
        onUnknown(wireName);
        continue;
      }
      // a record names each field once
      present.bits += field.bit;
      if (field.read !== undefined) record[field.name] = field.read(values, raw[wireName]);
    }
    for (const [name, read] of others) record[name] = read(raw, values, record as R);
    return record as R;
  };
}

/** The records of an endpoint. */
export interface RecordKind<R> {
  readonly fields: Fields;
  /** The identifying field. A record without it is discarded. */
  readonly identity: string;
  readonly isUsable: (identity: unknown, values: WireValues) => boolean;
  readonly reader: RecordReader<R>;
  /** The vendor license that a record names, as it spells it; set if missing fields are noticed by vendor license. */
  ownerOf?(record: R): string;
  /** Whether the answer is about several vendor licenses, so that a record must name its own. */
  readonly needsOwner?: true;
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
  ownerOf: ({ product }) => product,
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
  ownerOf: ({ serverName, daemon }) => `${serverName};${daemon}`,
  needsOwner: true,
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
  ownerOf: () => '',
  reader: createRecordReader(recordFields.GetExpirationFeatures, {
    licenseExpiration: (raw, values) => values.expiration(raw.LicenseExpiration, raw.LicenseExpirationToDate),
    // related licenses cannot all be permanent if one of them expires
    minLicenseExpiration: (raw, values, { licenseExpiration }) => {
      const end = values.expiration(raw.MinLicenseExpiration);
      return end === Number.POSITIVE_INFINITY && licenseExpiration !== end ? undefined : end;
    },
  }),
};
