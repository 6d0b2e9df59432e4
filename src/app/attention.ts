import { attentionItems } from '../alerts/attention.ts';
import { engineAlertOf } from '../alerts/definitions.ts';
import { type EngineStatus, withoutData } from '../alerts/engine-status.ts';
import { engineNames } from '../alerts/rules.ts';
import type { Attention } from '../datasource/attention.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { AttentionRow } from '../model/attention.ts';
import { type Figure, unknown } from '../model/unknown.ts';
import type { AlertCounts } from '../pages/page.ts';
import type { AppConfig } from './pipeline.ts';

const isSeverity = (text: string | undefined): text is AttentionRow['severity'] =>
  text === 'critical' || text === 'warning' || text === 'info';

/** Whether denials are polled. */
export const hasDenials = ({ metrics, historyFeatures }: Pick<AppConfig, 'metrics' | 'historyFeatures'>): boolean =>
  metrics.collectors.history && historyFeatures.length > 0;

/** The names of the rules whose data is not requested. */
export const notRequestedRules = (
  config: Pick<AppConfig, 'metrics' | 'historyFeatures' | 'rightsizing'>,
  hasSources: boolean,
): readonly string[] => {
  const has = { denials: hasDenials(config), forecasts: config.rightsizing.isEnabled, sources: hasSources };
  return engineNames.filter((name) => {
    const needs = engineAlertOf(name)?.needs;
    return needs !== undefined && !has[needs];
  });
};

/** How many kinds of alerts may fire without being seen. */
const countWithoutData = (status: EngineStatus, notRequested: readonly string[]): number =>
  withoutData(status).filter((name) => !notRequested.includes(name)).length;

/**
 * How many alerts fire or are pending; `undefined` until the rules have been evaluated.
 *
 * @param notRequested see `notRequestedRules`
 */
export function alertCountsOf(status: EngineStatus, notRequested: readonly string[]): AlertCounts | undefined {
  if (status.lastEvaluation === undefined) return undefined;
  const unseen = countWithoutData(status, notRequested);
  const counts = { critical: 0, warning: 0, info: 0, pending: 0, withoutData: unseen };
  for (const { state, labels } of status.alerts) {
    if (state === 'pending') counts.pending += 1;
    if (state === 'firing' && isSeverity(labels.severity)) counts[labels.severity] += 1;
  }
  return counts;
}

/** When vendor licenses were collected last, epoch seconds. */
export function collectionTimes(inventory: Inventory | undefined): (vendorLicense: string | undefined) => Figure {
  const known = new Map<string, Figure>(
    inventory?.vendorLicenses.map(({ vendorLicense, collectionTime }) => [vendorLicense, collectionTime]),
  );
  return (vendorLicense = '') => known.get(vendorLicense) ?? unknown;
}

/**
 * What needs attention, for Grafana and the pages; `undefined` until the rules have been evaluated.
 *
 * @param notRequested see `notRequestedRules`
 * @param now epoch seconds
 */
export function attentionOf(
  status: EngineStatus,
  inventory: Inventory | undefined,
  notRequested: readonly string[],
  now: number,
): Attention | undefined {
  if (status.lastEvaluation === undefined) return undefined;
  const rows = attentionItems({ status, collectedAt: collectionTimes(inventory), now });
  return { rows, withoutData: countWithoutData(status, notRequested) };
}
