import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import { namesOfFeatures, productMatcher } from '../answers/known-data.ts';
import { type Key, payloadKeys } from '../answers/payload-keys.ts';
import { adHocKeys } from '../answers/query.ts';
import { type Target, type TargetName, targetNames, targets } from '../answers/targets.ts';

/** Lists of names for Grafana's forms, variables and ad-hoc filters. If names are unknown, the list is empty, never an error. */

interface Option {
  readonly label: string;
  readonly value: string;
}

/** One target of the builder form. */
export interface TargetOption {
  readonly value: TargetName;
  readonly label: string;
  readonly payloads: readonly {
    readonly name: string;
    readonly label: string;
    readonly type: 'select' | 'input';
    /** Width in units of 8 pixels. */
    readonly width?: number;
    readonly reloadMetric?: false;
    readonly options?: readonly Option[];
  }[];
}

const optionsOf = (values: readonly string[]): readonly Option[] => values.map((value) => ({ label: value, value }));

/** The targets with their parameters. Targets that this daemon does not serve are left out. */
export function targetOptions(servesUsers: boolean): readonly TargetOption[] {
  const isServed = (name: TargetName): boolean => servesUsers || name !== 'users';
  return targetNames.filter(isServed).map((name) => {
    const { label, keys, shapes }: Target = targets[name];
    const payloads = keys
      .filter((key) => servesUsers || key !== 'user')
      .map((key): TargetOption['payloads'][number] => {
        const entry: Key = key === 'shape' ? { ...payloadKeys.shape, options: shapes } : payloadKeys[key];
        if (key === 'product') return { name: key, label: entry.label, type: 'select', width: 40, reloadMetric: false };
        if (key === 'feature') return { name: key, label: entry.label, type: 'select', width: 30 };
        if (entry.options === undefined) return { name: key, label: entry.label, type: 'input' };
        return { name: key, label: entry.label, type: 'select', options: optionsOf(entry.options) };
      });
    return { value: name, label, payloads };
  });
}

const productNames = (inventory: Inventory): readonly string[] =>
  inventory.vendorLicenses.map(({ vendorLicense }) => vendorLicense);

/** Names of one kind: `products`, or `features` and `packages` of the given products (if none: of all). */
export function namesOf(
  kind: unknown,
  inventory: Inventory | undefined,
  products: readonly string[],
): readonly string[] {
  if (inventory === undefined) return [];
  if (kind === 'products') return productNames(inventory);
  if (kind === 'features') return namesOfFeatures(inventory, 'feature', productMatcher(products));
  if (kind !== 'packages') return [];
  return namesOfFeatures(inventory, 'package', productMatcher(products)).filter((name) => name !== '');
}

/** Options of one parameter of the builder form. Features are those of the selected product. Without a product, the list is empty. */
export function payloadOptions(
  name: unknown,
  inventory: Inventory | undefined,
  products: readonly string[],
): readonly Option[] {
  if (name === 'product') return optionsOf(namesOf('products', inventory, []));
  if (products.length === 0 || (name !== 'feature' && name !== 'package')) return [];
  return optionsOf(namesOf(`${name}s`, inventory, products));
}

/** The keys of ad-hoc filters, as the JSON data source of Grafana asks for them. */
export const tagKeys = (): readonly object[] => adHocKeys.map((text) => ({ type: 'string', text }));

/** The values of one key of ad-hoc filters. An unknown key has none. */
export const tagValues = (key: unknown, inventory: Inventory | undefined): readonly object[] =>
  adHocKeys.some((known) => known === key) ? namesOf(`${key}s`, inventory, []).map((text) => ({ text })) : [];
