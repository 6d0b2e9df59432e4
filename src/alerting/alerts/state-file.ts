import { z } from 'zod';
import type { Log } from '../../base/model/log.ts';
import type { FileWrites } from '../../base/storage/file-writes.ts';
import { createJsonState } from '../../base/storage/json-state.ts';
import type { Stamp } from '../../base/storage/stamp.ts';
import { type AlertState, beginAlert, type Labels, movedAlert, savedLabels } from './alert.ts';
import type { Owned } from './listed.ts';
import type { SaidEnd } from './statements.ts';

/** Alerts that were saved longer ago are not restored, seconds: nothing that is not known is kept longer. */
const MAX_OUTAGE = 86_400;

/**
 * Continues saved alerts after a restart. For the time in between, their condition is unknown: pending alerts wait longer by
 * that time, and no alert is resolved before its rule is evaluated.
 *
 * @param now epoch seconds
 */
export const restoreSaved = (alerts: readonly AlertState[], now: number): readonly AlertState[] =>
  alerts.map((alert) => ({ ...alert, unknownSince: now }));

/**
 * The alerts of the last run, from its file. Alerts about vendor licenses that another shard monitors now, and their ends, are left
 * to it: here they would seem to be gone.
 *
 * @param now epoch seconds
 */
export function restore(stateFile: StateFile | undefined, analyzer: string, owned: Owned, now: number): SavedAlerts {
  const loaded = stateFile?.load();
  // of a clock that was ahead of this one, for example on another host, nothing lies in the future
  const saved = loaded && movedAlerts(loaded, Math.min(0, now - loaded.savedAt));
  if (saved === undefined || now - saved.savedAt > MAX_OUTAGE) {
    return { savedAt: now, alerts: [], ends: [], complete: [], analyzer };
  }
  const isOwn = ({ labels: { vendor_license: of } }: { readonly labels: Labels }): boolean =>
    of === undefined || owned.ownsVendorLicense(of);
  // an end that was said before the other shard says that it fires again would end it
  return { ...saved, alerts: restoreSaved(saved.alerts, now).filter(isOwn), ends: saved.ends.filter(isOwn) };
}

/** What another engine, or another process, continues. */
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
}

/** Alerts after the clock was set: everything is as old as before. @param by seconds */
export const movedAlerts = ({ savedAt, alerts, ends, ...saved }: SavedAlerts, by: number): SavedAlerts => ({
  ...saved,
  savedAt: savedAt + by,
  alerts: alerts.map((alert) => movedAlert(alert, by)),
  ends: ends.map(({ labels, at }) => ({ labels, at: at + by })),
});

/** The alerts of one analyzer in a file. */
export interface StateFile {
  /** The alerts that were saved for this analyzer; `undefined` if the file cannot be used. */
  load(): SavedAlerts | undefined;
  /**
   * Resolves when the file is written, when that fails, or after some seconds: a disk problem does not delay alerts. Of
   * several calls during a write, only the newest one is written.
   */
  save(saved: Omit<SavedAlerts, 'analyzer'>): Promise<void>;
}

/** The file has times that people can read. */
const textOf = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
const time = z
  .string()
  .transform((text) => Date.parse(text) / 1000)
  .pipe(z.number({ error: 'not a time' }));
const texts = z.record(z.string(), z.string());

const alertOfFile = z
  .object({
    rule: z.string(),
    labels: texts,
    state: z.enum(['pending', 'firing', 'resolved']),
    activeAt: time,
    firedAt: time.optional(),
    keepFiringSince: time.optional(),
    resolvedAt: time.optional(),
    knownAt: time,
    value: z.number().optional(),
    threshold: z.number().optional(),
    ending: z.string().optional(),
    annotations: texts,
  })
  .refine(({ state, firedAt }) => state === 'pending' || firedAt !== undefined, 'it fires, and never began')
  .refine(({ state, resolvedAt }) => state !== 'resolved' || resolvedAt !== undefined, 'it is over, and never ended')
  .transform(
    ({ value, ...alert }): AlertState => ({
      ...beginAlert(alert.rule, { ...alert, value }, 0),
      ...alert,
      labels: savedLabels(alert.labels, alert.annotations),
    }),
  );

const fileOfAlerts = z.object({
  analyzer: z.string(),
  share: z.string().optional(),
  savedAt: time,
  alerts: z.array(alertOfFile),
  // earlier versions saved neither
  ends: z.array(z.object({ labels: texts, at: time })).default([]),
  complete: z.array(z.string()).default([]),
});

const written = ({ labels, annotations, rule, state, value, threshold, ending, ...alert }: AlertState): object => ({
  rule,
  labels,
  state,
  activeAt: textOf(alert.activeAt),
  firedAt: textOf(alert.firedAt),
  keepFiringSince: textOf(alert.keepFiringSince),
  resolvedAt: textOf(alert.resolvedAt),
  knownAt: textOf(alert.knownAt),
  value,
  threshold,
  ending,
  annotations,
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
  { share: ownShare, ...surroundings }: Surroundings,
): StateFile {
  const [analyzer] = names;
  let newest: Parameters<StateFile['save']>[0] = { savedAt: 0, alerts: [], ends: [], complete: [] };
  const state = createJsonState<SavedAlerts | undefined>({
    ...surroundings,
    path,
    consequence: 'a restart may send alerts twice',
    content: () => ({
      analyzer,
      share: ownShare,
      savedAt: textOf(newest.savedAt),
      alerts: newest.alerts.map(written),
      ends: newest.ends.map(({ labels, at }) => ({ labels, at: textOf(at) })),
      complete: newest.complete,
    }),
    read: (content, by) => {
      const { data, error } = fileOfAlerts.safeParse(content);
      if (error !== undefined)
        throw new Error(error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)[0]);
      const { share, ...saved } = data;
      if (!names.includes(saved.analyzer)) {
        const found = { file: path, of: saved.analyzer, analyzer };
        surroundings.log.warn(found, 'saved alerts are of another analyzer and are not used');
        return undefined;
      }
      // of what other shards monitored, this one does not know everything
      return movedAlerts(share === ownShare ? saved : { ...saved, complete: [] }, by);
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
