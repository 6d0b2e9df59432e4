import { type Content, type Html, html, nameHtml } from '../../base/html/html.ts';
import { isUncounted } from '../../base/model/uncounted.ts';
import { type Figure, isKnown, unknown } from '../../base/model/unknown.ts';
import { countText, inUseOfText, numberText } from '../../base/texts.ts';
import type { FeatureRow, IsSaturated } from '../../exporter/inventory/feature-row.ts';
import { shareInUse } from '../grafana/answers/feature-use.ts';
import { featureUrl, reclaimUrl, vendorLicenseUrl } from './links.ts';
import { type Clock, expiryHtml } from './wording.ts';

/** Features on a page: what is in use, what waits, when it expires. */

/** A bar of what is in use. The figures beside it say the same. @param share 0 to 1 */
export function barHtml(share: Figure, isFull: boolean): Html | undefined {
  if (share === unknown) return undefined;
  const width = Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10;
  return html`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="6"/><rect class="fill${isFull ? ' full' : ''}" width="${width}" height="6"/></svg>`;
}

function useHtml(row: FeatureRow, isFull: boolean): Html {
  const { inUse, maxAvailable: bought, isWithheld, isReported } = row;
  if (!isReported) return html`<span class="unknown">usage is not reported</span>`;
  if (inUse === unknown) {
    return html`<span class="unknown">${isWithheld ? 'usage withheld: the data is not current' : 'usage not known'}</span>`;
  }
  if (isUncounted(row)) return html`<b>${numberText(inUse)}</b> in use, uncounted`;
  const of = bought === unknown ? ' in use, number of licenses not known' : inUseOfText(inUse, bought);
  const mark = isFull ? html` <span class="bad">saturated</span>` : undefined;
  return html`<b>${numberText(inUse)}</b>${of}${mark}${barHtml(shareInUse(row), isFull)}`;
}

/** What else is known about its licenses now. Zeros are left out. */
function detailsHtml({ maxQueued: waiting, inactiveUse, borrowedUse, unusedReserve }: FeatureRow): Content {
  const parts: readonly (readonly [Figure, string])[] = [
    [inactiveUse, 'idle'],
    [borrowedUse, 'borrowed'],
    [unusedReserve, 'reserved, not in use'],
  ];
  const others = parts.flatMap(([value, what]) =>
    value === unknown || value === 0 ? [] : [`${numberText(value)} ${what}`],
  );
  return [
    waiting === unknown || waiting === 0 ? undefined : html`<span class="bad">${numberText(waiting)} waiting</span> `,
    html`<small>${others.join(', ')}</small>`,
  ];
}

function reclaimLink(row: FeatureRow, isFull: boolean): Html | undefined {
  const { maxQueued: waiting } = row;
  if (!isFull && !(isKnown(waiting) && waiting > 0)) return undefined;
  return html` <a href="${reclaimUrl(row)}">what could come back</a>`;
}

const versionText = ({ version, package: pkg, featureType }: FeatureRow): string =>
  [
    version === '' ? '' : `version ${version}`,
    pkg === '' ? '' : `package ${pkg}`,
    featureType === 'feature' ? '' : featureType,
  ]
    .filter((text) => text !== '')
    .join(' · ');

function rowClass(row: FeatureRow, isFull: boolean, now: number): string {
  const { maxQueued: waiting, expiration, isReported, inUse } = row;
  const isWaitedFor = isKnown(waiting) && waiting > 0;
  if (isWaitedFor || isFull || (isKnown(expiration) && expiration <= now)) return 'is-bad';
  return isReported && inUse === unknown ? 'is-unknown' : '';
}

/** What the rows of a list differ in: `all` are of several vendor licenses, `versions` of one feature. */
type Scope = 'all' | 'features' | 'versions';

function subjectHtml(row: FeatureRow, scope: Scope): Html {
  const details = versionText(row);
  if (scope === 'versions') return html`${details === '' ? 'No version' : details}`;
  const owner = html`<br><small><a href="${vendorLicenseUrl(row.vendorLicense)}">${nameHtml(row.vendorLicense)}</a></small>`;
  return html`<a href="${featureUrl(row)}">${nameHtml(row.feature)}</a> <small>${details}</small>${scope === 'all' ? owner : undefined}`;
}

/** A list of features. @param reclaims whether it links to what could come back of saturated ones and of those that requests wait for */
export function featureListHtml(
  rows: readonly FeatureRow[],
  isSaturated: IsSaturated,
  clock: Clock,
  scope: Scope,
  reclaims = false,
): Html {
  const itemHtml = (row: FeatureRow): Html => {
    const isFull = isSaturated(row) === true;
    return html`<li class="${rowClass(row, isFull, clock.now)}"><div>${subjectHtml(row, scope)}</div>
<div class="number">${useHtml(row, isFull)}</div><div class="number">${detailsHtml(row)}${reclaims ? reclaimLink(row, isFull) : undefined}</div><div class="number"><small>${expiryHtml(row.expiration, clock)}</small></div></li>\n`;
  };
  return html`<ul class="rows">\n${rows.map(itemHtml)}</ul>`;
}

/** `50 of 1,234 features: use the filter to find the others` */
export const moreHtml = (shown: number, count: number, what = 'feature'): Html | undefined =>
  shown >= count
    ? undefined
    : html`<p class="soft">${numberText(shown)} of ${countText(count, what)}: use the filter to find others.</p>`;
