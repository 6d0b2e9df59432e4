import { type Html, html, nameHtml } from '../../base/html/html.ts';
import { isKnown } from '../../base/model/unknown.ts';
import { countText } from '../../base/texts.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import { moreHtml } from './feature-list.ts';
import { type FeatureName, featureUrl } from './links.ts';
import type { Known } from './wording.ts';
import { unknownHtml } from './wording.ts';

/** Requests that were denied today. */

/** Features that are listed. */
const MAX_DENIED = 15;

/** The features of which the denials of today are known, each once, also those without any. */
export interface DeniedToday {
  readonly features: readonly (FeatureName & { readonly denials: number })[];
}

/** Where the denials of today come from. */
export type DenialSource =
  | { readonly kind: 'not polled' }
  /** From the inventory: those of `history.features`. */
  | { readonly kind: 'polled' }
  /** An analyzer in this process records them. */
  | { readonly kind: 'recorded'; readonly today: () => Promise<Known<DeniedToday>> };

function polledToday({ history }: Inventory): Known<DeniedToday> {
  if (history.length === 0) return { reason: 'the denials are not known' };
  const features = history.flatMap(({ denials, ...name }) => (isKnown(denials) ? [{ ...name, denials }] : []));
  return { value: { features } };
}

/** What is known of today; `undefined` where denials are not requested. */
export async function readDenied(denials: DenialSource, inventory: Inventory): Promise<Known<DeniedToday> | undefined> {
  if (denials.kind === 'not polled') return undefined;
  if (denials.kind === 'polled') return polledToday(inventory);
  const today = await denials.today();
  if ('reason' in today || today.value.features.length > 0) return today;
  return {
    reason:
      'the denials of today are not known: no source reports them; FlexNet needs debug_log for that, and RLM report_logs',
  };
}

const NOT_POLLED = html`<p class="unknown">Denials are not polled here: the page of a feature requests those of its last 30 days. To see and alert on them here, name features in <code>history.features</code> and set <code>metrics.collectors.history</code>.</p>`;

/** Features of which requests were denied today, the one with most denials first. */
export function deniedHtml(denied: Known<DeniedToday> | undefined): Html {
  const title = html`<h2 id="denied">Denied today</h2>`;
  if (denied === undefined) return html`${title}${NOT_POLLED}`;
  if ('reason' in denied) return html`${title}${unknownHtml(denied.reason)}`;
  const { features } = denied.value;
  const some = features.filter(({ denials }) => denials > 0).sort((a, b) => b.denials - a.denials);
  if (some.length === 0)
    return html`${title}<p>None of ${countText(features.length, 'feature')} whose denials are known.</p>`;
  const rows = some
    .slice(0, MAX_DENIED)
    .map(
      ({ denials, ...name }) =>
        html`<li class="is-bad"><div><a href="${featureUrl(name)}">${nameHtml(name.feature)}</a> <small>${nameHtml(name.vendorLicense)}</small></div><div>${countText(denials, 'denial')}</div></li>\n`,
    );
  return html`${title}<ul class="rows two">\n${rows}</ul>${moreHtml(rows.length, some.length)}`;
}

/** The same for one feature. */
export function deniedOfFeature(
  denied: Known<DeniedToday> | undefined,
  { vendorLicense, feature }: FeatureName,
): Html | undefined {
  if (denied === undefined || 'reason' in denied) return undefined;
  const found = denied.value.features.filter((one) => one.vendorLicense === vendorLicense && one.feature === feature);
  if (found.length === 0) return undefined;
  const count = found.reduce((sum, { denials }) => sum + denials, 0);
  return html`<p>Denied today: ${count === 0 ? 'no request' : html`<span class="bad">${countText(count, 'request')}</span>`}.</p>`;
}
