import type { Inventory } from '../inventory/inventory.ts';
import type { VendorLicenseRow } from '../inventory/vendor-license-row.ts';
import type { LocalTime } from '../model/local-time.ts';
import { expires, number, text } from './live-columns.ts';
import { cell, keyOf } from './panel-data.ts';
import type { Query } from './query.ts';
import type { Cells } from './table-view.ts';

/** What the features of a vendor license add up to: columns of `products` that are computed only if they are asked for. */

interface ProductSums {
  /** Licenses of counted features whose usage is known. */
  inUse: number;
  bought: number;
  /** Epoch seconds, the first expiry after now. */
  next: number | undefined;
  /** `undefined` while no expiry is known. */
  ended: number | undefined;
}

/** Features read between two yields. */
const SLICE = 128;

const names = ['In use', 'Bought', 'Share', 'Next expiry', 'Ended'];

function* sumFeatures(inventory: Inventory): Generator<void, ReadonlyMap<string, ProductSums>> {
  const sums = new Map<string, ProductSums>();
  let read = 0;
  for (const row of inventory.features) {
    read += 1;
    if (read % SLICE === 0) yield;
    const sum = sums.get(row.vendorLicense) ?? {
      inUse: 0,
      bought: 0,
      next: undefined,
      ended: undefined,
    };
    sums.set(row.vendorLicense, sum);
    if (row.inUse !== undefined && row.maxAvailable !== undefined) {
      sum.inUse += row.inUse;
      sum.bought += row.maxAvailable;
    }
    if (row.expiration === undefined) continue;
    const isAhead = row.expiration > inventory.at;
    if (isAhead) sum.next = Math.min(sum.next ?? row.expiration, row.expiration);
    sum.ended = (sum.ended ?? 0) + (isAhead ? 0 : 1);
  }
  return sums;
}

/** The columns. Without one that the payload names, no feature is read. */
export function* sumColumns(
  query: Query,
  inventory: Inventory,
  localTime: LocalTime,
): Generator<void, Cells<VendorLicenseRow>> {
  const asked = [...(query.values.lists.columns ?? []), (query.values.sort ?? '').replace(/^-/, '')];
  const isAsked = names.some((name) => asked.includes(name) || asked.includes(keyOf(name)));
  const sums = isAsked ? yield* sumFeatures(inventory) : undefined;
  const of = ({ vendorLicense }: VendorLicenseRow): ProductSums | undefined => sums?.get(vendorLicense);
  const usage = (row: VendorLicenseRow): ProductSums | undefined => {
    const sum = of(row);
    return sum === undefined || sum.bought === 0 ? undefined : sum;
  };
  return [
    [number('In use'), (row) => cell(usage(row)?.inUse), 'asked'],
    [number('Bought'), (row) => cell(usage(row)?.bought), 'asked'],
    [
      number('Share'),
      (row) => {
        const sum = usage(row);
        return sum === undefined ? null : cell(sum.inUse / sum.bought);
      },
      'asked',
    ],
    [text('Next expiry'), (row) => expires(of(row)?.next, localTime), 'asked'],
    [number('Ended'), (row) => cell(of(row)?.ended), 'asked'],
  ];
}
