import { CONTRADICTION, type FailureKind } from '../../../../src/base/model/failure.ts';
import type { ExpirationRecord, FeatureRecord } from '../../../../src/base/model/records.ts';
import {
  type EndpointState,
  type FeaturesAnswer,
  historyPart,
  lastGood,
  type PolledEndpoint,
  type ProductsAnswer,
  productNames,
  type Reading,
  type Snapshot,
  WHOLE,
} from '../../../../src/base/model/snapshot.ts';
import { keepFeatures, keepNotListed } from '../../../../src/exporter/poll/incomplete-lists.ts';
import {
  checkProducts,
  type EmptyStreak,
  isNamedElsewhere,
  type Known,
} from '../../../../src/exporter/poll/plausibility.ts';
import type { Answers } from './answers.ts';
import { activeEpisodes, aheadOf, type Endpoint, type History, type Polling, timeOf } from './history.ts';
import { selectionOf } from './site-owners.ts';
import { type AllTold, nothing, received, type Told } from './told.ts';
import type { World } from './world.ts';

/** The polling of one process of one replica. It keeps what the poller of the daemon keeps. */
export interface ReplicaPoll {
  /** The scheduled requests of a tick. */
  poll(tick: number, world: World, answers: Answers): void;
  snapshot(tick: number): Snapshot;
  /** What it was told until now. */
  told(): AllTold;
  /** The last verdict on its logon; `undefined` before the first. */
  authenticated(): boolean | undefined;
}

type AnyFeatures = FeaturesAnswer<FeatureRecord | ExpirationRecord>;

const failure = (kind: FailureKind, code?: string) => ({ kind, message: 'fails', ...(code !== undefined && { code }) });

const intervals = ({ features, expirations, history }: Polling): Readonly<Record<Endpoint, number>> => ({
  GetProducts: 1,
  GetServerDown: 1,
  GetFeatures: features,
  GetExpirationFeatures: expirations,
  GetHistory: history,
});

interface Reader {
  /** `undefined` if the answer is good. */
  failureOf(endpoint: Endpoint, part: string): ReturnType<typeof failure> | undefined;
  badRecords(endpoint: Endpoint): number;
}

/** What fails for a replica in a tick. */
function readerOf(history: History, replica: number, tick: number): Reader {
  const isActive = (is: 'analyzer gone' | 'logon rejected'): boolean => activeEpisodes(history, is, tick).length > 0;
  const isCutOff = activeEpisodes(history, 'replica cut off', tick).some((episode) => episode.replica === replica);
  const endpoints = new Set(activeEpisodes(history, 'endpoint fails', tick).map(({ endpoint }) => endpoint));
  const parts = activeEpisodes(history, 'part fails', tick);
  const bad = activeEpisodes(history, 'bad records', tick);
  return {
    failureOf: (endpoint, part) => {
      if (isCutOff || isActive('analyzer gone')) return failure('connect');
      if (isActive('logon rejected')) return failure('auth');
      if (endpoints.has(endpoint)) return failure('timeout');
      const isPartOf = (vendorLicense: number): boolean => history.vendorLicenses[vendorLicense] === part;
      return parts.some((each) => each.endpoint === endpoint && isPartOf(each.vendorLicense))
        ? failure('timeout')
        : undefined;
    },
    badRecords: (endpoint) => bad.find((each) => each.endpoint === endpoint)?.count ?? 0,
  };
}

/** The part of GetHistory that is about a feature. @param index of the feature */
export function historyPartOf({ features, vendorLicenses }: History, index: number): string {
  const { vendorLicense = -1, feature = '', package: pkg = '', featureType = '' } = features[index] ?? {};
  return historyPart({ product: vendorLicenses[vendorLicense] ?? '', feature, package: pkg, featureType });
}

