import type { Log } from '../../base/model/log.ts';
import type { FileWrites } from '../../base/storage/file-writes.ts';
import { createJsonState } from '../../base/storage/json-state.ts';
import type { Stamp } from '../../base/storage/stamp.ts';
import { groupLabels, labelsKey, savedLabels } from '../alerts/alert.ts';
import { type Covered, type Entry, type Ledger, movedEntry } from './ledger.ts';

/** What is kept about one receiver over restarts. Times are epoch seconds. */

/** Counts of one receiver. They survive a reload, because a counter must not decrease. */
export interface MessageCounts {
  /** Messages that were accepted. */
  sent: number;
  /** Attempts and addresses that failed. */
  errors: number;
  /** Messages that could not be delivered for too long. */
  dropped: number;
  lastSuccess: number | undefined;
}

/** Counts of a receiver that has sent nothing yet. */
export const createMessageCounts = (): MessageCounts => ({ sent: 0, errors: 0, dropped: 0, lastSuccess: undefined });

/** One address, and the setting that names it. */
export interface Recipient {
  readonly address: string;
  /** For example `alerting.email.to[0]`. */
  readonly setting: string;
}

/**
 * A message that is being sent. It is saved before, so that after a crash the very same message is sent again: mail systems
 * drop a second copy by its Message-ID.
 */
export interface Frozen {
  /** What it is about: a group. */
  readonly key: string;
  readonly id: string;
  /** When it was written. */
  readonly at: number;
  /** As it is transmitted. */
  readonly body: string;
  /** Who has not accepted it yet; empty for a webhook. */
  readonly to: readonly Recipient[];
  readonly covered: readonly Covered[];
}

/** What must not be forgotten of a receiver: what it was told, and what it waits for. */
export interface ReceiverState {
  readonly ledger: Ledger;
  /** When the last message about each group was accepted. */
  readonly sentAt: ReadonlyMap<string, number>;
  /** Messages that the receiver may have. */
  readonly frozen: ReadonlyMap<string, Frozen>;
}

/** The state of a receiver that has been told nothing. */
export const emptyState: ReceiverState = { ledger: new Map(), sentAt: new Map(), frozen: new Map() };

const movedCovered = ({ key, episodes }: Covered, by: number): Covered => ({
  key,
  episodes: episodes.map(({ startsAt, state }) => ({ startsAt: startsAt + by, state })),
});

const movedFrozen = ({ key, id, at, body, to, covered }: Frozen, by: number): Frozen => ({
  key,
  id,
  at: at + by,
  body,
  to,
  covered: covered.map((one) => movedCovered(one, by)),
});

/** The state after the clock was set: everything is as old as before. @param by seconds */
export function movedState({ ledger, sentAt, frozen }: ReceiverState, by: number): ReceiverState {
  return {
    ledger: new Map([...ledger].map(([key, entry]) => [key, movedEntry(entry, by)])),
    sentAt: new Map([...sentAt].map(([key, at]) => [key, at + by])),
    frozen: new Map([...frozen].map(([key, message]) => [key, movedFrozen(message, by)])),
  };
}

/** The form in the file. */
export const stateJson = ({ ledger, sentAt, frozen }: ReceiverState): object => ({
  alerts: Object.fromEntries(ledger),
  groups: Object.fromEntries(sentAt),
  frozen: [...frozen.values()],
});

