import type { Inventory } from '../../inventory/inventory.ts';
import { gapsOf } from '../../inventory/readings.ts';
import { readAttention } from '../alert-list.ts';
import type { StatusInputs } from '../inputs.ts';
import { attempt } from '../known.ts';
import { findFeatures, wordsOf } from '../search.ts';
import { figuresOf } from '../site-figures.ts';
import type { VendorLicensePageData } from './markup.ts';

/** Reads what the page of a vendor license shows; `undefined` if there is no such vendor license. */
export async function readVendorLicense(
  inputs: StatusInputs,
  inventory: Inventory,
  { name, filter }: { readonly name: string; readonly filter: string },
  signal: AbortSignal,
): Promise<VendorLicensePageData | undefined> {
  const owners = inputs.backend.owners();
  const { vendorLicenses } = await figuresOf(inventory);
  const figures = vendorLicenses.find(({ row }) => row.vendorLicense === name);
  if (figures === undefined) return undefined;
  return {
    figures,
    owners: owners.of(name),
    attention: await attempt(() => readAttention(inputs, signal, { product: name })),
    gaps: gapsOf(inventory.readings, name),
    filter,
    found: await findFeatures(inventory, wordsOf(filter), name, owners),
  };
}
