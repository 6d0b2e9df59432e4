import { expiryDay } from '../../../base/model/expiry-day.ts';
import type { LocalTime } from '../../../base/model/local-time.ts';
import type { OwnerMapping } from '../../../base/model/owners.ts';
import { isUncounted } from '../../../base/model/uncounted.ts';
import { type Figure, isKnown } from '../../../base/model/unknown.ts';
import type { FeatureRow } from '../../../exporter/inventory/feature-row.ts';
import { type Cell, type Column, cell, number, text } from './panel-data.ts';
import type { Query } from './query.ts';
import type { Cells } from './table-view.ts';

/** Columns of the tables that are answered from the last poll. */

const DAY = 86_400;

/** Days until a license expires, with a fraction; negative after it. */
export const daysLeft: Column = { text: 'Days left', type: 'number', unit: 'd' };
/** Days since a license expired, for tables of those that have. */
export const daysSince: Column = { ...daysLeft, text: 'Days since' };

/** The day of an expiry, as a text: Grafana would show an instant in the zone of the viewer. */
export const expires = (at: Figure | undefined, { timeZone }: LocalTime): Cell =>
  at === Number.POSITIVE_INFINITY ? 'permanent' : cell(expiryDay(at, timeZone));

/** @param now epoch seconds */
export const daysUntil = (at: Figure, now: number): number | null =>
  isKnown(at) ? cell(Math.round(((at - now) / DAY) * 100) / 100) : null;

/** The column of the owner. It is left out without a mapping, so that tables have no empty column. */
export const ownerColumn = <T extends { readonly vendorLicense: string; readonly feature?: string }>(
  owners: OwnerMapping,
): Cells<T> => [
  [
    text('Owner'),
    ({ vendorLicense, feature }) => cell(owners.of(vendorLicense, feature).owner),
    owners.entries.length === 0 ? 'never' : 'always',
  ],
];

/** `20` or `uncounted`. */
const boughtText = (row: FeatureRow): Cell =>
  isUncounted(row) ? 'uncounted' : isKnown(row.maxAvailable) ? `${row.maxAvailable}` : null;

/** What was bought. A column of rows has one type: uncounted licenses have no number there, and `License type` says so. */
export const bought = (
  { isForRows }: Query,
  shown: NonNullable<Cells<FeatureRow>[number][2]> = 'always',
): Cells<FeatureRow>[number] =>
  isForRows
    ? [number('Bought'), (row) => (isUncounted(row) ? null : cell(row.maxAvailable)), shown]
    : [text('Bought'), boughtText, shown];
