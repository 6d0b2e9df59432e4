import { countsByClass } from '../alerting/alerts/alert-classes.ts';
import { attentionItems } from '../alerting/alerts/attention.ts';
import { type EngineStatus, withoutData } from '../alerting/alerts/engine-status.ts';
import { type Figure, unknown } from '../base/model/unknown.ts';
import type { Inventory } from '../exporter/inventory/inventory.ts';
import type { Attention } from './grafana/answers/backend.ts';
import type { AlertCounts } from './pages/page.ts';

/** What the alert engine says, as Grafana and the pages show it. */

/** How many alerts fire or are pending; `undefined` until the rules have been evaluated. */
export function alertCountsOf(status: EngineStatus): AlertCounts | undefined {
  if (status.lastEvaluation === undefined) return undefined;
  const { critical, warning, info, pending } = countsByClass(status.alerts);
  return { critical, warning, info, pending, withoutData: withoutData(status).length };
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
 * @param now epoch seconds
 */
export function attentionOf(
  status: EngineStatus,
  inventory: Inventory | undefined,
  now: number,
): Attention | undefined {
  if (status.lastEvaluation === undefined) return undefined;
  const rows = attentionItems({ status, collectedAt: collectionTimes(inventory), now });
  return { rows, withoutData: withoutData(status).length };
}
