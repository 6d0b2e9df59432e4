import { type Html, html, joined, nameHtml } from '../../html/html.ts';
import { dateText } from '../../model/local-time.ts';
import { unknown } from '../../model/unknown.ts';
import type { LookBack, ReportItem } from '../../rightsizing/report.ts';
import { amountText } from '../../rightsizing/totals.ts';
import { countText as count, counted } from '../wording.ts';

/** One feature in the report. */

/** What the page says for a request. */
export interface ReportFrame {
  /** Why prices are not shown, or that there are no prices; `undefined` if they are shown. */
  readonly withoutPrices: string | undefined;
  /** The owner of a feature. */
  readonly ownerOf: (vendorLicense: string, feature: string) => string | undefined;
}

/** A figure with at most one decimal. */
const figure = (number: number): string => count(Math.round(number * 10) / 10);

function featureHtml({ proposal: { advice } }: Pick<ReportItem, 'proposal'>, { ownerOf }: ReportFrame): Html {
  const owner = ownerOf(advice.vendorLicense, advice.feature);
  const parts = [
    nameHtml(advice.vendorLicense),
    ...(advice.package === '' ? [] : [html`package ${nameHtml(advice.package)}`]),
    ...(owner === undefined ? [] : [html`owner ${nameHtml(owner)}`]),
  ];
  return html`<strong>${nameHtml(advice.feature)}</strong> <span class="soft">${joined(parts, ' · ')}</span>`;
}

function renewalText({ renewal, renewalDay, proposal }: ReportItem): string {
  if (renewalDay === undefined) {
    return renewal.kind === 'permanent' ? 'permanent, no renewal' : 'renewal not known';
  }
  const { noticeDays, advice } = proposal;
  const passed = renewalDay < advice.computed ? ' (passed)' : '';
  const notice = noticeDays === undefined ? '' : `, notice by ${dateText(renewalDay - noticeDays)}`;
  return `renewal ${dateText(renewalDay)}${passed}${notice}`;
}

function stepsHtml({ steps, proposal: { advice, money } }: ReportItem): Html | undefined {
  if (steps.length === 0) return undefined;
  const kept = (advice.bought ?? 0) - (advice.count ?? 0);
  const rowHtml = (title: string, read: (step: ReportItem['steps'][number]) => string): Html => {
    const cells = steps.map(
      (step) => html`<td${step.licenses === kept ? html` class="kept"` : undefined}>${read(step)}</td>`,
    );
    return html`<tr><th scope="row">${title}</th>${cells}</tr>\n`;
  };
  const { price, per, currency } = money;
  const saving = (licenses: number): string => count(Math.round(((advice.bought ?? 0) - licenses) * (price ?? 0)));
  const hasSavings = per === 'year' && price !== undefined;
  return html`<table class="steps">
${rowHtml('Licenses', ({ licenses }) => count(licenses))}${rowHtml('Short, h a year', ({ hoursShort }) => figure(hoursShort))}${
  hasSavings ? rowHtml(`Saves, ${currency ?? ''}`, ({ licenses }) => saving(licenses)) : undefined
}</table>`;
}

/** What would have come of the advice of a year ago. */
function appliedHtml({ proposal: { advice } }: ReportItem): Html | undefined {
  const { applied } = advice;
  if (applied === undefined || applied.days === 0) return undefined;
  const { origin, count: went, kept, days, shortDays } = applied;
  const outcome =
    shortDays === 0
      ? `${count(kept)} would have been enough on all ${counted(days, 'day')} since then`
      : `${count(kept)} would have been too few on ${count(shortDays)} of ${counted(days, 'day')} since then`;
  return html` On ${dateText(origin)}, ${count(went)} could go: ${outcome}.`;
}

