import { type Html, html, joined, nameHtml } from '../../base/html/html.ts';
import { isKnown, unknown } from '../../base/model/unknown.ts';
import { countText, numberText } from '../../base/texts.ts';
import { SATURATED } from '../grafana/answers/feature-answers.ts';
import { barHtml } from './feature-list.ts';
import { vendorLicenseUrl } from './links.ts';
import type { VendorLicenseFigures } from './site-figures.ts';
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

/** The licenses of counted features, with a bar. */
export function usageHtml({ features, withoutUsage, withoutShare, inUse, bought }: VendorLicenseFigures): Html {
  if (features === 0) return html`<span class="unknown">no feature is known</span>`;
  if (bought === 0) {
    if (withoutUsage > 0) return html`<span class="unknown">usage not known</span>`;
    return withoutShare > 0
      ? html`<span class="unknown">number of licenses not known</span>`
      : html`no counted licenses`;
  }
  const others = withoutShare === 0 ? undefined : html` <small>${numberText(withoutShare)} not known</small>`;
  const share = inUse / bought;
  return html`<b>${numberText(inUse)}</b> of ${countText(bought, 'license')} in use${others}${barHtml(share, share >= SATURATED)}`;
}

/** What needs attention, then how many features there are. */
export function countsHtml({ features, saturated, waiting }: VendorLicenseFigures): Html {
  const parts = [
    ...(waiting === 0 ? [] : [html`<span class="bad">${numberText(waiting)} with waiting requests</span>`]),
    ...(saturated === 0 ? [] : [html`<span class="bad">${numberText(saturated)} saturated</span>`]),
    html`<small>${countText(features, 'feature')}</small>`,
  ];
  return html`${joined(parts, ', ')}`;
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
    const { vendorLicense, distinctUsers, collectionTime } = figures.row;
    const owner = ownerOf(vendorLicense);
    const users = isKnown(collectionTime) ? distinctUsers : unknown;
    const expiry =
      figures.nextExpiry === Number.POSITIVE_INFINITY
        ? figures.withoutExpiry > 0 || figures.features === 0
          ? html`<span class="unknown">expiry not known</span>`
          : html`nothing is known to expire`
        : html`next ${expiryHtml(figures.nextExpiry, clock)}`;
    return html`<li class="${rowClass(figures)}"><div><a href="${vendorLicenseUrl(vendorLicense)}">${nameHtml(vendorLicense)}</a>${owner === undefined ? undefined : html`<br><small>owner ${nameHtml(owner)}</small>`}</div>
<div>${stateHtml(figures, clock)}</div><div class="number">${usageHtml(figures)}${users === unknown ? undefined : html`<small>${countText(users, 'user')}</small>`}</div>
<div class="number">${countsHtml(figures)}<br><small>${expiry}</small></div></li>\n`;
  };
  return html`<ul class="rows">\n${all.map(itemHtml)}</ul>`;
}
