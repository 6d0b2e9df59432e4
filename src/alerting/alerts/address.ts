import type { Owners } from '../../base/model/owners.ts';
import {
  type AlertState,
  type AlertStates,
  fingerprint,
  identityOf,
  keyOf,
  type Labels,
  withoutEmpty,
} from './alert.ts';

/** Who acts on an alert is said by its labels. They follow the mapping of owners. */

/** Labels with those of who acts on an alert, and without those of who acted on it before. */
export type Address = (labels: Labels) => Labels;

/**
 * Who acts on a vendor license or a feature, by the mapping of now. An alert about no vendor license is about the polls of this
 * daemon: it has its shard.
 */
export const createAddress =
  (owners: () => Owners, shard: string): Address =>
  (labels) => {
    const { vendor_license: vendorLicense, feature } = labels;
    const added = vendorLicense === undefined ? { shard } : owners().of(vendorLicense, feature);
    // labels of the rule identify the alert
    return { ...withoutEmpty(added), ...identityOf(labels) };
  };

function isSame(labels: Labels, before: Labels): boolean {
  const names = Object.keys(labels);
  return names.length === Object.keys(before).length && names.every((name) => labels[name] === before[name]);
}

/** How an alert goes on for those who acted on it before. */
function movedText({ owner: before }: Labels, { owner }: Labels): string {
  if (owner === before) return 'now with other labels';
  return owner === undefined ? 'now without an owner' : `now with ${owner}`;
}

/**
 * Alerts with the labels of who acts on them now. One that fires is ended with its labels of before, because for Alertmanager
 * another label makes another alert.
 *
 * @param at epoch seconds
 */
export function readdress(before: AlertStates, address: Address, at: number): AlertStates {
  const after = new Map<string, AlertState>();
  for (const [key, alert] of before) {
    const labels = alert.state === 'resolved' ? alert.labels : address(alert.labels);
    const isMoved = !isSame(labels, alert.labels);
    after.set(key, isMoved ? { ...alert, labels } : alert);
    if (!isMoved || alert.state === 'pending') continue;
    const ended: AlertState = { ...alert, state: 'resolved', resolvedAt: at, ending: movedText(alert.labels, labels) };
    after.set(keyOf(ended), ended);
  }
  for (const [key, { labels, ending }] of after) {
    const next = ending === undefined ? undefined : after.get(fingerprint(labels));
    // one that has its labels of before again is not over
    if (next !== undefined && next.state !== 'resolved' && isSame(next.labels, labels)) after.delete(key);
  }
  return after;
}
