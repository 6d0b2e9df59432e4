import { QueryError } from '../model/failure.ts';
import type { EfficiencyHistory, HeatMap, ReservedHistory, TrendSeries } from '../model/history.ts';
import type {
  Answer,
  ExpirationRecord,
  FeatureRecord,
  ProductRecord,
  ServerDownRecord,
  UserRecord,
} from '../model/records.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import type { EndpointName } from '../query-api/endpoints.ts';
import type { Fields } from '../query-api/field.ts';
import { readJson } from '../query-api/json.ts';
import { recordFields } from '../query-api/records.ts';
import { answerFault, recogniseBody } from './answer-faults.ts';
import { decodeEfficiency, decodeHeatMap, decodeReserved, decodeTrend } from './decode-series.ts';
import { createUnknownFields, describeFields } from './field-names.ts';
import { createWireValues, type WireValues } from './wire-values.ts';

/** What each endpoint answers, in our words. */
export interface Answers {
  GetProducts: Answer<ProductRecord>;
  GetFeatures: Answer<FeatureRecord>;
  GetUsers: Answer<UserRecord>;
  GetServerDown: Answer<ServerDownRecord>;
  GetExpirationFeatures: Answer<ExpirationRecord>;
  GetHistory: readonly TrendSeries[];
  GetHistoryReserved: ReservedHistory;
  GetEfficiency: EfficiencyHistory;
  GetHeatMap: HeatMap;
  GetHttpUserName: string;
  /** `undefined` when the analyzer says that it is not known. */
  GetConcurrentUsers: number | undefined;
}

/** A record of the wire before it is checked. */
export type Raw = Readonly<Record<string, unknown>>;

/** Gives `undefined` for a record without the field that identifies it. */
type Decode<T> = (raw: Raw, values: WireValues) => T | undefined;

/** Spec 2.1. */
const decodeProduct: Decode<ProductRecord> = (raw, values) => {
  const product = raw.Product;
  // a number, or nothing but separators, names no vendor license
  if (typeof product !== 'string' || !/[^;\s]/.test(product)) return undefined;
  const collectionTime = values.seconds(raw.CollectionTime);
  return {
    product,
    collectionTime,
    distinctUsers: values.count(raw.DistinctUsers),
    active: values.count(raw.Active),
    inactive: values.count(raw.Inactive),
    indeterminate: values.count(raw.Indeterminate),
    mapped: values.count(raw.Mapped),
    // of a server that was never collected nobody knows when its licenses end
    minLicenseExpiration: collectionTime === undefined ? undefined : values.expiration(raw.MinLicenseExpiration),
    maxAvailable: values.count(raw.MaxAvailable),
    mappingIcon: values.text(raw.MappingIcon),
    expiredIcon: values.text(raw.ExpiredIcon),
    isCurrent: values.boolean(raw.IsCurrent),
    logActive: values.number(raw.LogActive),
    logInactive: values.number(raw.LogInactive),
  };
};

/** Spec 2.2. */
const decodeFeature: Decode<FeatureRecord> = (raw, values) => {
  const feature = values.text(raw.Feature);
  if (feature === '') return undefined;
  return {
    feature,
    version: values.text(raw.Version),
    package: values.text(raw.Package),
    featureType: values.text(raw.FeatureType),
    serverName: values.text(raw.ServerName),
    daemon: values.text(raw.Daemon),
    licenseType: values.text(raw.LicenseType),
    licenseModel: values.text(raw.LicenseModel),
    tokenCost: values.text(raw.TokenCost),
    tokenPool: values.text(raw.TokenPool),
    tokenSource: values.text(raw.TokenSource),
    mappedTo: values.text(raw.MappedTo),
    licenseExpiration: values.expiration(raw.LicenseExpiration),
    distinctUsers: values.count(raw.DistinctUsers),
    maxAvailable: values.count(raw.MaxAvailable),
    maxInUse: values.count(raw.MaxInUse),
    maxBorrowed: values.count(raw.MaxBorrowed),
    maxQueued: values.count(raw.MaxQueued),
    active: values.count(raw.Active),
    inactive: values.count(raw.Inactive),
    borrowedActive: values.count(raw.BorrowedActive),
    borrowedInactive: values.count(raw.BorrowedInactive),
    unusedReserve: values.count(raw.UnusedReserve),
    usedReserve: values.count(raw.UsedReserve),
    tokenCostValue: values.count(raw.TokenCostValue),
    available: values.count(raw.Available),
    inUse: values.count(raw.InUse),
    activeUse: values.count(raw.ActiveUse),
    inactiveUse: values.count(raw.InactiveUse),
    borrowedUse: values.count(raw.BorrowedUse),
    borrowedActiveUse: values.count(raw.BorrowedActiveUse),
    borrowedInactiveUse: values.count(raw.BorrowedInactiveUse),
    availableUser: values.boolean(raw.AvailableUser),
    logAvailable: values.number(raw.LogAvailable),
    logInUse: values.number(raw.LogInUse),
    logUnusedReserve: values.number(raw.LogUnusedReserve),
    logUsedReserve: values.number(raw.LogUsedReserve),
    logQueued: values.number(raw.LogQueued),
    logBorrowed: values.number(raw.LogBorrowed),
    logActive: values.number(raw.LogActive),
    logInactive: values.number(raw.LogInactive),
    logBorrowedActive: values.number(raw.LogBorrowedActive),
    logBorrowedInactive: values.number(raw.LogBorrowedInactive),
    showExpired: values.boolean(raw.ShowExpired),
    showWarning: values.boolean(raw.ShowWarning),
  };
};

