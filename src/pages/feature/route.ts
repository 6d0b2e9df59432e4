import { html } from '../../html/html.ts';
import type { Inventory } from '../../inventory/inventory.ts';
import { forEachSliced } from '../../scheduling/slices.ts';
import { readAttention } from '../alert-list.ts';
import { readDenied } from '../denied.ts';
import { type FeatureItem, itemOf } from '../feature-list.ts';
import { attempt } from '../known.ts';
import type { FeatureName } from '../links.ts';
import { inventoryPage, missing, notFound, type PageContext, parameterOf, written } from '../page.ts';
import type { Routes } from '../routes.ts';
import { readAdvice, readHistory, readHolders, readWeek } from './data.ts';
import { featureContent } from './markup.ts';

/** The versions and packages of a feature. */
async function itemsOf({ features }: Inventory, { vendorLicense, feature }: FeatureName): Promise<FeatureItem[]> {
  const items: FeatureItem[] = [];
  await forEachSliced(features, (row) => {
    if (row.feature === feature && row.vendorLicense === vendorLicense) items.push(itemOf(row));
  });
  return items;
}

/** The feature of the parameters `vendor_license` and `feature`. */
export const featureRoutes = (context: PageContext): Routes =>
  inventoryPage(context, async ({ request, backend, inventory, signal }) => {
    const vendorLicense = parameterOf(request, 'vendor_license');
    const feature = parameterOf(request, 'feature');
    if (vendorLicense === '' || feature === '') return missing(feature === '' ? 'feature' : 'vendor_license');
    const name = { vendorLicense, feature };
    const items = await itemsOf(inventory, name);
    if (items.length === 0) {
      const isKnown = inventory.knowledge.features(vendorLicense);
      return notFound(isKnown, html`the feature <bdi>${feature}</bdi> of <bdi>${vendorLicense}</bdi>`);
    }
    const [attention, denied, history, week, holders, advice] = await Promise.all([
      attempt(() => readAttention(backend, signal, { product: vendorLicense, feature })),
      readDenied(context.denials(), inventory),
      attempt(() => readHistory(name, backend, signal)),
      attempt(() => readWeek(name, backend, signal)),
      attempt(() => readHolders(name, backend, signal)),
      attempt(() => readAdvice(name, backend, signal)),
    ]);
    const owners = backend.owners().of(vendorLicense, feature);
    const imported = context.imported(vendorLicense, feature);
    const data = { ...name, items, owners, attention, denied, history, week, holders, advice, imported };
    const clock = { now: backend.now(), timeZone: backend.localTime.timeZone };
    return written({ title: `${feature}, ${vendorLicense}`, refreshes: true }, featureContent(data, clock));
  });