/** @param startedAt tick of its start */
export function createReplicaPoll(history: History, replica: number, startedAt: number): ReplicaPoll {
  const { polling } = history;
  const every = intervals(polling);
  const slow = history.replicas[replica]?.slow ?? 0;
  const { ownsVendorLicense } = selectionOf(history.replicas[replica]);
  const states: { [E in PolledEndpoint]?: EndpointState<unknown> } = {};
  const off: PolledEndpoint[] = ['GetConcurrentUsers'];
  const told = new Map<Endpoint, ReadonlyMap<string, Told>>();
  let emptyStreak: EmptyStreak | undefined;
  /** By the clock of its host, epoch seconds. */
  const now = (tick: number): number => timeOf(history, tick) + aheadOf(history, replica, tick);
  let authenticated: boolean | undefined;

  const initial = (endpoint: Endpoint): EndpointState<unknown> => {
    const interval = every[endpoint] * history.step * 60;
    return { interval, maxAge: Math.max(300, 3 * interval), parts: new Map() };
  };
  for (const [endpoint, minutes] of Object.entries(every) as [Endpoint, number][]) {
    if (minutes === 0) off.push(endpoint);
    else states[endpoint] = initial(endpoint);
  }

  const isDue = (endpoint: Endpoint, part: string, tick: number): boolean => {
    const reading = states[endpoint]?.parts.get(part);
    // what failed is requested again soon, and what is new at once
    return reading === undefined || !reading.ok || tick % every[endpoint] === 0;
  };

  const request = (
    endpoint: Endpoint,
    parts: readonly string[],
    tick: number,
    reader: Reader,
    world: World,
    send: (part: string) => unknown,
  ): void => {
    const before = states[endpoint] ?? initial(endpoint);
    const toldBefore = told.get(endpoint) ?? new Map<string, Told>();
    const toldNow = new Map<string, Told>();
    const at = now(tick) - 5;
    const read = (part: string): Reading<unknown> => {
      const failed = reader.failureOf(endpoint, part);
      const answer = toldBefore.get(part)?.last;
      const value = failed === undefined ? send(part) : undefined;
      if (value !== undefined) {
        const site = world.isEmpty ? nothing : world;
        const newest = received(site, reader.badRecords(endpoint), at, answer);
        toldNow.set(part, { isGood: true, failure: undefined, last: newest });
        return { at, seconds: 0.1, ok: true, value };
      }
      toldNow.set(part, { isGood: false, failure: failed?.kind ?? 'refused', last: answer });
      const last = lastGood(before.parts.get(part));
      return {
        at,
        seconds: 0.1,
        ok: false,
        failure: failed ?? failure('schema', CONTRADICTION),
        ...(last !== undefined && { last }),
      };
    };
    const due = new Set(parts.filter((part) => isDue(endpoint, part, tick)));
    const isGone = [...before.parts.keys()].some((part) => !parts.includes(part));
    if (due.size === 0 && !isGone) return;
    const readings = new Map(
      parts.map((part) => [part, due.has(part) ? read(part) : (before.parts.get(part) as Reading<unknown>)]),
    );
    told.set(endpoint, new Map(parts.flatMap((part) => [[part, toldNow.get(part) ?? (toldBefore.get(part) as Told)]])));
    const isGood = [...readings.values()].every(({ ok }) => ok);
    const lastSuccess = isGood ? at : before.lastSuccess;
    states[endpoint] = {
      interval: before.interval,
      maxAge: before.maxAge,
      lastAttempt: { at, seconds: 0.1 },
      ...(lastSuccess !== undefined && { lastSuccess }),
      parts: readings,
    };
  };

  const snapshot = (tick: number): Snapshot => ({
    at: now(tick) - 5,
    endpoints: { ...states } as Snapshot['endpoints'],
    off,
  });

  /** The answer of GetProducts; `undefined` if it is not accepted. */
  const products = (tick: number, world: World, answers: Answers, bad: number): ProductsAnswer | undefined => {
    const good = answers.products(bad);
    const answer = world.isEmpty ? { ...good, records: [] } : good;
    const known: Known = { snapshot: snapshot(tick), now: now(tick), ownsVendorLicense };
    const { contradiction, streak } = checkProducts(answer, known, emptyStreak, false);
    emptyStreak = streak;
    if (contradiction !== undefined) return undefined;
    const before = lastGood(known.snapshot.endpoints.GetProducts?.parts.get(WHOLE))?.value;
    return keepNotListed(answer, before, (product) => isNamedElsewhere(product, known), now(tick) - 5);
  };

  /** The names in the last good GetProducts, and those that it may lack; `undefined` before the first. */
  const listed = (tick: number): readonly string[] | undefined => productNames(snapshot(tick));

  const pollParts = (
    endpoint: 'GetFeatures' | 'GetExpirationFeatures',
    tick: number,
    reader: Reader,
    world: World,
    send: (part: string) => AnyFeatures | undefined,
  ): void => {
    const names = listed(tick)?.filter(ownsVendorLicense);
    if (off.includes(endpoint) || names === undefined) return;
    if (names.length === 0) {
      delete states[endpoint];
      told.delete(endpoint);
    } else {
      const isWhole = endpoint === 'GetFeatures' && !polling.isPerVendorLicense;
      const mark = (part: string): AnyFeatures | undefined => {
        const answer = send(part);
        const before = lastGood(states[endpoint]?.parts.get(part))?.value as AnyFeatures | undefined;
        return answer && keepFeatures(answer, part, before, now(tick));
      };
      request(endpoint, isWhole ? [WHOLE] : names, tick, reader, world, mark);
    }
  };

  return {
    poll: (tick, world, answers) => {
      if (tick === startedAt) return;
      const reader = readerOf(history, replica, tick);
      const kind = reader.failureOf('GetProducts', WHOLE)?.kind;
      if (kind === 'auth') authenticated = false;
      else if (kind !== 'connect') authenticated = true;
      const names = new Set(world.isEmpty ? [] : [WHOLE, ...world.vendorLicenses.map(({ name }) => name)]);
      /** An empty answer for a vendor license that has licenses by GetProducts is not accepted. */
      const ofKnown = <Value>(part: string, value: Value): Value | undefined => (names.has(part) ? value : undefined);
      request('GetProducts', [WHOLE], tick, reader, world, () =>
        products(tick, world, answers, reader.badRecords('GetProducts')),
      );
      const down = answers.serversDown(reader.badRecords('GetServerDown'));
      request('GetServerDown', [WHOLE], tick, reader, world, () => (world.isEmpty ? { ...down, records: [] } : down));
      if (tick <= startedAt + slow) return;
      pollParts('GetFeatures', tick, reader, world, (part) =>
        ofKnown(part, answers.features(part, reader.badRecords('GetFeatures'))),
      );
      pollParts('GetExpirationFeatures', tick, reader, world, (part) =>
        ofKnown(part, answers.expirations(part, reader.badRecords('GetExpirationFeatures'))),
      );
      if (off.includes('GetHistory')) return;
      const questions = new Map(history.features.map((_, index) => [historyPartOf(history, index), index]));
      request('GetHistory', [...questions.keys()], tick, reader, world, (part) => {
        const row = world.features.find(({ index }) => index === questions.get(part));
        return row === undefined || world.isEmpty ? [] : answers.history(row);
      });
    },
    snapshot,
    told: () =>
      new Map(
        (Object.keys(every) as Endpoint[]).flatMap((endpoint) => {
          const maxAge = states[endpoint]?.maxAge;
          return maxAge === undefined ? [] : [[endpoint, { maxAge, parts: told.get(endpoint) ?? new Map() }] as const];
        }),
      ),
    authenticated: () => authenticated,
  };
}
