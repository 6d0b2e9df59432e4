import type { Log } from '../model/log.ts';
import type { FileWrites } from '../storage/file-writes.ts';
import { createJsonState } from '../storage/json-state.ts';
import type { Stamp } from '../storage/stamp.ts';
import { type AlertState, type Labels, movedAlert } from './alert.ts';

/** The content of the file. */
export interface SavedAlerts {
  /** Epoch seconds. */
  readonly savedAt: number;
  readonly alerts: readonly AlertState[];
}

export interface StateFile {
  /** The alerts that were saved for this analyzer; `undefined` if the file cannot be used. */
  load(): SavedAlerts | undefined;
  /**
   * Resolves when the file is written, when that fails, or after some seconds: a disk problem does not delay alerts. Of
   * several calls during a write, only the newest one is written.
   */
  save(saved: SavedAlerts): Promise<void>;
}

const times = ['activeAt', 'firedAt', 'keepFiringSince', 'resolvedAt', 'knownAt'] as const;

const isTexts = (value: unknown): value is Labels =>
  typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');

/** An alert of the file, with times as numbers. @throws Error if it is not an alert */
function readAlert(value: unknown): AlertState {
  const raw = (value ?? {}) as Record<string, unknown>;
  const { rule, state, labels, annotations, value: figure } = raw;
  const isAlert =
    typeof rule === 'string' &&
    (state === 'pending' || state === 'firing' || state === 'resolved') &&
    isTexts(labels) &&
    isTexts(annotations) &&
    (figure === undefined || typeof figure === 'number');
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
    sentAt: undefined,
  };
}

function writeAlert({ rule, labels, state, annotations, value, ...alert }: AlertState): object {
  const written = times.flatMap((name) => {
    const seconds = alert[name];
    return seconds === undefined ? [] : [[name, new Date(seconds * 1000).toISOString()]];
  });
  return { rule, labels, state, ...Object.fromEntries(written), value, annotations };
}

/** @throws Error if the content is not that of alerts */
function readAlerts(content: Readonly<Record<string, unknown>>): SavedAlerts {
  const savedAt = Date.parse(String(content.savedAt)) / 1000;
  if (Number.isNaN(savedAt) || !Array.isArray(content.alerts)) throw new Error('not a file of alerts');
  return { savedAt, alerts: content.alerts.map(readAlert) };
}

const moved = ({ savedAt, alerts }: SavedAlerts, by: number): SavedAlerts => ({
  savedAt: savedAt + by,
  alerts: alerts.map((alert) => movedAlert(alert, by)),
});

/** How problems of the file are reported, and what its times are of. */
interface Surroundings {
  readonly stamp: () => Stamp;
  readonly writes: FileWrites;
  readonly log: Log;
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
  let newest: SavedAlerts = { savedAt: 0, alerts: [] };
  const state = createJsonState<SavedAlerts | undefined>({
    ...surroundings,
    path,
    consequence: 'a restart may send alerts twice',
    content: () => ({
      analyzer,
      savedAt: new Date(newest.savedAt * 1000).toISOString(),
      alerts: newest.alerts.map(writeAlert),
    }),
    read: (content, by) => {
      if (names.some((name) => name === content.analyzer)) return moved(readAlerts(content), by);
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
