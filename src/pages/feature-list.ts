import { SATURATED } from '../datasource/feature-answers.ts';
import { type Content, type Html, html, nameHtml } from '../html/html.ts';
import type { FeatureRow } from '../inventory/feature-row.ts';
import { isUncounted } from '../model/uncounted.ts';
import { type Figure, isKnown, shareOf, unknown } from '../model/unknown.ts';
import { type FeatureName, featureUrl, vendorLicenseUrl } from './links.ts';
import { type Clock, counted, countText, expiryHtml } from './wording.ts';

/** A feature as the pages show it. It can be kept longer than its inventory. */
export interface FeatureItem extends FeatureName {
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
  readonly bought: Figure | 'uncounted';
  readonly inUse: Figure;
  /** Most licenses waited for since the previous collection. */
  readonly waiting: Figure;
  readonly idle: Figure;
  readonly borrowed: Figure;
  readonly reserved: Figure;
  /** Epoch seconds; `Infinity` for a permanent license. */
  readonly expiration: Figure;
  readonly isWithheld: boolean;
  readonly isReported: boolean;
}

/** What share of the licenses is in use, 0 to 1; not known if any number can be in use. */
const shareInUse = ({ inUse, bought }: FeatureItem): Figure =>
  bought === 'uncounted' ? unknown : shareOf(inUse, bought);

function isSaturated(item: FeatureItem): boolean {
  const share = shareInUse(item);
  return isKnown(share) && share >= SATURATED;
}

/** A copy of a row, which is only a view. */
export function itemOf(row: FeatureRow): FeatureItem {
  const { vendorLicense, feature, version, package: pkg, featureType, inUse, expiration } = row;
  return {
    vendorLicense,
    feature,
    version,
    package: pkg,
    featureType,
    bought: isUncounted(row) ? 'uncounted' : row.maxAvailable,
    inUse,
    waiting: row.maxQueued,
    idle: row.inactiveUse,
    borrowed: row.borrowedUse,
    reserved: row.unusedReserve,
    expiration,
    isWithheld: row.isWithheld,
    isReported: row.isReported,
  };
}

/** Features on a page: what is in use, what waits, when it expires. */

/** A bar of what is in use. The figures beside it say the same. @param share 0 to 1 */
export function barHtml(share: Figure, isFull: boolean): Html | undefined {
  if (share === unknown) return undefined;
  const width = Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10;
  return html`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="6"/><rect class="fill${isFull ? ' full' : ''}" width="${width}" height="6"/></svg>`;
}

function useHtml(item: FeatureItem): Html {
  const { inUse, bought, isWithheld, isReported } = item;
  if (!isReported) return html`<span class="unknown">usage is not reported</span>`;
  if (inUse === unknown) {
    return html`<span class="unknown">${isWithheld ? 'usage withheld: the data is not current' : 'usage not known'}</span>`;
  }
  if (bought === 'uncounted') return html`<b>${countText(inUse)}</b> in use, uncounted`;
  const of = bought === unknown ? ', number of licenses not known' : ` of ${countText(bought)} in use`;
  const full = isSaturated(item);
  const mark = full ? html` <span class="bad">saturated</span>` : undefined;
  return html`<b>${countText(inUse)}</b>${of}${mark}${barHtml(shareInUse(item), full)}`;
}

/** What else is known about its licenses now. Zeros are left out. */
function detailsHtml({ waiting, idle, borrowed, reserved }: FeatureItem): Content {
  const parts: readonly (readonly [Figure, string])[] = [
    [idle, 'idle'],
    [borrowed, 'borrowed'],
    [reserved, 'reserved, not in use'],
  ];
  const others = parts.flatMap(([value, what]) =>
    value === unknown || value === 0 ? [] : [`${countText(value)} ${what}`],
  );
  return [
    waiting === unknown || waiting === 0 ? undefined : html`<span class="bad">${countText(waiting)} waiting</span> `,
    html`<small>${others.join(', ')}</small>`,
  ];
}

const versionText = ({ version, package: pkg, featureType }: FeatureItem): string =>
  [
    version === '' ? '' : `version ${version}`,
    pkg === '' ? '' : `package ${pkg}`,
    featureType === 'feature' ? '' : featureType,
  ]
    .filter((text) => text !== '')
    .join(' · ');

function rowClass(item: FeatureItem, now: number): string {
  const { waiting, expiration, isReported, inUse } = item;
  const isWaitedFor = isKnown(waiting) && waiting > 0;
  if (isWaitedFor || isSaturated(item) || (isKnown(expiration) && expiration < now)) return 'is-bad';
  return isReported && inUse === unknown ? 'is-unknown' : '';
}

/** What the rows of a list differ in: `all` are of several vendor licenses, `versions` of one feature. */
type Scope = 'all' | 'features' | 'versions';

function subjectHtml(item: FeatureItem, scope: Scope): Html {
  const details = versionText(item);
  if (scope === 'versions') return html`${details === '' ? 'No version' : details}`;
  const owner = html`<br><small><a href="${vendorLicenseUrl(item.vendorLicense)}">${nameHtml(item.vendorLicense)}</a></small>`;
  return html`<a href="${featureUrl(item)}">${nameHtml(item.feature)}</a> <small>${details}</small>${scope === 'all' ? owner : undefined}`;
}

/** A list of features. */
export function featureListHtml(items: readonly FeatureItem[], clock: Clock, scope: Scope): Html {
  const itemHtml = (item: FeatureItem): Html =>
    html`<li class="${rowClass(item, clock.now)}"><div>${subjectHtml(item, scope)}</div>
<div class="number">${useHtml(item)}</div><div class="number">${detailsHtml(item)}</div><div class="number"><small>${expiryHtml(item.expiration, clock)}</small></div></li>\n`;
  return html`<ul class="rows">\n${items.map(itemHtml)}</ul>`;
}

/** `50 of 1,234 features: use the filter to find the others` */
export const moreHtml = (shown: number, count: number, what = 'feature'): Html | undefined =>
  shown >= count
    ? undefined
    : html`<p class="soft">${countText(shown)} of ${counted(count, what)}: use the filter to find others.</p>`;
