import { type AlertState, fingerprint, type Labels, ownLabelNames, withoutEmpty } from './alert.ts';
import type { Alertmanager, KnownAlert } from './alertmanager.ts';
import type { Rule } from './rule.ts';
import type { SavedAlerts } from './state-file.ts';
import type { AlertStates } from './state-machine.ts';

/** Alerts of a longer outage are not taken up again, seconds: Alertmanager has long resolved them. */
export const MAX_OUTAGE = 3600;

/**
 * Alerts as they go on after a restart: of the time between nothing is known, so pending ones wait as much longer, and
 * nothing is resolved before its rule has been heard.
 *
 * @param now epoch seconds
 */
export function restoreSaved({ alerts }: SavedAlerts, now: number): AlertStates {
  return new Map(alerts.map((alert) => [fingerprint(alert.labels), { ...alert, unknownSince: now }]));
}

export interface RestoreOptions {
  readonly rules: readonly Rule[];
  /** Labels that all of our alerts have, and no others. */
  readonly filter: Labels;
  readonly ownsVendorLicense: (vendorLicense: string) => boolean;
  readonly onProblem: (url: string, problem: string) => void;
}

/** Without a file, what Alertmanager knows of us: everything that fires there, fires here until its rule is heard. */
export async function restoreKnown(
  alertmanagers: readonly Alertmanager[],
  now: number,
  { rules, filter, ownsVendorLicense, onProblem }: RestoreOptions,
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
    const labels = withoutEmpty(Object.fromEntries(ownLabelNames.map((name) => [name, all[name] ?? ''])));
    const rule = rules.find(({ name, severity }) => labels.alertname === name && labels.severity === severity);
    const { vendor_license: vendorLicense } = labels;
    if (rule === undefined || (vendorLicense !== undefined && !ownsVendorLicense(vendorLicense))) continue;
    const key = fingerprint(labels);
    const firedAt = Math.min(startsAt, states.get(key)?.firedAt ?? startsAt);
    states.set(key, {
      rule: rule.id,
      labels,
      annotations,
      value: 0,
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
