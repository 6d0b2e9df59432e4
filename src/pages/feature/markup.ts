import { type Content, type Html, html, joined, nameHtml } from '../../html/html.ts';
import { type AttentionItem, attentionSection } from '../alert-list.ts';
import { type DeniedToday, deniedOfFeature } from '../denied.ts';
import type { FeatureItem } from '../feature-item.ts';
import { featureListHtml } from '../feature-list.ts';
import { type HistoryDay, historyHtml } from '../history-picture.ts';
import type { Known } from '../known.ts';
import { vendorLicenseUrl } from '../links.ts';
import { type WeekHour, weekHtml } from '../week-picture.ts';
import { agoHtml, type Clock, counted, known, sentence } from '../wording.ts';
import type { AdviceAnswer, FeatureName, Holder } from './data.ts';

/** The page of one feature: what is in use, who holds it, its last 30 days, and what to do about it. */

/** Holders that are listed. */
const MAX_HOLDERS = 200;

export interface FeaturePageData extends FeatureName {
  /** Its versions and packages. */
  readonly items: readonly FeatureItem[];
  readonly owners: Readonly<Record<string, string>>;
  readonly attention: Known<readonly AttentionItem[]>;
  readonly denied: Known<DeniedToday> | undefined;
  readonly history: Known<readonly HistoryDay[]>;
  readonly week: Known<readonly WeekHour[]>;
  readonly holders: Known<readonly Holder[]>;
  readonly advice: Known<readonly AdviceAnswer[]>;
}

const reasonHtml = (reason: string): Html => html`<p class="unknown">${sentence(reason)}</p>`;

/** What no holder means: the analyzer answers the same if it does not know the users. */
function nobodyHtml(items: readonly FeatureItem[]): Html {
  if (!items.every(({ inUse }) => inUse === 0)) return reasonHtml('Who holds a license of it is not known');
  const waits = items.every(({ waiting }) => waiting === 0) ? 'nobody waits' : 'whether anybody waits is not known';
  return html`<p>Nobody holds a license of it, and ${waits}.</p>`;
}

function holdersHtml({ holders, items }: FeaturePageData, clock: Clock): Html {
  if ('reason' in holders) return reasonHtml(holders.reason);
  const { value } = holders;
  if (value.length === 0) return nobodyHtml(items);
  const rows = value.slice(0, MAX_HOLDERS).map(({ user, host, since, licenses, queued, borrowed, application }) => {
    const parts = [
      ...(queued === null || queued === 0
        ? []
        : [html`<span class="bad">waits for ${counted(queued, 'license')}</span>`]),
      ...(licenses === null || licenses === 0 ? [] : [html`${counted(licenses, 'license')}`]),
      ...(borrowed === null || borrowed === 0 ? [] : [html`${counted(borrowed, 'license')} borrowed`]),
      ...(application === null ? [] : [html`application ${application}`]),
    ];
    return html`<tr><td>${nameHtml(user)}</td><td>${nameHtml(host)}</td><td>${joined(parts, ', ')}</td><td>${since === null ? known(undefined) : agoHtml(since / 1000, clock)}</td></tr>\n`;
  });
  const more =
    value.length > MAX_HOLDERS
      ? html`<p class="soft">${MAX_HOLDERS} of ${value.length}, the longest first.</p>`
      : undefined;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Who holds it"><table><thead><tr><th scope="col">User</th><th scope="col">Host</th><th scope="col">Holds</th><th scope="col">Since</th></tr></thead>
<tbody>\n${rows}</tbody></table></div>${more}`;
}

function adviceHtml(advice: Known<readonly AdviceAnswer[]>): Html {
  if ('reason' in advice) return reasonHtml(advice.reason);
  if (advice.value.length === 0) return reasonHtml('There is no advice for it');
  const sentences = advice.value.map(
    ({ package: pkg, reason }) => html`<p>${pkg === '' ? undefined : html`Package ${nameHtml(pkg)}: `}${reason}</p>`,
  );
  return html`${sentences}<p class="soft"><a href="rightsizing">Right-sizing of all features</a></p>`;
}

export function featureContent(data: FeaturePageData, clock: Clock): Content {
  const { vendorLicense, feature, items, owners, attention, denied, history, week, advice } = data;
  const owned = Object.entries(owners).map(([name, value]) => html` · ${name} ${nameHtml(value)}`);
  return html`<h1>${nameHtml(feature)}</h1>
<p class="soft">Feature of <a href="${vendorLicenseUrl(vendorLicense)}">${nameHtml(vendorLicense)}</a>${owned}</p>
<h2>Now</h2>
${featureListHtml(items, clock, 'versions')}
${attentionSection(attention, clock)}
<h2>Last 30 days</h2>
${deniedOfFeature(denied, data)}${'reason' in history ? reasonHtml(history.reason) : historyHtml(history.value)}
<h2>Last 7 days by the hour</h2>
${'reason' in week ? reasonHtml(week.reason) : weekHtml(week.value)}
<h2>Who holds it</h2>
${holdersHtml(data, clock)}
<h2>Right-sizing</h2>
${adviceHtml(advice)}`;
}
