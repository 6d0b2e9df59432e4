import { type Html, html, nameHtml } from '../../base/html/html.ts';
import { isKnown } from '../../base/model/unknown.ts';
import {
  causeRemedies,
  causeTexts,
  elsewhereText,
  minutesText,
  type WaitedPeople,
  waitedText,
} from '../../base/people.ts';
import { capitalized, countText } from '../../base/texts.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import { moreHtml } from './feature-list.ts';
import { type FeatureName, featureUrl, reclaimUrl } from './links.ts';
import { type Clock, durationHtml, type Known, unknownHtml } from './wording.ts';

/** The people who waited for licenses today, and the requests that were denied. */

/** Features that are listed. */
const MAX_DENIED = 15;

/** The features of which the denials of today are known, each once, also those without any. */
export interface DeniedToday {
  readonly features: readonly DeniedFeatureToday[];
}

interface DeniedFeatureToday extends FeatureName {
  readonly denials: number;
  /** `undefined` if the people whose requests were denied are not known. */
  readonly waited: WaitedPeople | undefined;
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
  const known = history.flatMap(({ vendorLicense, feature, denials }) =>
    isKnown(denials) ? [{ vendorLicense, feature, denials }] : [],
  );
  const byName = Map.groupBy(known, ({ vendorLicense, feature }) => JSON.stringify([vendorLicense, feature]));
  const features = [...byName.values()].map((own) => {
    const [{ vendorLicense, feature }] = own as [(typeof own)[number]];
    const denials = own.reduce((sum, one) => sum + one.denials, 0);
    return { vendorLicense, feature, denials, waited: undefined };
  });
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

/** Of two features, the one for which people wait now is first, then the one with more people or denials. */
const byUrgency = (a: DeniedFeatureToday, b: DeniedFeatureToday): number =>
  (b.waited?.waiting ?? 0) - (a.waited?.waiting ?? 0) ||
  (b.waited?.people ?? b.denials) - (a.waited?.people ?? a.denials);

/** `2 people wait now, the longest for 12m`. */
function nowHtml({ now, waiting: people }: WaitedPeople, clock: Clock): Html | undefined {
  if (people === 0) return undefined;
  const longest = durationHtml(Math.min(...now.map(({ since }) => since)), clock);
  return html`<b>${countText(people, 'person waits', 'people wait')} now</b>, ${people === 1 ? '' : 'the longest '}for ${longest}`;
}

/** What was denied of one feature, in a few words. */
function figureHtml({ denials, waited }: DeniedFeatureToday, clock: Clock): Html {
  if (waited === undefined) return html`${countText(denials, 'denial')}; people are not known`;
  const now = nowHtml(waited, clock);
  return html`${waitedText(waited)}${now === undefined ? '' : html`; ${now}`}`;
}

/**
 * Features of which requests were denied today, the one for which people wait first.
 *
 * @param reclaims whether it links to what could come back of features for which people wait
 */
export function deniedHtml(denied: Known<DeniedToday> | undefined, clock: Clock, reclaims: boolean): Html {
  const title = html`<h2 id="denied">Denied today</h2>`;
  if (denied === undefined) return html`${title}${NOT_POLLED}`;
  if ('reason' in denied) return html`${title}${unknownHtml(denied.reason)}`;
  const { features } = denied.value;
  const some = features.filter(({ denials, waited }) => (waited?.people ?? denials) > 0).sort(byUrgency);
  const atOnce = features.filter(({ denials, waited }) => waited?.people === 0 && denials > 0).length;
  const noWait =
    atOnce === 0
      ? ''
      : html`<p>Of ${countText(atOnce, 'feature')}, requests were denied, and nobody has waited so far.</p>`;
  if (some.length === 0)
    return html`${title}${atOnce === 0 ? html`<p>None of ${countText(features.length, 'feature')} whose denials are known.</p>` : noWait}`;
  const rows = some.slice(0, MAX_DENIED).map((one) => {
    const [most] = one.waited === undefined ? [] : causeTextsOf(one.waited);
    const why = most === undefined ? undefined : html`<br><small>${most}</small>`;
    const back =
      reclaims && (one.waited?.waiting ?? 0) > 0
        ? html`<br><a href="${reclaimUrl(one)}">what could come back</a>`
        : undefined;
    return html`<li class="is-bad"><div><a href="${featureUrl(one)}">${nameHtml(one.feature)}</a> <small>${nameHtml(one.vendorLicense)}</small></div><div>${figureHtml(one, clock)}${why}${back}</div></li>\n`;
  });
  return html`${title}<ul class="rows two">\n${rows}</ul>${moreHtml(rows.length, some.length)}${noWait}`;
}

/** The same for one feature, with what ends the waits. */
export function deniedOfFeature(
  denied: Known<DeniedToday> | undefined,
  { vendorLicense, feature }: FeatureName,
  clock: Clock,
): Html | undefined {
  if (denied === undefined || 'reason' in denied) return undefined;
  const found = denied.value.features.find((one) => one.vendorLicense === vendorLicense && one.feature === feature);
  if (found === undefined) return undefined;
  const { denials, waited } = found;
  if (denials === 0 && (waited?.people ?? 0) === 0) return html`<p>Denied today: no request.</p>`;
  const requests = countText(denials, 'request');
  if (waited === undefined)
    return html`<p>Denied today: <span class="bad">${requests}</span>; people are not known.</p>`;
  if (waited.people === 0)
    return html`<p>Denied today: ${requests}. Nobody has waited so far: who gets a license within seconds has not.</p>`;
  return html`<p>Denied today: <span class="bad">${figureHtml(found, clock)}</span> (${requests}).</p><ul>
${causeTextsOf(waited).map((text) => html`<li>${text}</li>\n`)}</ul>`;
}

/** Why people waited, for how long, and what ends that: the cause of most minutes first. */
const causeTextsOf = ({ causes, elsewhere }: WaitedPeople): readonly string[] =>
  causes.map(({ cause, seconds }) => {
    const where = cause === 'free_elsewhere' && elsewhere !== undefined ? ` ${elsewhereText(elsewhere)}.` : '';
    return `${capitalized(causeTexts[cause])}, ${minutesText(seconds)}:${where} ${causeRemedies[cause]}`;
  });
