import type { Log } from '../model/log.ts';
import type { FileWrites } from '../storage/file-writes.ts';
import { createJsonState } from '../storage/json-state.ts';
import type { Stamp } from '../storage/stamp.ts';
import { type AlertState, type Labels, movedAlert } from './alert.ts';
import { movedEnd, type SaidEnd } from './statements.ts';

/** The content of the file. */
export interface SavedAlerts {
  /** Epoch seconds. */
  readonly savedAt: number;
  readonly alerts: readonly AlertState[];
  /** Alerts that have ended and that Prometheus may not know yet. */
  readonly ends: readonly SaidEnd[];
  /** Names of the alerts of which everything was said, of the same share of the analyzer. */
  readonly complete: readonly string[];
  /** The name of the analyzer with which they were sent. */
  readonly analyzer: string;
  /** Whether they are of another share of the analyzer: alerts about vendor licenses of this one may be missing. */
  readonly isOtherShare?: boolean;
}

export interface StateFile {
  /** The alerts that were saved for this analyzer; `undefined` if the file cannot be used. */
  load(): SavedAlerts | undefined;
  /**
   * Resolves when the file is written, when that fails, or after some seconds: a disk problem does not delay alerts. Of
   * several calls during a write, only the newest one is written.
   */
  save(saved: Omit<SavedAlerts, 'analyzer' | 'isOtherShare'>): Promise<void>;
}

const times = ['activeAt', 'firedAt', 'keepFiringSince', 'resolvedAt', 'knownAt'] as const;

const isTexts = (value: unknown): value is Labels =>
  typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');

/** An alert of the file, with times as numbers. @throws Error if it is not an alert */
function readAlert(value: unknown): AlertState {
  const raw = (value ?? {}) as Record<string, unknown>;
  const { rule, state, labels, annotations, value: figure, now } = raw;
  const isAlert =
    typeof rule === 'string' &&
    (state === 'pending' || state === 'firing' || state === 'resolved') &&
    isTexts(labels) &&
    isTexts(annotations) &&
    (figure === undefined || typeof figure === 'number') &&
    (now === undefined || typeof now === 'string');
  if (!isAlert) throw new Error('not an alert');
  const read = times.flatMap((name) => {
    if (raw[name] === undefined) return [];
    const seconds = Date.parse(String(raw[name])) / 1000;
    if (Number.isNaN(seconds)) throw new Error(`${name} is not a time`);
    return [[name, seconds] as const];
  });
  const { activeAt, firedAt, keepFiringSince, resolvedAt, knownAt } = Object.fromEntries(read);
  const isWhole =
    activeAt !== undefined &&
    knownAt !== undefined &&
    (state === 'pending' || firedAt !== undefined) &&
    (state !== 'resolved' || resolvedAt !== undefined);
  if (!isWhole) throw new Error('a time is missing');
  return {
    rule,
    labels,
    annotations,
    value: figure,
    state,
    activeAt,
    firedAt,
    keepFiringSince,
    resolvedAt,
    knownAt,
    unknownSince: undefined,
    now,
  };
}

function writeAlert({ rule, labels, state, annotations, value, now, ...alert }: AlertState): object {
  const written = times.flatMap((name) => {
    const seconds = alert[name];
    return seconds === undefined ? [] : [[name, new Date(seconds * 1000).toISOString()]];
  });
  return { rule, labels, state, ...Object.fromEntries(written), value, now, annotations };
}

/** An end of the file. @throws Error if it is not one */
function readEnd(value: unknown): SaidEnd {
  const { labels, at } = (value ?? {}) as Record<string, unknown>;
  const seconds = Date.parse(String(at)) / 1000;
  if (!isTexts(labels) || Number.isNaN(seconds)) throw new Error('not the end of an alert');
  return { labels, at: seconds };
}

/** @throws Error if the content is not that of alerts */
function readAlerts(content: Readonly<Record<string, unknown>>): SavedAlerts {
  const savedAt = Date.parse(String(content.savedAt)) / 1000;
  if (Number.isNaN(savedAt) || !Array.isArray(content.alerts)) throw new Error('not a file of alerts');
  // earlier versions saved no ends
  const ends = Array.isArray(content.ends) ? content.ends.map(readEnd) : [];
  const complete = Array.isArray(content.complete) ? content.complete.map(String) : [];
  return { savedAt, alerts: content.alerts.map(readAlert), ends, complete, analyzer: String(content.analyzer) };
}

const moved = ({ savedAt, alerts, ends, ...saved }: SavedAlerts, by: number): SavedAlerts => ({
  ...saved,
  savedAt: savedAt + by,
  alerts: alerts.map((alert) => movedAlert(alert, by)),
  ends: ends.map((end) => movedEnd(end, by)),
});

/** How problems of the file are reported, and what its times are of. */
interface Surroundings {
  readonly stamp: () => Stamp;
  readonly writes: FileWrites;
  readonly log: Log;
  /** Which share of the analyzer the alerts are about: index and number of shards. */
  readonly share?: string;
}

/**
 * Saves the alerts of one analyzer in a file with mode 0600. Each save replaces the whole file.
 *
 * @param names all names of the analyzer, the present one first. Alerts of any other analyzer are not used, and the log says so
 */
export function createStateFile(
  path: string,
  names: readonly [string, ...string[]],
  surroundings: Surroundings,
): StateFile {
  const [analyzer] = names;
  let newest: Omit<SavedAlerts, 'analyzer' | 'isOtherShare'> = { savedAt: 0, alerts: [], ends: [], complete: [] };
  const state = createJsonState<SavedAlerts | undefined>({
    ...surroundings,
    path,
    consequence: 'a restart may send alerts twice',
    content: () => ({
      analyzer,
      share: surroundings.share,
      savedAt: new Date(newest.savedAt * 1000).toISOString(),
      alerts: newest.alerts.map(writeAlert),
      ends: newest.ends.map(({ labels, at }) => ({ labels, at: new Date(at * 1000).toISOString() })),
      complete: newest.complete,
    }),
    read: (content, by) => {
      if (names.some((name) => name === content.analyzer)) {
        const saved = moved(readAlerts(content), by);
        // of what other shards monitored, this one does not know everything
        return content.share === surroundings.share ? saved : { ...saved, complete: [], isOtherShare: true };
      }
      const of = String(content.analyzer);
      surroundings.log.warn({ file: path, of, analyzer }, 'saved alerts are of another analyzer and are not used');
      return undefined;
    },
  });
  return {
    load: state.load,
    save: (saved) => {
      newest = saved;
      return state.save();
    },
  };
}
