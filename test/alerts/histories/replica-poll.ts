import type { FailureKind } from '../../../src/model/failure.ts';
import {
  type EndpointState,
  type FeaturesAnswer,
  historyPart,
  lastGood,
  type PolledEndpoint,
  type Reading,
  type Snapshot,
  WHOLE,
} from '../../../src/model/snapshot.ts';
import { markIncomplete } from '../../../src/poll/incomplete-lists.ts';
import type { Answers } from './answers.ts';
import { activeEpisodes, type Endpoint, type History, type Polling, timeOf } from './history.ts';
import type { World } from './world.ts';

/** The polling of one process of one replica. It keeps what the poller of the daemon keeps. */
export interface ReplicaPoll {
  /** The scheduled requests of a minute. */
  poll(minute: number, world: World, answers: Answers): void;
  snapshot(minute: number): Snapshot;
  /** The last verdict on its logon; `undefined` before the first. */
  authenticated(): boolean | undefined;
}

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

/** What fails for a replica in a minute. */
function readerOf(history: History, replica: number, minute: number): Reader {
  const isActive = (is: 'analyzer gone' | 'logon rejected'): boolean => activeEpisodes(history, is, minute).length > 0;
  const isCutOff = activeEpisodes(history, 'replica cut off', minute).some((episode) => episode.replica === replica);
  const endpoints = new Set(activeEpisodes(history, 'endpoint fails', minute).map(({ endpoint }) => endpoint));
  const parts = activeEpisodes(history, 'part fails', minute);
  const bad = activeEpisodes(history, 'bad records', minute);
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

/** @param startedAt minute of its start */
export function createReplicaPoll(history: History, replica: number, startedAt: number): ReplicaPoll {
  const { polling } = history;
  const every = intervals(polling);
  const slow = history.replicas[replica]?.slow ?? 0;
  const states: { [E in PolledEndpoint]?: EndpointState<unknown> } = {};
  const off: PolledEndpoint[] = ['GetConcurrentUsers'];
  let emptySince: number | undefined;
  let authenticated: boolean | undefined;

  const initial = (endpoint: Endpoint): EndpointState<unknown> => {
    const interval = every[endpoint] * 60;
    return { interval, maxAge: Math.max(300, 3 * interval), parts: new Map() };
  };
  for (const [endpoint, minutes] of Object.entries(every) as [Endpoint, number][]) {
    if (minutes === 0) off.push(endpoint);
    else states[endpoint] = initial(endpoint);
  }

  const isDue = (endpoint: Endpoint, part: string, minute: number): boolean => {
    const reading = states[endpoint]?.parts.get(part);
    // what failed is requested again soon, and what is new at once
    return reading === undefined || !reading.ok || minute % every[endpoint] === 0;
  };

  const request = (
    endpoint: Endpoint,
    parts: readonly string[],
    minute: number,
    reader: Reader,
    send: (part: string) => unknown,
  ): void => {
    const before = states[endpoint] ?? initial(endpoint);
    const at = timeOf(minute) - 5;
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
    const due = new Set(parts.filter((part) => isDue(endpoint, part, minute)));
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
  const products = (minute: number, world: World, answers: Answers, bad: number): unknown => {
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
    emptySince ??= timeOf(minute);
    return timeOf(minute) - emptySince >= EMPTY_SECONDS ? empty : undefined;
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
    minute: number,
    reader: Reader,
    send: (part: string) => FeaturesAnswer | undefined,
  ): void => {
    const names = listed();
    if (off.includes(endpoint) || names === undefined) return;
    if (names.length === 0) delete states[endpoint];
    else {
      const isWhole = endpoint === 'GetFeatures' && !polling.isPerVendorLicense;
      const mark = (part: string): FeaturesAnswer | undefined => {
        const answer = send(part);
        const before = lastGood(states[endpoint]?.parts.get(part))?.value as FeaturesAnswer | undefined;
        return answer && markIncomplete(answer, part, before, timeOf(minute));
      };
      request(endpoint, isWhole ? [WHOLE] : names, minute, reader, mark);
    }
  };

  return {
    poll: (minute, world, answers) => {
      if (minute === startedAt) return;
      const reader = readerOf(history, replica, minute);
      const kind = reader.failureOf('GetProducts', WHOLE)?.kind;
      if (kind === 'auth') authenticated = false;
      else if (kind !== 'connect') authenticated = true;
      const names = new Set(world.isEmpty ? [] : [WHOLE, ...world.vendorLicenses.map(({ name }) => name)]);
      /** An empty answer for a vendor license that has licenses by GetProducts is not accepted. */
      const ofKnown = <Value>(part: string, value: Value): Value | undefined => (names.has(part) ? value : undefined);
      request('GetProducts', [WHOLE], minute, reader, () =>
        products(minute, world, answers, reader.badRecords('GetProducts')),
      );
      const down = answers.serversDown(reader.badRecords('GetServerDown'));
      request('GetServerDown', [WHOLE], minute, reader, () => (world.isEmpty ? { ...down, records: [] } : down));
      if (minute <= startedAt + slow) return;
      pollParts('GetFeatures', minute, reader, (part) =>
        ofKnown(part, answers.features(part, reader.badRecords('GetFeatures'))),
      );
      pollParts('GetExpirationFeatures', minute, reader, (part) =>
        ofKnown(part, answers.expirations(part, reader.badRecords('GetExpirationFeatures'))),
      );
      if (off.includes('GetHistory')) return;
      const questions = new Map(
        history.features.map(({ vendorLicense, feature, package: pkg, featureType }, index) => [
          historyPart({ product: history.vendorLicenses[vendorLicense] ?? '', feature, package: pkg, featureType }),
          index,
        ]),
      );
      request('GetHistory', [...questions.keys()], minute, reader, (part) => {
        const row = world.features.find(({ index }) => index === questions.get(part));
        return row === undefined ? [] : answers.history(row);
      });
    },
    snapshot: (minute) => ({ at: timeOf(minute) - 5, endpoints: { ...states } as Snapshot['endpoints'], off }),
    authenticated: () => authenticated,
  };
}