type Json = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isTexts = (value: unknown): boolean => isMap(value) && Object.values(value).every(isText);
const isNoticeState = (value: unknown): boolean => value === 'firing' || value === 'no data' || value === 'resolved';
const isListOf =
  (isItem: (item: Json) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every((item) => isMap(item) && isItem(item));

const isSaid = ({ startsAt, state }: Json): boolean => isTime(startsAt) && isNoticeState(state);
const isEpisode = (episode: Json): boolean =>
  isSaid(episode) &&
  isTime(episode.at) &&
  (episode.dueSince === undefined || isTime(episode.dueSince)) &&
  (episode.ending === undefined || isText(episode.ending));
const isEntry = (entry: unknown): boolean =>
  isMap(entry) &&
  isText(entry.rule) &&
  isTexts(entry.labels) &&
  isTexts(entry.annotations) &&
  isListOf(isEpisode)(entry.episodes) &&
  (entry.sent === undefined || (isMap(entry.sent) && isSaid(entry.sent)));
const isFrozen = ({ key, id, at, body, to, covered }: Json): boolean =>
  [key, id, body].every(isText) &&
  isTime(at) &&
  isListOf(({ address, setting }) => isText(address) && isText(setting))(to) &&
  isListOf((one) => isText(one.key) && isListOf(isSaid)(one.episodes))(covered);

/** A key of 0.2.0: `["LicenseServerDown","critical",…]`. Today's has pairs, see `labelsKey`. */
const OLD_KEY = /^\["/;

/** The ledger of 0.2.0, which had an alert for each feature. Of those that are one now, the first that was told of stands for all. */
function currentLedger(entries: readonly (readonly [string, Entry])[]): {
  readonly ledger: Ledger;
  /** The key of now by that of the file. */
  readonly keys: ReadonlyMap<string, string>;
} {
  const ledger = new Map<string, Entry>();
  const keys = new Map<string, string>();
  for (const [key, entry] of entries) {
    const isOld = OLD_KEY.test(key);
    const labels = isOld ? groupLabels(savedLabels(entry.labels, entry.annotations)) : entry.labels;
    const current = isOld ? labelsKey(labels) : key;
    keys.set(key, current);
    if (ledger.get(current)?.sent === undefined) ledger.set(current, { ...entry, labels });
  }
  return { ledger, keys };
}

/** The state of a file. @throws Error in a few words if it is damaged */
export function readState(value: unknown): ReceiverState {
  const { alerts, groups, frozen } = (value ?? {}) as Json;
  const isState =
    isMap(alerts) &&
    Object.values(alerts).every(isEntry) &&
    isMap(groups) &&
    Object.values(groups).every(isTime) &&
    isListOf(isFrozen)(frozen);
  if (!isState) throw new Error('not the state of a receiver');
  const { ledger, keys } = currentLedger(Object.entries(alerts as Readonly<Record<string, Entry>>));
  const messages = (frozen as readonly Frozen[]).map((message) => ({
    ...message,
    covered: message.covered.map((one) => ({ ...one, key: keys.get(one.key) ?? one.key })),
  }));
  return {
    ledger,
    sentAt: new Map(Object.entries(groups)) as ReceiverState['sentAt'],
    frozen: new Map(messages.map((message) => [message.key, message])),
  };
}

export type ReceiverStates = ReadonlyMap<string, ReceiverState>;

/** The states of all receivers of one analyzer in a file. */
export interface MessageFile {
  /** The states that were saved for this analyzer; empty if the file cannot be used. */
  load(): ReceiverStates;
  /** Resolves when the newest states are written, when that fails, or after some seconds. */
  save(): Promise<void>;
}

interface MessageFileOptions {
  readonly path: string;
  readonly analyzer: string;
  /** Called when the file is written. */
  readonly states: () => ReceiverStates;
  /** Now, by the clock of the times in the states. */
  readonly stamp: () => Stamp;
  readonly writes: FileWrites;
  readonly log: Log;
}

/** Keeps what people were notified of in a file with mode 0600. Each save replaces the whole file. */
export function createMessageFile({ analyzer, states, ...options }: MessageFileOptions): MessageFile {
  const state = createJsonState<ReceiverStates>({
    ...options,
    consequence: 'a restart may repeat messages',
    content: () => ({
      analyzer,
      receivers: Object.fromEntries([...states()].map(([name, receiver]) => [name, stateJson(receiver)])),
    }),
    read: ({ analyzer: whose, receivers }, by) => {
      if (whose !== analyzer) return new Map();
      return new Map(
        Object.entries(receivers ?? {}).map(([name, receiver]) => [name, movedState(readState(receiver), by)]),
      );
    },
  });
  return { load: () => state.load() ?? new Map(), save: state.save };
}
