import { type Content, html, joined, nameHtml } from '../../../base/html/html.ts';
import { countText } from '../../../base/texts.ts';
import type { IsSaturated } from '../../../exporter/inventory/feature-row.ts';
import { gapsOf } from '../../../exporter/inventory/knowledge.ts';
import { figuresOf, usersOf, type VendorLicenseFigures } from '../../grafana/answers/site-figures.ts';
import { type AttentionItem, attentionSection, readAttention } from '../alert-list.ts';
import { featureListHtml, moreHtml } from '../feature-list.ts';
import { inventoryPage, missing, notReported, type PageContext, parameterOf, written } from '../page.ts';
import type { Routes } from '../routes.ts';
import { type Found, filterHtml, findFeatures, wordsOf } from '../search.ts';
import { countsHtml, nextExpiryHtml, serverStates, stateHtml, usageHtml } from '../vendor-license-list.ts';
import { attempt, type Clock, type Known, known } from '../wording.ts';

/** The page of one vendor license: its server, what needs attention, and its features. */

/** Everything that the page of one vendor license shows. */
export interface VendorLicensePageData {
  readonly figures: VendorLicenseFigures;
  readonly owners: Readonly<Record<string, string>>;
  readonly attention: Known<readonly AttentionItem[]>;
  /** Why some of its data is not known. */
  readonly gaps: readonly string[];
  /** The filter as it was typed. */
  readonly filter: string;
  readonly found: Found;
  readonly isSaturated: IsSaturated;
}

/** The page of one vendor license, with its features or those that match the filter. */
function vendorLicenseContent(data: VendorLicensePageData, clock: Clock): Content {
  const { figures, owners, attention, gaps, filter, found, isSaturated } = data;
  const { vendorLicense, row } = figures;
  const owned = Object.entries(owners).map(([name, value]) => html` · ${name} ${nameHtml(value)}`);
  const parts = row.downQualifiers.filter((qualifier) => qualifier !== '');
  const isDown = parts.length === 0 ? undefined : html` <small>(${joined(parts.map(nameHtml), ', ')})</small>`;
  const title =
    filter === ''
      ? figures.features === 0
        ? 'Features'
        : countText(figures.features, 'feature')
      : `${countText(found.count, 'feature')} with “${filter}”`;
  const none = html`<p>${filter === '' ? 'No feature is known.' : 'No feature matches.'}</p>`;
  return html`<h1>${nameHtml(vendorLicense)}</h1>
<p class="soft">Vendor license${owned}</p>
<ul class="tiles">
<li class="is-${serverStates[figures.state]?.[0] ?? 'unknown'}"><strong>${stateHtml(figures, clock)}</strong>${isDown}</li>
<li>${usageHtml(figures)}</li>
${figures.features === 0 ? undefined : html`<li>${countsHtml(figures)}</li>\n`}<li><strong>${known(usersOf(figures))}</strong><small>users now</small></li>
<li>${nextExpiryHtml(figures, clock)}</li>
</ul>
${gaps.map((gap) => html`<p class="unknown">${gap}</p>\n`)}${attentionSection(attention, clock)}
<h2 id="features">${title}</h2>
${filterHtml({ filter, label: 'Feature, package or owner', vendorLicense })}
${found.features.length === 0 ? none : featureListHtml(found.features, isSaturated, clock, 'features')}${moreHtml(found.features.length, found.count)}`;
}

/** The vendor license of the parameter `name`. The parameter `q` filters its features. */
export const vendorLicenseRoutes = (context: PageContext): Routes =>
  inventoryPage(context, async ({ request, backend, inventory, signal }) => {
    const name = parameterOf(request, 'name');
    if (name === '') return missing('name');
    const filter = parameterOf(request, 'q');
    const { isSaturated } = backend;
    const owners = backend.owners();
    const { vendorLicenses } = await figuresOf(inventory, isSaturated);
    const figures = vendorLicenses.find(({ vendorLicense }) => vendorLicense === name);
    if (figures === undefined)
      return notReported(inventory.knowledge.products, html`the vendor license <bdi>${name}</bdi>`);
    const data = {
      figures,
      owners: owners.of(name),
      attention: await attempt(() => readAttention(backend, signal, { product: name })),
      gaps: gapsOf(inventory.readings, name),
      filter,
      found: await findFeatures(inventory, wordsOf(filter), name, owners),
      isSaturated,
    };
    const clock = { now: backend.now(), timeZone: backend.localTime.timeZone };
    return written({ title: name, refreshes: true }, vendorLicenseContent(data, clock));
  });
