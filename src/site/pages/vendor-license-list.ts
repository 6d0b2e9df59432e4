import { type Html, html, joined, nameHtml } from '../../base/html/html.ts';
import { isKnown, shareOf, unknown } from '../../base/model/unknown.ts';
import { countText, inUseOfText, numberText } from '../../base/texts.ts';
import { SATURATED } from '../grafana/answers/feature-use.ts';
import { nextExpiryOf, usersOf, type VendorLicenseFigures } from '../grafana/answers/site-figures.ts';
import { barHtml } from './feature-list.ts';
import { vendorLicenseUrl } from './links.ts';
import { agoHtml, type Clock, expiryHtml } from './wording.ts';

/** Vendor licenses on a page: whether their servers are up, and what their features add up to. */

/** The class of each state of a server, and what it means. */
export const serverStates: Readonly<Record<string, readonly [name: string, meaning: string]>> = {
  down: ['bad', 'GetServerDown lists it: users cannot get licenses'],
  'never collected': ['warn', 'the analyzer has not reached it yet, so nothing is known about it'],
  outdated: ['warn', 'the analyzer has no new data of it, so its usage is not known'],
  unknown: ['unknown', 'whether it is up is not known'],
  up: ['good', ''],
};

/** The state of a server, what it means, and when it was collected. */
export function stateHtml({ state, row }: VendorLicenseFigures, clock: Clock): Html {
  const [name, meaning] = serverStates[state] ?? ['unknown', ''];
  const { collectedAt } = row;
  const collected = isKnown(collectedAt)
    ? html`<br><small>collected ${agoHtml(collectedAt, clock)}</small>`
    : undefined;
  return html`<span class="${name}">${state}</span>${meaning === '' ? undefined : html`<br><small>${meaning}</small>`}${collected}`;
}

/**
 * What is in use of counted features, with a bar, and what is in use of uncounted ones. Users are counted in both, so that their number
 * can be the larger one.
 */
export function usageHtml(figures: VendorLicenseFigures): Html {
  const { features, withoutUsage, withoutShare, inUse, bought, uncounted, uncountedInUse, uncountedWithoutUsage } =
    figures;
  if (features === 0) return html`<span class="unknown">no feature is known</span>`;
  if (inUse + bought === 0) {
    if (withoutUsage > 0) return html`<span class="unknown">usage not known</span>`;
    if (withoutShare > 0) return html`<span class="unknown">number of licenses not known</span>`;
    return uncounted > 0 ? html`<b>${numberText(uncountedInUse)}</b> in use, uncounted` : html`no counted licenses`;
  }
  const dark = withoutShare + uncountedWithoutUsage;
  const unknowns = dark === 0 ? undefined : html` <small>${countText(dark, 'feature')} not known</small>`;
  const others = uncountedInUse === 0 ? undefined : html` <small>and ${numberText(uncountedInUse)} uncounted</small>`;
  const share = shareOf(inUse, bought);
  return html`<b>${numberText(inUse)}</b>${inUseOfText(inUse, bought, 'license')}${others}${unknowns}${barHtml(share, isKnown(share) && share >= SATURATED)}`;
}

/** What needs attention, then how many features there are. */
export function countsHtml({ features, saturated, waiting }: VendorLicenseFigures): Html {
  const parts = [
    ...(waiting === 0 ? [] : [html`<span class="bad">${countText(waiting, 'request waits', 'requests wait')}</span>`]),
    ...(saturated === 0 ? [] : [html`<span class="bad">${numberText(saturated)} saturated</span>`]),
    // where none is known, the column of the usage says that
    ...(features === 0 ? [] : [html`<small>${countText(features, 'feature')}</small>`]),
  ];
  return html`${joined(parts, ', ')}`;
}

/** When the next license expires that has not expired. */
export function nextExpiryHtml(figures: VendorLicenseFigures, clock: Clock): Html {
  const at = nextExpiryOf(figures);
  if (at === undefined || at === Number.POSITIVE_INFINITY) return html`nothing is known to expire`;
  return html`${isKnown(at) ? 'next ' : ''}${expiryHtml(at, clock)}`;
}

const rowClass = ({ state, waiting, saturated }: VendorLicenseFigures): string => {
  const [name] = serverStates[state] ?? ['unknown'];
  return name === 'good' && waiting + saturated > 0 ? 'is-bad' : `is-${name}`;
};

/** @param ownerOf who acts on a vendor license, if that is known */
export function vendorLicenseListHtml(
  all: readonly VendorLicenseFigures[],
  clock: Clock,
  ownerOf: (vendorLicense: string) => string | undefined,
): Html {
  const itemHtml = (figures: VendorLicenseFigures): Html => {
    const { vendorLicense } = figures;
    const owner = ownerOf(vendorLicense);
    const users = usersOf(figures);
    return html`<li class="${rowClass(figures)}"><div><a href="${vendorLicenseUrl(vendorLicense)}">${nameHtml(vendorLicense)}</a>${owner === undefined ? undefined : html`<br><small>owner ${nameHtml(owner)}</small>`}</div>
<div>${stateHtml(figures, clock)}</div><div class="number">${usageHtml(figures)}${users === unknown ? undefined : html`<small>${countText(users, 'user')}</small>`}</div>
<div class="number">${countsHtml(figures)}${figures.features === 0 ? undefined : html`<br>`}<small>${nextExpiryHtml(figures, clock)}</small></div></li>\n`;
  };
  return html`<ul class="rows">\n${all.map(itemHtml)}</ul>`;
}
