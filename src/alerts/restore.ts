import { type AlertState, fingerprint, type Labels } from './alert.ts';
import type { Alertmanager, KnownAlert } from './alertmanager.ts';
import type { Rule } from './rule.ts';
import type { SavedAlerts, StateFile } from './state-file.ts';
import type { AlertStates } from './state-machine.ts';

/** Alerts that were saved longer ago are not restored, unless unknown data is kept longer, seconds. Alertmanager has resolved them. */
const MAX_OUTAGE = 3600;

/**
 * Continues saved alerts after a restart. For the time in between, their condition is unknown: pending alerts wait longer by
 * that time, and no alert is resolved before its rule is evaluated.
 *
 * @param now epoch seconds
 */
export function restoreSaved({ alerts }: SavedAlerts, now: number): AlertStates {
  return new Map(alerts.map((alert) => [fingerprint(alert.labels), { ...alert, unknownSince: now }]));
}

export interface RestoreOptions {
  readonly stateFile: StateFile | undefined;
  readonly alertmanagers: readonly Alertmanager[];
  readonly rules: readonly Rule[];
  /** Labels that identify the alerts of this daemon. */
  readonly filter: Labels;
  /** Labels that are added to every alert when it is sent. */
  readonly commonLabels: Labels;
  /** How long Alertmanager keeps alerts of a daemon that does not run, seconds. */
  readonly unknownHold: number;
  readonly ownsVendorLicense: (vendorLicense: string) => boolean;
  /** Called with the URL of an Alertmanager that does not answer. */
  readonly onProblem: (url: string, problem: string) => void;
}

/** The alerts of this daemon that fire in an Alertmanager. They keep firing until their rule is evaluated. */
async function restoreFiring(
  now: number,
  { alertmanagers, rules, filter, commonLabels, ownsVendorLicense, onProblem }: RestoreOptions,
): Promise<AlertStates> {
  const answers = await Promise.all(
    alertmanagers.map(async (alertmanager): Promise<readonly KnownAlert[]> => {
      try {
        return await alertmanager.known(filter);
      } catch (error) {
        onProblem(alertmanager.url, (error as Error).message);
        return [];
      }
    }),
  );
  const states = new Map<string, AlertState>();
  for (const { labels: all, annotations, startsAt } of answers.flat()) {
    // those of another shard match the filter of a daemon without shards
    if (all.shard !== filter.shard) continue;
    // with the labels of its owner: an alert with other labels would be another one
    const labels = Object.fromEntries(Object.entries(all).filter(([name, value]) => commonLabels[name] !== value));
    const rule = rules.find(({ name, severity }) => labels.alertname === name && labels.severity === severity);
    const { vendor_license: vendorLicense } = labels;
    if (rule === undefined || (vendorLicense !== undefined && !ownsVendorLicense(vendorLicense))) continue;
    const key = fingerprint(labels);
    const firedAt = Math.min(startsAt, states.get(key)?.firedAt ?? startsAt);
    states.set(key, {
      rule: rule.id,
      labels,
      annotations,
      value: undefined,
      state: 'firing',
      activeAt: firedAt,
      firedAt,
      keepFiringSince: undefined,
      resolvedAt: undefined,
      knownAt: now,
      unknownSince: undefined,
      sentAt: undefined,
    });
  }
  return states;
}

/** The alerts of the last run, from the file, or from Alertmanager if the file cannot be used. @param now epoch seconds */
export async function restore(now: number, options: RestoreOptions): Promise<AlertStates> {
  const saved = options.stateFile?.load();
  return saved !== undefined && now - saved.savedAt <= Math.max(MAX_OUTAGE, options.unknownHold)
    ? restoreSaved(saved, now)
    : await restoreFiring(now, options);
}
