import type { Inventory } from '../../inventory/inventory.ts';
import { forEachSliced } from '../../scheduling/slices.ts';
import { readAttention } from '../alert-list.ts';
import { readDenied } from '../denied.ts';
import { type FeatureItem, itemOf } from '../feature-item.ts';
import type { StatusInputs } from '../inputs.ts';
import { attempt } from '../known.ts';
import { type FeatureName, readAdvice, readHistory, readHolders, readWeek } from './data.ts';
import type { FeaturePageData } from './markup.ts';

/** The versions and packages of a feature. */
async function itemsOf({ features }: Inventory, { vendorLicense, feature }: FeatureName): Promise<FeatureItem[]> {
  const items: FeatureItem[] = [];
  await forEachSliced(features, (row) => {
    if (row.feature === feature && row.vendorLicense === vendorLicense) items.push(itemOf(row));
  });
  return items;
}

/** Reads what the page of a feature shows; `undefined` if there is no such feature. */
export async function readFeature(
  inputs: StatusInputs,
  inventory: Inventory,
  name: FeatureName,
  signal: AbortSignal,
): Promise<FeaturePageData | undefined> {
  const { backend } = inputs;
  const { vendorLicense, feature } = name;
  const items = await itemsOf(inventory, name);
  if (items.length === 0) return undefined;
  const [attention, denied, history, week, holders, advice] = await Promise.all([
    attempt(() => readAttention(inputs, signal, { product: vendorLicense, feature })),
    readDenied(inputs, inventory),
    attempt(() => readHistory(name, backend, signal)),
    attempt(() => readWeek(name, backend, signal)),
    attempt(() => readHolders(name, backend, signal)),
    attempt(() => readAdvice(name, backend, signal)),
  ]);
  return {
    ...name,
    items,
    owners: backend.owners().of(vendorLicense, feature),
    attention,
    denied,
    history,
    week,
    holders,
    advice,
  };
}
