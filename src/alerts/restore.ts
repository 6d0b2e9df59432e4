import { identityLabels, scopeLabels } from '../model/alert-labels.ts';
import { type AlertState, fingerprint, keyOf, type Labels, movedAlert } from './alert.ts';
import type { Alertmanager, KnownAlert } from './alertmanager.ts';
import type { Rule } from './rule.ts';
import type { SavedAlerts, StateFile } from './state-file.ts';
import type { AlertStates } from './state-machine.ts';
import { movedEnd, type SaidEnd } from './statements.ts';

/** Alerts that were saved longer ago are not restored, seconds: nothing that is not known is kept longer. */
const MAX_OUTAGE = 86_400;

/**
 * Continues saved alerts after a restart. For the time in between, their condition is unknown: pending alerts wait longer by
 * that time, and no alert is resolved before its rule is evaluated.
 *
 * @param now epoch seconds
 * @param ownsVendorLicense those that another shard monitors now are left to it: here they would seem to be gone
 */
export function restoreSaved(
  { alerts }: Pick<SavedAlerts, 'alerts'>,
  now: number,
  ownsVendorLicense: (vendorLicense: string) => boolean = () => true,
): AlertStates {
  const own = alerts.filter(({ labels: { vendor_license: of } }) => of === undefined || ownsVendorLicense(of));
  return new Map(own.map((alert) => [keyOf(alert), { ...alert, unknownSince: now }]));
}

export interface RestoreOptions {
  readonly stateFile: StateFile | undefined;
  readonly alertmanagers: readonly Alertmanager[];
  readonly rules: readonly Rule[];
  /** Labels that identify the alerts of this daemon. */
  readonly filter: Labels;
  /** Labels that are added to every alert when it is sent. */
  readonly commonLabels: Labels;
  /** Its share of the analyzer; empty if that is all of it. */
  readonly shard: string;
  /** Names of the labels of owners. */
  readonly ownerNames: readonly string[];
  readonly ownsVendorLicense: (vendorLicense: string) => boolean;
  /** Called with the URL of an Alertmanager that does not answer. */
  readonly onProblem: (url: string, problem: string) => void;
}

/** The alerts of this daemon that fire in an Alertmanager. They keep firing until their rule is evaluated. */
async function restoreFiring(
  now: number,
  { alertmanagers, rules, filter, commonLabels, shard, ownerNames, ownsVendorLicense, onProblem }: RestoreOptions,
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
  const names = new Set([...Object.keys(commonLabels), ...identityLabels, ...scopeLabels, ...ownerNames]);
  for (const { labels: all, annotations, startsAt } of answers.flat()) {
    // those about the polls of another shard match the filter too
    if (all.vendor_license === undefined && (all.shard ?? '') !== shard) continue;
    // one with labels that this daemon does not know would be another alert
    if (Object.keys(all).some((name) => !names.has(name))) continue;
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
      now: undefined,
    });
  }
  return states;
}

/** What an engine continues. */
export interface Continued {
  readonly states: AlertStates;
  /** See `SavedAlerts`. */
  readonly ends: readonly SaidEnd[];
  readonly complete: ReadonlySet<string>;
  readonly analyzer: string;
}

/** What was saved by a clock that was ahead of this one, for example on another host: nothing of it lies in the future. */
function notAhead({ savedAt, alerts, ends, ...saved }: SavedAlerts, now: number): SavedAlerts {
  const by = Math.min(0, now - savedAt);
  if (by === 0) return { ...saved, savedAt, alerts, ends };
  return {
    ...saved,
    savedAt: savedAt + by,
    alerts: alerts.map((alert) => movedAlert(alert, by)),
    ends: ends.map((end) => movedEnd(end, by)),
  };
}

/** The alerts of the last run, from the file, or from Alertmanager if the file cannot be used. @param now epoch seconds */
export async function restore(now: number, options: RestoreOptions): Promise<Continued> {
  const loaded = options.stateFile?.load();
  const saved = loaded && notAhead(loaded, now);
  if (saved !== undefined && now - saved.savedAt <= MAX_OUTAGE) {
    const { ends, complete, analyzer, isOtherShare = false } = saved;
    // what another shard had sent is continued too
    const sent: AlertStates = isOtherShare ? await restoreFiring(now, options) : new Map();
    const states = new Map([...sent, ...restoreSaved(saved, now, options.ownsVendorLicense)]);
    return { states, ends, complete: new Set(complete), analyzer };
  }
  const { analyzer = '' } = options.commonLabels;
  return { states: await restoreFiring(now, options), ends: [], complete: new Set(), analyzer };
}
