import type { AlertState, Labels } from './alert.ts';
import type { Owned } from './listed.ts';
import { movedAlerts, type SavedAlerts, type StateFile } from './state-file.ts';

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
