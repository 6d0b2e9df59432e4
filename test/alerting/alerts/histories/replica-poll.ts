import type { FailureKind } from '../../../../src/base/model/failure.ts';
import type { ExpirationRecord, FeatureRecord } from '../../../../src/base/model/records.ts';
import {
  type EndpointState,
  type FeaturesAnswer,
  historyPart,
  lastGood,
  type PolledEndpoint,
  type Reading,
  type Snapshot,
  WHOLE,
} from '../../../../src/base/model/snapshot.ts';
import { keepFeatures } from '../../../../src/exporter/poll/incomplete-lists.ts';
import type { Answers } from './answers.ts';
import { activeEpisodes, aheadOf, type Endpoint, type History, type Polling, timeOf } from './history.ts';
import { selectionOf } from './site-owners.ts';
import type { World } from './world.ts';

/** The polling of one process of one replica. It keeps what the poller of the daemon keeps. */
export interface ReplicaPoll {
  /** The scheduled requests of a tick. */
  poll(tick: number, world: World, answers: Answers): void;
  snapshot(tick: number): Snapshot;
  /** The last verdict on its logon; `undefined` before the first. */
  authenticated(): boolean | undefined;
}

type AnyFeatures = FeaturesAnswer<FeatureRecord | ExpirationRecord>;

const failure = (kind: FailureKind, code?: string) => ({ kind, message: 'fails', ...(code !== undefined && { code }) });

/** An empty GetProducts is accepted after this time, seconds. */
const EMPTY_SECONDS = 900;

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

/** @param startedAt tick of its start */
export function createReplicaPoll(history: History, replica: number, startedAt: number): ReplicaPoll {
  const { polling } = history;
  const every = intervals(polling);
  const slow = history.replicas[replica]?.slow ?? 0;
  const { ownsVendorLicense } = selectionOf(history.replicas[replica]);
  const states: { [E in PolledEndpoint]?: EndpointState<unknown> } = {};
  const off: PolledEndpoint[] = ['GetConcurrentUsers'];
  let emptySince: number | undefined;
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
    send: (part: string) => unknown,
  ): void => {
    const before = states[endpoint] ?? initial(endpoint);
    const at = now(tick) - 5;
    const read = (part: string): Reading<unknown> => {
      const failed = reader.failureOf(endpoint, part);
      if (failed === undefined) {
        const value = send(part);
        if (value !== undefined) return { at, seconds: 0.1, ok: true, value };
      }
      const last = lastGood(before.parts.get(part));
      return {
        at,
        seconds: 0.1,
        ok: false,
        failure: failed ?? failure('schema', 'CONTRADICTION'),
        ...(last !== undefined && { last }),
      };
    };
    const due = new Set(parts.filter((part) => isDue(endpoint, part, tick)));
    const isGone = [...before.parts.keys()].some((part) => !parts.includes(part));
    if (due.size === 0 && !isGone) return;
    const readings = new Map(
      parts.map((part) => [part, due.has(part) ? read(part) : (before.parts.get(part) as Reading<unknown>)]),
    );
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

  /** The answer of GetProducts; `undefined` if it is not accepted. */
  const products = (tick: number, world: World, answers: Answers, bad: number): unknown => {
    const good = answers.products(bad);
    if (!world.isEmpty && good.records.length > 0) {
      emptySince = undefined;
      return good;
    }
    const known = lastGood(states.GetProducts?.parts.get(WHOLE)) as
      | { value: { records: readonly unknown[] } }
      | undefined;
    const empty = { ...good, records: [] };
    if (known?.value.records.length === 0) return empty;
    emptySince ??= now(tick);
    return now(tick) - emptySince >= EMPTY_SECONDS ? empty : undefined;
  };

  /** The names in the last good GetProducts; `undefined` before the first. */
  const listed = (): readonly string[] | undefined => {
    const good = lastGood(states.GetProducts?.parts.get(WHOLE)) as
      | { value: { records: readonly { product: string }[] } }
      | undefined;
    return good?.value.records.map(({ product }) => product);
  };

  const pollParts = (
    endpoint: 'GetFeatures' | 'GetExpirationFeatures',
    tick: number,
    reader: Reader,
    send: (part: string) => AnyFeatures | undefined,
  ): void => {
    const names = listed()?.filter(ownsVendorLicense);
    if (off.includes(endpoint) || names === undefined) return;
    if (names.length === 0) delete states[endpoint];
    else {
      const isWhole = endpoint === 'GetFeatures' && !polling.isPerVendorLicense;
      const mark = (part: string): AnyFeatures | undefined => {
        const answer = send(part);
        const before = lastGood(states[endpoint]?.parts.get(part))?.value as AnyFeatures | undefined;
        return answer && keepFeatures(answer, part, before, now(tick));
      };
      request(endpoint, isWhole ? [WHOLE] : names, tick, reader, mark);
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
      request('GetProducts', [WHOLE], tick, reader, () =>
        products(tick, world, answers, reader.badRecords('GetProducts')),
      );
      const down = answers.serversDown(reader.badRecords('GetServerDown'));
      request('GetServerDown', [WHOLE], tick, reader, () => (world.isEmpty ? { ...down, records: [] } : down));
      if (tick <= startedAt + slow) return;
      pollParts('GetFeatures', tick, reader, (part) =>
        ofKnown(part, answers.features(part, reader.badRecords('GetFeatures'))),
      );
      pollParts('GetExpirationFeatures', tick, reader, (part) =>
        ofKnown(part, answers.expirations(part, reader.badRecords('GetExpirationFeatures'))),
      );
      if (off.includes('GetHistory')) return;
      const questions = new Map(
        history.features.map(({ vendorLicense, feature, package: pkg, featureType }, index) => [
          historyPart({ product: history.vendorLicenses[vendorLicense] ?? '', feature, package: pkg, featureType }),
          index,
        ]),
      );
      request('GetHistory', [...questions.keys()], tick, reader, (part) => {
        const row = world.features.find(({ index }) => index === questions.get(part));
        return row === undefined ? [] : answers.history(row);
      });
    },
    snapshot: (tick) => ({ at: now(tick) - 5, endpoints: { ...states } as Snapshot['endpoints'], off }),
    authenticated: () => authenticated,
  };
}
