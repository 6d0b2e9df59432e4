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
import { createRecordReader, type Raw, type RecordReader } from './record-reader.ts';
import { createWireValues, type WireValues } from './wire-values.ts';

/** The decoded answer of each endpoint. */
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
  /** `undefined` if the analyzer reports it as not known. */
  GetConcurrentUsers: number | undefined;
}

/** The records of an endpoint. */
interface RecordKind<R> {
  readonly fields: Fields;
  /** The identifying field. A record without it is discarded. */
  readonly identity: string;
  readonly isUsable: (identity: unknown, values: WireValues) => boolean;
  readonly reader: RecordReader<R>;
}

const hasText: RecordKind<unknown>['isUsable'] = (identity, values) => values.text(identity) !== '';

/** Spec 2.1. */
const products: RecordKind<ProductRecord> = {
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

/** Spec 2.2. */
const features: RecordKind<FeatureRecord> = {
  fields: recordFields.GetFeatures,
  identity: 'Feature',
  isUsable: hasText,
  reader: createRecordReader(recordFields.GetFeatures),
};

/** Spec 2.3. */
const users: RecordKind<UserRecord> = {
  fields: recordFields.GetUsers,
  identity: 'UserName',
  isUsable: hasText,
  reader: createRecordReader(recordFields.GetUsers, {
    appStatus: ({ app_status: status }) => {
      if (typeof status === 'boolean') return String(status);
      return typeof status === 'string' || typeof status === 'number' ? status : undefined;
    },
    // the specification uses null if there is no value
    appDuration: ({ app_duration: duration }, values) => (duration === null ? undefined : values.count(duration)),
  }),
};

/** Spec 2.4. */
const serversDown: RecordKind<ServerDownRecord> = {
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
const expirations: RecordKind<ExpirationRecord> = {
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

const isObject = (raw: unknown): raw is Raw => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/**
 * Decodes every record. Bad records are left out and counted.
 *
 * @throws QueryError of kind `schema` when there are records, but none is usable: that is not an empty answer
 */
function decodeRecords<T>(raws: readonly unknown[], kind: RecordKind<T>, permanentAfter: number): Answer<T> {
  const values = createWireValues(permanentAfter);
  const unknownFields = createUnknownFields(kind.fields);
  const read = kind.reader(values, unknownFields.add);
  const records: T[] = [];
  for (const raw of raws) {
    if (isObject(raw) && kind.isUsable(raw[kind.identity], values)) {
      records.push(read(raw));
      continue;
    }
    values.discarded.bad_record += 1;
    if (isObject(raw)) unknownFields.addFrom(raw);
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

/** Flattens an array of arrays of records (spec 4.2). An answer without the outer array is accepted too. */
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
    // the parser's own message quotes the body, which may contain user names
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
 * @param permanentAfter a license that expires at this time or later is permanent, epoch seconds
 * @throws QueryError of kind `parse` or `schema` when the answer as a whole is not usable; a single bad record or value
 *   is left out and counted
 */
export function decodeAnswer<E extends EndpointName>(endpoint: E, body: Buffer, permanentAfter: number): Answers[E] {
  return decoders[endpoint](body, permanentAfter);
}
