import { endsWithin } from '../scheduling/ends-within.ts';
import { createLatestOnly } from '../scheduling/latest-only.ts';
import { readSavedText, writeJsonFile } from '../storage/json-file.ts';
import type { AlertState, Labels } from './alert.ts';

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
   * Resolves when the file is written, or after `MAX_WAIT`. A disk problem is reported and does not delay alerts. Of several
   * calls during a write, only the newest one is written.
   */
  save(saved: SavedAlerts): Promise<void>;
}

interface Content {
  readonly v: 1;
  readonly analyzer: string;
  readonly savedAt: string;
  readonly alerts: readonly object[];
}

/** Maximum time that alerts wait for the file, seconds. */
const MAX_WAIT = 5;

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

/**
 * Saves the alerts of one analyzer in a file with mode 0600. Each save replaces the whole file.
 *
 * @param onProblem called with one line: the problem and the remedy
 */
export function createStateFile(path: string, analyzer: string, onProblem: (problem: string) => void): StateFile {
  let newest: SavedAlerts | undefined;
  let isHanging = false;

  const write = createLatestOnly(async () => {
    if (newest === undefined) return;
    const { savedAt, alerts } = newest;
    try {
      const content: Content = {
        v: 1,
        analyzer,
        savedAt: new Date(savedAt * 1000).toISOString(),
        alerts: alerts.map(writeAlert),
      };
      await writeJsonFile(path, content);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      onProblem(`${path} cannot be written (${code ?? message}); a restart may send alerts twice; check storage.path`);
    }
    isHanging = false;
  });

  return {
    load: () => {
      const text = readSavedText(path, onProblem);
      if (text === undefined) return undefined;
      try {
        const content = JSON.parse(text) as Content;
        const savedAt = Date.parse(content.savedAt) / 1000;
        if (content.v !== 1 || Number.isNaN(savedAt)) throw new Error('not a file of alerts');
        if (content.analyzer !== analyzer) return undefined;
        return { savedAt, alerts: content.alerts.map(readAlert) };
      } catch (error) {
        onProblem(`${path} is damaged (${(error as Error).message}) and is not used; remove it`);
        return undefined;
      }
    },
    save: async (saved) => {
      newest = saved;
      const written = write();
      // waits once for a write that hangs, not once for each save
      if (isHanging || (await endsWithin(written, MAX_WAIT)) || isHanging) return;
      isHanging = true;
      onProblem(
        `${path} is not written after ${MAX_WAIT} s; alerts are sent without it; check the disk of storage.path`,
      );
    },
  };
}