/** A row of a section. */
export function itemHtml(item: ReportItem, frame: ReportFrame, worth: Html): Html {
  return html`<li><div>${featureHtml(item, frame)}
<p>${item.sentence}${appliedHtml(item)}</p>${stepsHtml(item)}</div>
<div class="worth">${worth}</div></li>\n`;
}

/** The idle and borrowed licenses of the last poll, which count as use. */
export function liveHtml({ live: { idle, borrowed } }: ReportItem): Html {
  const parts = [
    ...(idle === unknown || idle === 0 ? [] : [`${count(idle)} idle`]),
    ...(borrowed === unknown || borrowed === 0 ? [] : [`${count(borrowed)} borrowed`]),
  ];
  return parts.length === 0 ? html`` : html`<br><small>now ${parts.join(', ')}</small>`;
}

/** How many licenses could go, and what that saves. */
export function couldGoWorth(item: ReportItem): Html {
  const { advice, money } = item.proposal;
  const saving =
    money.saving === undefined
      ? undefined
      : html`<br>saves ${amountText(Math.round(money.saving), money.currency)} a year`;
  const kept = (advice.bought ?? 0) - (advice.count ?? 0);
  return html`<b>${counted(advice.count ?? 0, 'license')}</b> of ${count(advice.bought ?? 0)}, keep ${count(kept)}${saving}
<br><small>${renewalText(item)}</small>${liveHtml(item)}`;
}

/** How many licenses are missing, and what they cost. */
export function missingWorth(item: ReportItem): Html {
  const { advice, money } = item.proposal;
  const range = advice.countRange === undefined ? '' : ` (${advice.countRange.map(count).join(' to ')})`;
  const number = advice.count === undefined ? 'number not known' : `${counted(advice.count, 'license')}${range}`;
  const price =
    money.cost === undefined
      ? undefined
      : html`<br>costs ${amountText(Math.round(money.cost), money.currency)} in the first year`;
  const provisional = advice.confidence === 'high' ? undefined : html`<br><small>provisional, in no sum</small>`;
  return html`<b>${number}</b>${price}${provisional}${liveHtml(item)}`;
}

/** When the licenses run out. */
export function runsOutWorth({ proposal: { advice } }: ReportItem): Html {
  const { runsOut, bought, busyWeek, growth } = advice;
  if (runsOut === undefined) return html``;
  const month = (day: number): string => dateText(day).slice(0, 7);
  const latest = runsOut.latest === undefined ? 'open' : month(runsOut.latest);
  const rise = growth.kind === 'proven' ? `, ${figure(growth.perMonth)} more a month` : '';
  const busy =
    busyWeek === undefined
      ? undefined
      : html`<br><small>busy week ${figure(busyWeek)} of ${count(bought ?? 0)}${rise}</small>`;
  return html`<b>about ${month(runsOut.day)}</b><br>${month(runsOut.earliest)} to ${latest}${busy}`;
}

/** How many licenses are not used. */
export function unusedWorth(item: ReportItem): Html {
  const { bought } = item.proposal.advice;
  const licenses = bought === undefined ? 'number not known' : counted(bought, 'license');
  return html`<b>${licenses}</b><br><small>${renewalText(item)}</small>`;
}

/** What came of advice of an earlier month. */
export function lookBackHtml({ proposal, past, before, now }: LookBack, frame: ReportFrame): Html {
  const { fullHours, refusalDays } = proposal.advice;
  const change = before > now ? `${count(before - now)} dropped` : `${count(now - before)} added`;
  const full = fullHours === undefined ? 'hours with all in use not known' : `all in use ${figure(fullHours)} h a year`;
  const refusals =
    refusalDays === undefined ? 'refusals not known' : `refusals on ${counted(Math.round(refusalDays), 'day')} a year`;
  return html`<li><div>${featureHtml({ proposal }, frame)}
<p>${change} after the advice of ${past.month}. Since then: ${full}, ${refusals}.</p></div>
<div class="worth">${count(before)} → ${count(now)}</div></li>\n`;
}
