import { identityLabels, scopeLabels } from '../../base/model/alert-labels.ts';
import type { Log } from '../../base/model/log.ts';
import type { Owners } from '../../base/model/owners.ts';
import { type AlertState, beginAlert, keyOf, type Labels } from './alert.ts';
import type { KnownAlert } from './alertmanager.ts';
import type { Owned } from './listed.ts';
import { ownLabelsOf } from './notification.ts';
import type { DeliveryTarget } from './notifier.ts';
import type { Rule } from './rule.ts';
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

/** Where the alerts of an earlier process are found. */
export interface RestoreOptions {
  readonly stateFile: StateFile | undefined;
  readonly alertmanagers: readonly DeliveryTarget[];
  /** Name of the analyzer. */
  readonly analyzer: string;
  /** Its share that this daemon monitors; empty if that is all of it. */
  readonly shard: string;
  /** Who acts on a vendor license or a feature. Another object at any time is another mapping, and alerts follow it. */
  readonly owners: () => Owners;
  readonly owned: Owned;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** The alerts of this daemon that fire in an Alertmanager. They keep firing until their rule is evaluated. */
async function restoreSent(
  rules: readonly Rule[],
  commonLabels: Labels,
  { alertmanagers, analyzer, shard, owners, now, log }: RestoreOptions,
): Promise<readonly AlertState[]> {
  const answers = await Promise.all(
    alertmanagers.map(({ alertmanager }) =>
      alertmanager.known(ownLabelsOf(analyzer)).catch(({ message: reason }: Error): readonly KnownAlert[] => {
        log.warn({ alertmanager: alertmanager.url, reason }, 'alerts not read from Alertmanager');
        return [];
      }),
    ),
  );
  const names = new Set([...Object.keys(commonLabels), ...identityLabels, ...scopeLabels, ...owners().names]);
  // of one that was sent several times, the first
  const known = answers.flat().sort((a, b) => b.startsAt - a.startsAt);
  return known.flatMap(({ labels: all, annotations, startsAt: firedAt }): readonly AlertState[] => {
    // those about the polls of another shard match the filter too
    if (all.vendor_license === undefined && (all.shard ?? '') !== shard) return [];
    // one with labels that this daemon does not know would be another alert
    if (Object.keys(all).some((name) => !names.has(name))) return [];
    const labels = Object.fromEntries(Object.entries(all).filter(([name, value]) => commonLabels[name] !== value));
    const rule = rules.find(({ name, severity }) => labels.alertname === name && labels.severity === severity);
    if (rule === undefined) return [];
    const begun = beginAlert(rule.id, { labels, annotations, value: undefined }, firedAt);
    return [{ ...begun, state: 'firing', firedAt, knownAt: now() }];
  });
}

/**
 * The alerts of the last run, from the file, or from Alertmanager if the file cannot be used. Alerts about vendor licenses that
 * another shard monitors now, and their ends, are left to it: here they would seem to be gone.
 *
 * @param commonLabels added to every alert when it is sent
 */
export async function restore(
  rules: readonly Rule[],
  commonLabels: Labels,
  options: RestoreOptions,
): Promise<SavedAlerts> {
  const now = options.now();
  const loaded = options.stateFile?.load();
  // of a clock that was ahead of this one, for example on another host, nothing lies in the future
  const saved = loaded && movedAlerts(loaded, Math.min(0, now - loaded.savedAt));
  const isUsed = saved !== undefined && now - saved.savedAt <= MAX_OUTAGE;
  const { analyzer } = options;
  const found: SavedAlerts = isUsed ? saved : { savedAt: now, alerts: [], ends: [], complete: [], analyzer };
  // what another shard had sent is continued too
  const sent = isUsed && found.isOtherShare !== true ? [] : await restoreSent(rules, commonLabels, options);
  const isOwn = ({ labels: { vendor_license: of } }: { readonly labels: Labels }): boolean =>
    of === undefined || options.owned.ownsVendorLicense(of);
  const alerts = [...sent, ...restoreSaved(found.alerts, now)].filter(isOwn);
  // what was saved is known better
  const byKey = new Map(alerts.map((alert) => [keyOf(alert), alert]));
  // an end that was said before the other shard says that it fires again would end it
  return { ...found, alerts: [...byKey.values()], ends: found.ends.filter(isOwn) };
}