const optionalText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const scalar = (value: unknown): string | number | boolean | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;

/** Spec 2.3. */
const decodeUser: Decode<UserRecord> = (raw, values) => {
  const userName = values.text(raw.UserName);
  if (userName === '') return undefined;
  const status = scalar(raw.app_status);
  const duration = raw.app_duration;
  return {
    userName,
    userHost: values.text(raw.UserHost),
    userDisplay: values.text(raw.UserDisplay),
    usageTime: values.seconds(raw.UsageTime),
    licenseHandle: values.text(raw.LicenseHandle),
    shareHandle: values.text(raw.ShareHandle),
    usedLicenses: values.count(raw.UsedLicenses),
    queuedLicenses: values.count(raw.QueuedLicenses),
    borrowedLicenses: values.count(raw.BorrowedLicenses),
    licenseModelStatus: values.text(raw.LicenseModelStatus),
    appStatus: typeof status === 'boolean' ? String(status) : status,
    // null is the specified way to say that there is none
    appDuration: duration === null ? undefined : values.count(duration),
    licenseModel: values.text(raw.license_model),
    displayName: optionalText(raw.DisplayName),
    mapped: scalar(raw.Mapped),
  };
};

/** Spec 2.4. */
const decodeServerDown: Decode<ServerDownRecord> = ({ Label: label }) => {
  if (typeof label !== 'string') return undefined;
  // a text without server and daemon, such as a message, says of no server that it is down
  const { server, daemon } = parseVendorLicense(label);
  return server === '' || daemon === '' ? undefined : { label };
};

/** Spec 2.5. */
const decodeExpiration: Decode<ExpirationRecord> = (raw, values) => {
  const feature = values.text(raw.Feature);
  if (feature === '') return undefined;
  const licenseExpiration = values.expiration(raw.LicenseExpiration, raw.LicenseExpirationToDate);
  const minLicenseExpiration = values.expiration(raw.MinLicenseExpiration);
  return {
    feature,
    version: values.text(raw.Version),
    package: values.text(raw.Package),
    featureType: values.text(raw.FeatureType),
    licenseType: values.text(raw.LicenseType),
    licenseExpiration,
    // related licenses cannot all be permanent beside one that ends
    minLicenseExpiration:
      minLicenseExpiration === Number.POSITIVE_INFINITY && licenseExpiration !== minLicenseExpiration
        ? undefined
        : minLicenseExpiration,
    showExpired: values.boolean(raw.ShowExpired),
    showWarning: values.boolean(raw.ShowWarning),
  };
};

/** The records of an endpoint. */
interface RecordKind<T> {
  readonly fields: Fields;
  /** The field without which a record says nothing. */
  readonly identity: string;
  readonly decode: Decode<T>;
}

