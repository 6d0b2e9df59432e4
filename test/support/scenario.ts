import {
  type Answer,
  type ExpirationRecord,
  type FeatureRecord,
  noDiscards,
  type ProductRecord,
  type ServerDownRecord,
} from '../../src/base/model/records.ts';
import { historyPart, type Reading, type Snapshot, WHOLE } from '../../src/base/model/snapshot.ts';
import { decideUncounted } from '../../src/base/model/uncounted.ts';
import type { Field } from '../../src/base/query-api/field.ts';
import { recordFields } from '../../src/base/query-api/records.ts';
import { type Answers, decodeAnswer } from '../../src/exporter/inventory/decoding/decode.ts';
import { collectors, type Enabled } from '../../src/exporter/metrics/metric.ts';
import { trendOf } from './trend.ts';

/** Epoch seconds of every scenario. */
export const NOW = 1_800_000_000;

export const allCollectors = Object.fromEntries(Object.keys(collectors).map((name) => [name, true])) as Enabled;

type Described = 'GetProducts' | 'GetFeatures' | 'GetExpirationFeatures';
type Records<E extends Described> = Answers[E]['records'][number];

const decodeRecord = <E extends Described>(endpoint: E, raw: object): Records<E> => {
  const identified = [{ ...raw, Product: 'lic01;cdslmd', Feature: 'base' }];
  const [record] = decodeAnswer(endpoint, Buffer.from(JSON.stringify(identified)), Number.POSITIVE_INFINITY).records;
  if (record === undefined) throw new Error(`${endpoint} gives no record`);
  return record;
};

/** A record in which every field is unknown. */
const blank = <E extends Described>(endpoint: E): Records<E> => decodeRecord(endpoint, {});

/** A record with a value in every field of its table. */
export const complete = <E extends Described>(endpoint: E): Records<E> =>
  decodeRecord(
    endpoint,
    Object.fromEntries(
      Object.entries<Field>(recordFields[endpoint]).map(([name, { type }]) => [name, type === 'flag' ? true : NOW]),
    ),
  );

const blankProduct = blank('GetProducts');
const blankFeature = blank('GetFeatures');
const blankExpiration = blank('GetExpirationFeatures');

export function product(fields: Partial<ProductRecord> = {}): ProductRecord {
  return {
    ...blankProduct,
    product: 'lic01;cdslmd',
    collectionTime: NOW - 60,
    distinctUsers: 5,
    active: 3,
    inactive: 1,
    indeterminate: 2,
    mapped: 4,
    minLicenseExpiration: NOW + 86_400,
    maxAvailable: 40,
    mappingIcon: '',
    expiredIcon: '',
    isCurrent: true,
    logActive: 0.5,
    logInactive: 0,
    ...fields,
  };
}

/** A record as it is decoded: 99999 licenses are uncounted. */
export function feature(fields: Partial<FeatureRecord> = {}): FeatureRecord {
  return decideUncounted({
    ...blankFeature,
    feature: 'base',
    version: '1.0',
    package: '',
    featureType: 'feature',
    serverName: 'lic01',
    daemon: 'cdslmd',
    licenseType: 'floating',
    licenseModel: 'concurrent',
    tokenCost: '',
    tokenPool: '',
    tokenSource: '',
    mappedTo: '',
    licenseExpiration: NOW + 86_400,
    distinctUsers: 4,
    maxAvailable: 10,
    maxInUse: 6,
    maxBorrowed: 1,
    maxQueued: 0,
    active: 3,
    inactive: 1,
    borrowedActive: 1,
    borrowedInactive: 0,
    unusedReserve: 2,
    usedReserve: 1,
    tokenCostValue: 0,
    available: 2,
    inUse: 6,
    activeUse: 4,
    inactiveUse: 2,
    borrowedUse: 1,
    borrowedActiveUse: 1,
    borrowedInactiveUse: 0,
    availableUser: true,
    logAvailable: 0.3,
    logInUse: 0.78,
    logUnusedReserve: 0.3,
    logUsedReserve: 0,
    logQueued: 0,
    logBorrowed: 0,
    logActive: 0.48,
    logInactive: 0,
    logBorrowedActive: 0,
    logBorrowedInactive: 0,
    showExpired: false,
    showWarning: true,
    ...fields,
  });
}

export function expiration(fields: Partial<ExpirationRecord> = {}): ExpirationRecord {
  return {
    ...blankExpiration,
    feature: 'base',
    version: '1.0',
    package: '',
    featureType: 'feature',
    licenseType: 'floating',
    licenseExpiration: NOW + 86_400,
    minLicenseExpiration: NOW + 3600,
    showExpired: false,
    showWarning: true,
    ...fields,
  };
}

