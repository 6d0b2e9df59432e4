import type { TrendSeries } from '../../base/model/history.ts';
import type { Answer, DiscardReason } from '../../base/model/records.ts';
import { discardReasons, isAnswer, MAX_UNKNOWN_FIELDS } from '../../base/model/records.ts';
import {
  type EndpointState,
  isExpected,
  lastGood,
  type PolledEndpoint,
  type Snapshot,
} from '../../base/model/snapshot.ts';

export interface PollState {
  readonly endpoint: PolledEndpoint;
  /** Whether the newest attempt of every part was good. */
  readonly success: boolean;
  /** Whether the newest attempt of at least one part was good. If others failed, an empty answer does not count. */
  readonly answered: boolean;
  /** Seconds. */
  readonly interval: number;
  readonly duration: number | undefined;
  /** Epoch seconds. */
  readonly lastAttempt: number | undefined;
  readonly lastSuccess: number | undefined;
  /** Number of records in the last good answers. */
  readonly records: number;
  readonly discarded: Readonly<Record<DiscardReason, number>>;
  readonly mergedRecords: number;
  /** Whether a list has unusable records, so that what it lacks may exist. */
  readonly isIncomplete: boolean;
}

/** Whether the endpoint has been polled, with any result. Before that, its state is unknown. */
export const isTried = ({ lastAttempt }: PollState): boolean => lastAttempt !== undefined;

/** Sums over all answers. An unknown field counts once, even if several answers have it. */
function sumDiscards(answers: readonly Answer<unknown>[], impossibleTimes: number): PollState['discarded'] {
  const unknownFields = new Set(answers.flatMap((answer) => answer.unknownFields));
  const count = (reason: DiscardReason): number =>
    reason === 'unknown_field'
      ? Math.min(unknownFields.size, MAX_UNKNOWN_FIELDS)
      : answers.reduce(
          (sum, { discarded }) => sum + discarded[reason],
          reason === 'not_a_number' ? impossibleTimes : 0,
        );
  return Object.fromEntries(discardReasons.map((reason) => [reason, count(reason)])) as PollState['discarded'];
}

/** Number of points of charts whose time cannot be true. */
const impossibleTimesOf = (values: readonly unknown[]): number =>
  values
    .filter((value): value is readonly TrendSeries[] => Array.isArray(value))
    .flatMap((series) => series.map(({ discarded }) => discarded))
    .reduce((sum, count) => sum + count, 0);

/** An empty answer may be correct for one vendor license, but does not count as success if all others failed. */
const isEmpty = (value: unknown): boolean => isAnswer(value) && value.records.length === 0;

function pollState(endpoint: PolledEndpoint, state: EndpointState<unknown>, mergedRecords: number): PollState {
  const readings = [...state.parts.values()];
  const goodValues = readings.map((reading) => lastGood(reading)?.value).filter((value) => value !== undefined);
  const answers = goodValues.filter(isAnswer);
  const success = readings.length > 0 && readings.every(({ ok }) => ok);
  return {
    endpoint,
    success,
    answered: success || readings.some((reading) => reading.ok && !isEmpty(reading.value)),
    interval: state.interval,
    duration: state.lastAttempt?.seconds,
    lastAttempt: state.lastAttempt?.at,
    lastSuccess: state.lastSuccess,
    // an answer that is not a list counts as one record
    records: goodValues.length - answers.length + answers.reduce((sum, answer) => sum + answer.records.length, 0),
    discarded: sumDiscards(answers, impossibleTimesOf(goodValues)),
    mergedRecords,
    isIncomplete: answers.some(({ discarded }) => discarded.bad_record > 0),
  };
}

/** The availability of an endpoint: `off` in the configuration, `absent` if the analyzer does not have it. */
type Availability = 'polled' | 'absent' | 'off';

/** Whether an endpoint is polled, and whether the analyzer has it. */
export interface EndpointAvailability {
  readonly endpoint: PolledEndpoint;
  readonly state: Availability;
}

/** The availability of all endpoints, sorted by name. */
export function availabilityOf({ endpoints, off = [] }: Snapshot): readonly EndpointAvailability[] {
  const known = Object.entries(endpoints).map(
    ([name, { isAbsent }]): EndpointAvailability => ({
      endpoint: name as PolledEndpoint,
      state: isAbsent === true ? 'absent' : 'polled',
    }),
  );
  const switchedOff = off.map((endpoint): EndpointAvailability => ({ endpoint, state: 'off' }));
  return [...known, ...switchedOff].sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
}

/** The poll state of every endpoint that is polled and not absent, sorted by name. */
export function pollStates(snapshot: Snapshot, merged: Partial<Record<PolledEndpoint, number>>): readonly PollState[] {
  return Object.entries(snapshot.endpoints)
    .filter(([name]) => isExpected(snapshot, name as PolledEndpoint))
    .map(([name, state]) => {
      const endpoint = name as PolledEndpoint;
      return pollState(endpoint, state, merged[endpoint] ?? 0);
    })
    .sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
}
