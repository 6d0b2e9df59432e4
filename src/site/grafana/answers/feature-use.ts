import { type Figure, isKnown, shareOf } from '../../../base/model/unknown.ts';
import type { FeatureRow } from '../../../exporter/inventory/feature-row.ts';

/** How much of a feature is in use, as pages and Grafana show it. */

type Use = Pick<FeatureRow, 'inUse' | 'maxAvailable'>;

/** From this share on, the next user may be denied. */
export const SATURATED = 0.95;

/** Licenses in use / bought, 0 to 1, and more if more are in use; not known if any number can be in use. */
export const shareInUse = ({ inUse, maxAvailable }: Use): Figure => shareOf(inUse, maxAvailable);

/** Whether nearly all licenses are in use; `undefined` if that is not known, and without licenses. */
export function isSaturated(row: Use): boolean | undefined {
  const share = shareInUse(row);
  return isKnown(share) ? share >= SATURATED : undefined;
}