export function answer<T>(
  records: readonly T[],
  discarded: Partial<Answer<T>['discarded']> = {},
  unknownFields: readonly string[] = [],
): Answer<T> {
  const isIncomplete = (discarded.bad_record ?? 0) > 0;
  return {
    records,
    discarded: { ...noDiscards(), ...discarded },
    unknownFields,
    ...(isIncomplete && { incomplete: [''] }),
  };
}

export const good = <T>(value: T, at = NOW - 10): Reading<T> => ({ at, seconds: 0.5, ok: true, value });

export const failed = <T>(last?: { at: number; value: T }, code?: string): Reading<T> => ({
  at: NOW - 5,
  seconds: 1,
  ok: false,
  failure: { kind: 'timeout', message: 'too slow', ...(code !== undefined && { code }) },
  ...(last !== undefined && { last }),
});

export interface Scenario {
  readonly products?: Reading<Answer<ProductRecord>>;
  readonly down?: Reading<Answer<ServerDownRecord>>;
  readonly users?: Reading<number>;
  readonly features?: Readonly<Record<string, Reading<Answer<FeatureRecord>>>>;
  readonly expirations?: Readonly<Record<string, Reading<Answer<ExpirationRecord>>>>;
  readonly history?: Snapshot['endpoints']['GetHistory'];
}

const state = <T>(parts: Readonly<Record<string, Reading<T>>>, interval: number) => ({
  interval,
  maxAge: Math.max(300, 3 * interval),
  lastAttempt: { at: NOW - 5, seconds: 0.25 },
  lastSuccess: NOW - 10,
  parts: new Map(Object.entries(parts)),
});

export function createSnapshot({ products, down, users, features, expirations, history }: Scenario): Snapshot {
  return {
    at: NOW,
    endpoints: {
      ...(products !== undefined && { GetProducts: state({ [WHOLE]: products }, 60) }),
      ...(down !== undefined && { GetServerDown: state({ [WHOLE]: down }, 60) }),
      ...(users !== undefined && { GetConcurrentUsers: state({ [WHOLE]: users }, 60) }),
      ...(features !== undefined && { GetFeatures: state(features, 300) }),
      ...(expirations !== undefined && { GetExpirationFeatures: state(expirations, 3600) }),
      ...(history !== undefined && { GetHistory: history }),
    },
  };
}

/** One of everything: down and awkward names, a merge, a permanent license, unknown values, a failing part, history. */
export const scenario: Scenario = {
  products: good({
    fields: [{ owner: 'lic01;cdslmd', names: Object.keys(recordFields.GetProducts) }],
    ...answer(
      [
        product(),
        product({ product: 'lic02;mgcld', distinctUsers: 7, logActive: undefined }),
        product({ product: 'lic02;mgcld;site-b', distinctUsers: 2, minLicenseExpiration: Number.POSITIVE_INFINITY }),
        product({ product: 'größe;undef', mappingIcon: 'ServerDown', isCurrent: false, expiredIcon: 'Expired' }),
      ],
      { nan: 1 },
    ),
  }),
  down: good(answer([{ label: 'GRÖßE;undef' }, { label: 'Größe;undef;x' }, { label: 'gone;lmgrd' }])),
  users: good(11),
  features: {
    [WHOLE]: good(
      answer([
        feature(),
        feature({
          feature: 'a,feature:b',
          version: '',
          package: 'pk "q"',
          featureType: 'component',
          maxInUse: undefined,
        }),
        feature({ feature: 'back\\slash\nline', licenseExpiration: Number.POSITIVE_INFINITY, showWarning: false }),
        feature({ feature: 'twice', inUse: 1, distinctUsers: 3, serverName: 'LIC02', daemon: 'mgcld', mappedTo: 'b' }),
        feature({ feature: 'twice', inUse: 2, distinctUsers: 2, serverName: 'lic02', daemon: 'mgcld', mappedTo: 'a' }),
        feature({ feature: 'old news', serverName: 'größe', daemon: 'undef', tokenCostValue: 2.5, tokenPool: 'pool' }),
      ]),
    ),
  },
  expirations: {
    'lic01;cdslmd': good(
      answer([expiration(), expiration({ feature: 'expired', showExpired: true, licenseExpiration: NOW - 5 })]),
    ),
    'lic02;mgcld': failed({ at: NOW - 4000, value: answer([expiration({ feature: 'twice' })]) }),
    'größe;undef': failed(),
  },
  history: {
    interval: 3600,
    maxAge: 10_800,
    lastAttempt: { at: NOW - 60, seconds: 1 },
    parts: new Map([
      [
        historyPart({ product: 'lic01;cdslmd', feature: 'base', package: '', featureType: 'feature' }),
        good([
          trendOf('Max Available', [[(NOW - 86_400) * 1000, 10]]),
          trendOf('Elapsed Time', [[(NOW - 86_400) * 1000, 12.5]]),
          trendOf('Denials', [[(NOW - 86_400) * 1000, 3]]),
        ]),
      ],
    ]),
  },
};
