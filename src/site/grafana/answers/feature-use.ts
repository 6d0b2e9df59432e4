import { type Figure, shareOf } from '../../../base/model/unknown.ts';
import type { FeatureRow } from '../../../exporter/inventory/feature-row.ts';

/** How much of a feature is in use, as pages and Grafana show it. */

type Use = Pick<FeatureRow, 'inUse' | 'maxAvailable'>;

/** From this share on, a figure is shown as nearly full: what LicenseFeatureSaturated compares with if nothing is set. */
export const SATURATED = 0.95;

/** Licenses in use / bought, 0 to 1, and more if more are in use; not known if any number can be in use. */
export const shareInUse = ({ inUse, maxAvailable }: Use): Figure => shareOf(inUse, maxAvailable);
