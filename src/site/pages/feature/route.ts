import { html } from '../../../base/html/html.ts';
import type { FeatureRow } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import { readAttention } from '../alert-list.ts';
import { readDenied } from '../denied.ts';
import { attempt } from '../known.ts';
import type { FeatureName } from '../links.ts';
import { inventoryPage, missing, notFound, type PageContext, parameterOf, written } from '../page.ts';
import type { Routes } from '../routes.ts';
import { readAdvice, readHistory, readHolders, readWeek } from './data.ts';
import { featureContent } from './markup.ts';

/** The versions and packages of a feature. */
const rowsOf = ({ features }: Inventory, { vendorLicense, feature }: FeatureName): readonly FeatureRow[] =>
  features.filter((row) => row.feature === feature && row.vendorLicense === vendorLicense);

/** The feature of the parameters `vendor_license` and `feature`. */
export const featureRoutes = (context: PageContext): Routes =>
  inventoryPage(context, async ({ request, backend, inventory, signal }) => {
    const vendorLicense = parameterOf(request, 'vendor_license');
    const feature = parameterOf(request, 'feature');
    if (vendorLicense === '' || feature === '') return missing(feature === '' ? 'feature' : 'vendor_license');
    const name = { vendorLicense, feature };
    const rows = rowsOf(inventory, name);
    if (rows.length === 0) {
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
    const data = { ...name, rows, owners, attention, denied, history, week, holders, advice, imported };
    const clock = { now: backend.now(), timeZone: backend.localTime.timeZone };
    return written({ title: `${feature}, ${vendorLicense}`, refreshes: true }, featureContent(data, clock));
  });
