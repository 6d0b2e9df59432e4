import { parseServer } from '../../../base/model/license-server.ts';
import type {
  ApplicationStatus,
  Checkout,
  PoolObservation,
  QueuedRequest,
  UnknownOfCheckouts,
  VendorLicenseObservation,
} from '../../../base/model/observation/observation.ts';
import { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import { blankOutsideStrings } from '../../../base/query-api/json.ts';
import { faultIn, lineAndColumn } from '../../../base/query-api/json-fault.ts';
import type { WireFeature, WireProduct } from '../../../base/query-api/records.ts';
import type { OnUnread } from '../lines.ts';
import type { Parsed } from '../parsed.ts';
import { ifKnown } from '../parsed.ts';
import { type RawUser, readAnswers } from './records.ts';

/** Answers of another analyzer as observations. Its figures go on as they are; what is recorded and listed is made of them. */

/** An expiry from here on is permanent (spec 2.2). */
const PERMANENT = 2_147_483_647;
/** Numbers of `app_status`. */
const STATES: readonly ApplicationStatus['state'][] = ['inactive', 'active', 'suspended', 'terminated', 'blocked'];

const oneOf = <T extends string>(value: string, allowed: readonly T[], otherwise: T): T =>
  allowed.find((one) => one === value.toLowerCase()) ?? otherwise;

const nameOf = ({ server, daemon, part }: Pick<VendorLicenseObservation, 'server' | 'daemon' | 'part'>): string =>
  [server, daemon, ...(part === '' ? [] : [part])].join(';');

/** `server;daemon` or `server;daemon;part`. */
function partsOf(product: string, prefix: string): Pick<VendorLicenseObservation, 'server' | 'daemon' | 'part'> {
  const [server = '', daemon = '', ...others] = product.split(';');
  return { server: prefix + server, daemon, part: others.join(';') };
}

function expiresOf({ LicenseExpiration: end }: WireFeature): number | 'unknown' | undefined {
  if (end === undefined) return 'unknown';
  return end <= 0 || end >= PERMANENT ? undefined : end;
}

/** A token pool of the same analyzer. */
function tokenOf(record: WireFeature, prefix: string): Pick<PoolObservation, 'token'> {
  const { TokenPool: pool, TokenSource: source, TokenCostValue: cost } = record;
  if (pool === '') return {};
  return { token: cost === undefined ? 'unknown' : { pool, source: source === '' ? '' : prefix + source, cost } };
}

/** A record of GetFeatures without its users, which are asked for one by one. */
function poolOf(whole: WireFeature, server: string, prefix: string): PoolObservation {
  const source = whole.TokenSource === '' ? '' : prefix + whole.TokenSource;
  const record: WireFeature = { ...whole, ServerName: server, TokenSource: source };
  const licenseType = oneOf(record.LicenseType, ['floating', 'node-locked', 'uncounted'], 'floating');
  const count = licenseType === 'uncounted' ? Number.POSITIVE_INFINITY : record.MaxAvailable;
  const queued = record.MaxQueued;
  return {
    feature: record.Feature,
    version: record.Version,
    package: record.Package,
    featureType: oneOf(record.FeatureType, ['feature', 'package', 'component'], 'feature'),
    licenseType,
    licenseModel: oneOf(record.LicenseModel, ['concurrent', 'token', 'named'], 'concurrent'),
    ...tokenOf(whole, prefix),
    ...ifKnown('mappedTo', record.MappedTo === null ? undefined : String(record.MappedTo)),
    increments: [{ count, expires: expiresOf(record) }],
    ...ifKnown('inUse', record.InUse),
    ...ifKnown('available', record.Available),
    reservations: undefined,
    ...ifKnown('unusedReserve', record.UnusedReserve),
    ...ifKnown('usedReserve', record.UsedReserve),
    checkouts: [],
    ...(record.InUse === 0 && !queued ? unknownOf([]) : unknownOf(['list'])),
    queued: queued === undefined ? undefined : queued === 0 ? [] : [{ user: '', host: '', licenses: queued }],
    denials: undefined,
    record,
  };
}

const unknownOf = (what: readonly UnknownOfCheckouts[]): Pick<PoolObservation, 'unknownOfCheckouts'> =>
  what.length === 0 ? {} : { unknownOfCheckouts: what };

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const countOf = (value: unknown): number => (Number.isSafeInteger(Number(value)) ? Math.max(0, Number(value)) : 0);
const handleOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value !== 'undef' ? value : undefined;
/** Only an analyzer of this program says it. */
const serverOf = (value: unknown): string | undefined =>
  typeof value === 'string' && parseServer(value) !== undefined ? value : undefined;

/** Adds the users that GetUsers lists for a feature. */
export function withUsers(pool: PoolObservation, users: readonly RawUser[]): PoolObservation {
  const checkouts: Checkout[] = [];
  const queued: QueuedRequest[] = [];
  for (const raw of users) {
    const who = { user: textOf(raw['UserName']), host: textOf(raw['UserHost']) };
    const since = countOf(raw['UsageTime']);
    const waits = countOf(raw['QueuedLicenses']);
    if (waits > 0) queued.push({ ...who, ...ifKnown('since', since || undefined), licenses: waits });
    if (waits > 0 && countOf(raw['UsedLicenses']) === 0) continue;
    const state = typeof raw['app_status'] === 'number' ? STATES[raw['app_status']] : undefined;
    const seconds = raw['app_duration'];
    checkouts.push({
      ...who,
      display: textOf(raw['UserDisplay']),
      ...ifKnown('since', since || undefined),
      licenses: countOf(raw['UsedLicenses']),
      ...ifKnown('handle', handleOf(raw['LicenseHandle'])),
      shareHandle: handleOf(raw['ShareHandle']),
      borrowed: countOf(raw['BorrowedLicenses']) > 0,
      ...ifKnown('server', serverOf(raw['Server'])),
      ...ifKnown('until', countOf(raw['Until']) || undefined),
      status: state && { state, ...ifKnown('seconds', typeof seconds === 'number' ? seconds : undefined) },
    });
  }
  const { BorrowedUse: borrowed, Active: active, MaxQueued: waiting } = pool.record ?? {};
  const unknown: UnknownOfCheckouts[] = [
    ...(borrowed === undefined ? (['borrowed'] as const) : []),
    ...(active === undefined ? (['status'] as const) : []),
  ];
  const { unknownOfCheckouts: _, ...others } = pool;
  return { ...others, checkouts, ...unknownOf(unknown), queued: waiting === undefined ? undefined : queued };
}

/** What a text of answers is read with. */
export interface AnswersContext {
  /** Of the analyzer, for messages. */
  readonly url: string;
  readonly prefix: string;
}

/** @throws SourceFailure if they have no vendor license */
export function observeAnswers(text: string, { url, prefix }: AnswersContext, onUnread?: OnUnread): Parsed {
  const answered = answersIn(text, url, onUnread);
  const { products, features, featuresOf, down, diagnostics } = answered;
  if (products.length === 0)
    throw new SourceFailure(
      'empty',
      `${url} lists no vendor license: check that its own license servers are configured.`,
    );
  const byName = Map.groupBy(features, ({ ServerName, Daemon }) => `${ServerName};${Daemon}`.toLowerCase());
  const vendorLicenses = products.map((product): VendorLicenseObservation => {
    const names = partsOf(product.Product, prefix);
    const key = product.Product.toLowerCase();
    const [server = '', daemon = ''] = key.split(';');
    const own = featuresOf.get(key) ?? byName.get(`${server};${daemon}`) ?? [];
    const isDown = product.IsCurrent === false || down.has(key);
    // of one that was never reached there, nothing is known here either, unless it is known there
    const isReached = !isDown || product.CollectionTime !== 0;
    return {
      ...names,
      reachable: isReached,
      pools: own.map((record) => poolOf(record, names.server, prefix)),
      ...(!isReached && product.DistinctUsers === 0 && ({ isKnownToBeEmpty: true } as const)),
      ...(isDown && ({ isDownThere: true } as const)),
      record: { ...product, Product: nameOf(names) } satisfies WireProduct,
    };
  });
  return { vendorLicenses, problems: [], members: [], referenceTime: undefined, diagnostics };
}

/** The name of an answer among several. */
const NAME = /"(Get\w+)[^"]*":/g;

/** The failure for answers of which one is not JSON: of something else, or of an analyzer that makes a mistake. */
export function notJson(answers: string, url: string): SourceFailure {
  const text = Buffer.from(answers);
  blankOutsideStrings(text);
  const read = text.toString();
  const at = faultIn(read)?.at ?? read.length;
  const [name] = [...read.slice(0, at).matchAll(NAME)].slice(-1);
  const from = name === undefined ? 0 : name.index + name[0].length;
  const finding = `the answer of ${url} is not JSON`;
  if (name === undefined || !/^[[{]/.test(read.slice(from))) {
    return new SourceFailure('unparsed', `${finding}: check that it is an analyzer of the Query API.`);
  }
  const place = `${lineAndColumn(read.slice(from), at - from)} of ${name[1]}`;
  return new SourceFailure('unparsed', `${finding}, at ${place}: report it to who provides that analyzer.`);
}

function answersIn(text: string, url: string, onUnread?: OnUnread) {
  try {
    return readAnswers(text, onUnread);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw notJson(text, url);
  }
}
