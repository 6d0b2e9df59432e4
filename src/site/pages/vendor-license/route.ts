import { html } from '../../../base/html/html.ts';
import { gapsOf } from '../../../exporter/inventory/knowledge.ts';
import { readAttention } from '../alert-list.ts';
import { attempt } from '../known.ts';
import { inventoryPage, missing, notFound, type PageContext, parameterOf, written } from '../page.ts';
import type { Routes } from '../routes.ts';
import { findFeatures, wordsOf } from '../search.ts';
import { figuresOf } from '../site-figures.ts';
import { vendorLicenseContent } from './markup.ts';

/** The vendor license of the parameter `name`. The parameter `q` filters its features. */
export const vendorLicenseRoutes = (context: PageContext): Routes =>
  inventoryPage(context, async ({ request, backend, inventory, signal }) => {
    const name = parameterOf(request, 'name');
    if (name === '') return missing('name');
    const filter = parameterOf(request, 'q');
    const owners = backend.owners();
    const { vendorLicenses } = await figuresOf(inventory);
    const figures = vendorLicenses.find(({ row }) => row.vendorLicense === name);
    if (figures === undefined)
      return notFound(inventory.knowledge.products, html`the vendor license <bdi>${name}</bdi>`);
    const data = {
      figures,
      owners: owners.of(name),
      attention: await attempt(() => readAttention(backend, signal, { product: name })),
      gaps: gapsOf(inventory.readings, name),
      filter,
      found: await findFeatures(inventory, wordsOf(filter), name, owners),
    };
    const clock = { now: backend.now(), timeZone: backend.localTime.timeZone };
    return written({ title: name, refreshes: true }, vendorLicenseContent(data, clock));
  });