const products: RecordKind<ProductRecord> = {
  fields: recordFields.GetProducts,
  identity: 'Product',
  decode: decodeProduct,
};
const features: RecordKind<FeatureRecord> = {
  fields: recordFields.GetFeatures,
  identity: 'Feature',
  decode: decodeFeature,
};
const users: RecordKind<UserRecord> = { fields: recordFields.GetUsers, identity: 'UserName', decode: decodeUser };
const serversDown: RecordKind<ServerDownRecord> = {
  fields: recordFields.GetServerDown,
  identity: 'Label',
  decode: decodeServerDown,
};
const expirations: RecordKind<ExpirationRecord> = {
  fields: recordFields.GetExpirationFeatures,
  identity: 'Feature',
  decode: decodeExpiration,
};

const isObject = (raw: unknown): raw is Raw => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/**
 * Decodes every record and leaves the bad ones out, counted. Generic over the endpoint's record.
 *
 * @throws QueryError of kind `schema` when there are records, but none that can be used: that is not an empty answer
 */
function decodeRecords<T>(raws: readonly unknown[], kind: RecordKind<T>, permanentAfter: number): Answer<T> {
  const values = createWireValues(permanentAfter);
  const unknownFields = createUnknownFields(kind.fields);
  const records: T[] = [];
  for (const raw of raws) {
    const record = isObject(raw) ? kind.decode(raw, values) : undefined;
    if (record === undefined) values.discarded.bad_record += 1;
    else records.push(record);
    if (isObject(raw)) unknownFields.add(raw);
  }
  if (records.length === 0 && raws.length > 0) {
    const first = `the first record ${describeFields(raws[0])}`;
    throw new QueryError('schema', `no record of the answer has a usable ${kind.identity}; ${first}`);
  }
  return { records, discarded: values.discarded, unknownFields: unknownFields.names() };
}

function array(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new QueryError('schema', `${what} is not an array`);
}

/** An array of arrays of records (spec 4.2); a server that leaves the outer array out is understood too. */
function flatten(value: unknown): readonly unknown[] {
  return array(value, 'the answer').flatMap((item) => (Array.isArray(item) ? item : [item]));
}

function usersData(value: unknown): readonly unknown[] {
  return array(isObject(value) ? value.data : undefined, 'data of the answer');
}

function bareInteger(body: Buffer): number | undefined {
  const text = body.toString('utf8').trim();
  if (text === 'NaN') return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const what = recogniseBody(body);
  throw what === 'ANSWER_NOT_JSON' ? new QueryError('parse', 'the answer is not a bare integer') : answerFault(what);
}

function bareText(body: Buffer): string {
  const what = recogniseBody(body);
  // text is not JSON
  if (what === 'ANSWER_NOT_JSON') return body.toString('utf8').trim();
  throw answerFault(what);
}

function json(body: Buffer): unknown {
  try {
    return readJson(body);
  } catch {
    // the parser's own message quotes the body, which may hold names of users
    throw answerFault(recogniseBody(body));
  }
}

type Decoders = { readonly [E in EndpointName]: (body: Buffer, permanentAfter: number) => Answers[E] };

const decoders: Decoders = {
  GetProducts: (body, after) => decodeRecords(array(json(body), 'the answer'), products, after),
  GetFeatures: (body, after) => decodeRecords(flatten(json(body)), features, after),
  GetUsers: (body, after) => decodeRecords(usersData(json(body)), users, after),
  GetServerDown: (body, after) => decodeRecords(array(json(body), 'the answer'), serversDown, after),
  GetExpirationFeatures: (body, after) => decodeRecords(array(json(body), 'the answer'), expirations, after),
  GetHistory: (body) => decodeTrend(array(json(body), 'the answer')),
  GetHistoryReserved: (body) => decodeReserved(array(json(body), 'the answer')),
  GetEfficiency: (body) => decodeEfficiency(array(json(body), 'the answer')),
  GetHeatMap: (body) => decodeHeatMap(array(json(body), 'the answer')),
  GetHttpUserName: bareText,
  GetConcurrentUsers: bareInteger,
};

/**
 * Turns the body of an answer into model records. The body is changed in place (see `readJson`).
 *
 * @param permanentAfter epoch seconds from which on an expiry means "permanent"
 * @throws QueryError of kind `parse` or `schema` when the answer as a whole is not usable; a bad record or value in it is
 *   left out and counted instead
 */
export function decodeAnswer<E extends EndpointName>(endpoint: E, body: Buffer, permanentAfter: number): Answers[E] {
  return decoders[endpoint](body, permanentAfter);
}
