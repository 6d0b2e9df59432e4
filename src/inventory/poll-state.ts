import type { Answer, DiscardReason } from '../model/records.ts';
import { discardReasons, isAnswer, MAX_UNKNOWN_FIELDS } from '../model/records.ts';
import { type EndpointState, isExpected, lastGood, type PolledEndpoint, type Snapshot } from '../model/snapshot.ts';

/** How polling an endpoint goes. */
export interface PollState {
  readonly endpoint: PolledEndpoint;
  /** Whether every part was good at its newest attempt. */
  readonly success: boolean;
  /** Whether at least one part was; an empty one does not count where others failed. */
  readonly answered: boolean;
  /** Seconds. */
  readonly interval: number;
  readonly duration: number | undefined;
  /** Epoch seconds. */
  readonly lastAttempt: number | undefined;
  readonly lastSuccess: number | undefined;
  /** Records in the last good answers. */
  readonly records: number;
  readonly discarded: Readonly<Record<DiscardReason, number>>;
  readonly mergedRecords: number;
}

/** Over all answers; an unknown field counts once, however many of them have it. */
function sumDiscards(answers: readonly Answer<unknown>[]): PollState['discarded'] {
  const unknownFields = new Set(answers.flatMap((answer) => answer.unknownFields));
  const count = (reason: DiscardReason): number =>
    reason === 'unknown_field'
      ? Math.min(unknownFields.size, MAX_UNKNOWN_FIELDS)
      : answers.reduce((sum, { discarded }) => sum + discarded[reason], 0);
  return Object.fromEntries(discardReasons.map((reason) => [reason, count(reason)])) as PollState['discarded'];
}

/** Such an answer may be right for one vendor license, and yet nothing is known where all others failed. */
const isEmpty = (value: unknown): boolean => isAnswer(value) && value.records.length === 0;

function pollState(endpoint: PolledEndpoint, state: EndpointState<unknown>, mergedRecords: number): PollState {
  const readings = [...state.parts.values()];
  const goods = readings.map((reading) => lastGood(reading)?.value).filter((value) => value !== undefined);
  const answers = goods.filter(isAnswer);
  const success = readings.length > 0 && readings.every(({ ok }) => ok);
  return {
    endpoint,
    success,
    answered: success || readings.some((reading) => reading.ok && !isEmpty(reading.value)),
    interval: state.interval,
    duration: state.lastAttempt?.seconds,
    lastAttempt: state.lastAttempt?.at,
    lastSuccess: state.lastSuccess,
    // an answer that is no list counts as one record
    records: goods.length - answers.length + answers.reduce((sum, { records }) => sum + records.length, 0),
    discarded: sumDiscards(answers),
    mergedRecords,
  };
}

/** What an endpoint can be: `off` by the configuration, `absent` when the analyzer does not have it. */
export const availabilities = ['polled', 'absent', 'off'] as const;
export type Availability = (typeof availabilities)[number];

export interface EndpointAvailability {
  readonly endpoint: PolledEndpoint;
  readonly state: Availability;
}

/** Which endpoints there are, sorted by name. */
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

/** The poll state of every endpoint that is polled and that the analyzer has, sorted by name. */
export function pollStates(snapshot: Snapshot, merged: Partial<Record<PolledEndpoint, number>>): readonly PollState[] {
  return Object.entries(snapshot.endpoints)
    .filter(([name]) => isExpected(snapshot, name as PolledEndpoint))
    .map(([name, state]) => {
      const endpoint = name as PolledEndpoint;
      return pollState(endpoint, state, merged[endpoint] ?? 0);
    })
    .sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
}
