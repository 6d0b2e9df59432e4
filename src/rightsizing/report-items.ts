import { dateText } from '../model/local-time.ts';
import { escaped, nameHtml } from './html-text.ts';
import type { LookBack, ReportItem } from './report.ts';
import { amountText } from './totals.ts';

/** One feature in the report. */

/** What the page says about the daemon and the request. */
export interface ReportFrame {
  readonly demo: boolean;
  /** Why prices are not shown, or that there are no prices; `undefined` if they are shown. */
  readonly withoutPrices: string | undefined;
  /** The owner of a feature. */
  readonly ownerOf: (vendorLicense: string, feature: string) => string | undefined;
}

/** A number as in English text. */
export const count = (number: number): string => number.toLocaleString('en-US');

/** `1 license`, `3 licenses` */
export const counted = (number: number, one: string, several = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : several}`;

/** A figure with at most one decimal. */
const figure = (number: number): string => count(Math.round(number * 10) / 10);

function featureHtml({ proposal: { advice } }: Pick<ReportItem, 'proposal'>, { ownerOf }: ReportFrame): string {
  const owner = ownerOf(advice.vendorLicense, advice.feature);
  const parts = [
    nameHtml(advice.vendorLicense),
    ...(advice.package === '' ? [] : [`package ${nameHtml(advice.package)}`]),
    ...(owner === undefined ? [] : [`owner ${nameHtml(owner)}`]),
  ];
  return `<strong>${nameHtml(advice.feature)}</strong> <span class="soft">${parts.join(' · ')}</span>`;
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

function stepsHtml({ steps, proposal: { advice, money } }: ReportItem): string {
  if (steps.length === 0) return '';
  const kept = (advice.bought ?? 0) - (advice.count ?? 0);
  const cells = (read: (step: ReportItem['steps'][number]) => string): string =>
    steps.map((step) => `<td${step.licenses === kept ? ' class="kept"' : ''}>${read(step)}</td>`).join('');
  const { price, per, currency } = money;
  const saving = (licenses: number): string => count(Math.round(((advice.bought ?? 0) - licenses) * (price ?? 0)));
  const savings =
    per !== 'year' || price === undefined
      ? ''
      : `<tr><th>Saves, ${escaped(currency ?? '')}</th>${cells(({ licenses }) => saving(licenses))}</tr>`;
  return `<div class="steps"><table><tr><th>Licenses</th>${cells(({ licenses }) => count(licenses))}</tr>
<tr><th>Short, h a year</th>${cells(({ hoursShort }) => figure(hoursShort))}</tr>${savings}</table></div>`;
}

/** A row of a section. */
export function itemHtml(item: ReportItem, frame: ReportFrame, worth: string): string {
  return `<li><div>${featureHtml(item, frame)}
<p>${escaped(item.sentence)}</p>${stepsHtml(item)}</div>
<div class="worth">${worth}</div></li>\n`;
}

/** The idle and borrowed licenses of the last poll, which count as use. */
export function liveHtml({ live: { idle, borrowed } }: ReportItem): string {
  const parts = [
    ...(idle === undefined || idle === 0 ? [] : [`${count(idle)} idle`]),
    ...(borrowed === undefined || borrowed === 0 ? [] : [`${count(borrowed)} borrowed`]),
  ];
  return parts.length === 0 ? '' : `<br><small>now ${parts.join(', ')}</small>`;
}

/** How many licenses could go, and what that saves. */
export function couldGoWorth(item: ReportItem): string {
  const { advice, money } = item.proposal;
  const saving =
    money.saving === undefined
      ? ''
      : `<br>saves ${escaped(amountText(Math.round(money.saving), money.currency))} a year`;
  const kept = (advice.bought ?? 0) - (advice.count ?? 0);
  return `<b>${counted(advice.count ?? 0, 'license')}</b> of ${count(advice.bought ?? 0)}, keep ${count(kept)}${saving}
<br><small>${escaped(renewalText(item))}</small>${liveHtml(item)}`;
}

/** How many licenses are missing, and what they cost. */
export function missingWorth(item: ReportItem): string {
  const { advice, money } = item.proposal;
  const range = advice.countRange === undefined ? '' : ` (${advice.countRange.map(count).join(' to ')})`;
  const number = advice.count === undefined ? 'number not known' : `${counted(advice.count, 'license')}${range}`;
  const price =
    money.cost === undefined
      ? ''
      : `<br>costs ${escaped(amountText(Math.round(money.cost), money.currency))} in the first year`;
  const provisional = advice.confidence === 'high' ? '' : '<br><small>provisional, in no sum</small>';
  return `<b>${number}</b>${price}${provisional}${liveHtml(item)}`;
}

/** When the licenses run out. */
export function runsOutWorth({ proposal: { advice } }: ReportItem): string {
  const { runsOut, bought, busyWeek, growth } = advice;
  if (runsOut === undefined) return '';
  const month = (day: number): string => dateText(day).slice(0, 7);
  const latest = runsOut.latest === undefined ? 'open' : month(runsOut.latest);
  const rise = growth.kind === 'proven' ? `, ${figure(growth.perMonth)} more a month` : '';
  const busy =
    busyWeek === undefined ? '' : `<br><small>busy week ${figure(busyWeek)} of ${count(bought ?? 0)}${rise}</small>`;
  return `<b>about ${month(runsOut.day)}</b><br>${month(runsOut.earliest)} to ${latest}${busy}`;
}

/** How many licenses are not used. */
export function unusedWorth(item: ReportItem): string {
  const { bought } = item.proposal.advice;
  const licenses = bought === undefined ? 'number not known' : counted(bought, 'license');
  return `<b>${licenses}</b><br><small>${escaped(renewalText(item))}</small>`;
}

/** What came of advice of an earlier month. */
export function lookBackHtml({ proposal, past, before, now }: LookBack, frame: ReportFrame): string {
  const { fullHours, refusalDays } = proposal.advice;
  const change = before > now ? `${count(before - now)} dropped` : `${count(now - before)} added`;
  const full = fullHours === undefined ? 'hours with all in use not known' : `all in use ${figure(fullHours)} h a year`;
  const refusals =
    refusalDays === undefined ? 'refusals not known' : `refusals on ${counted(Math.round(refusalDays), 'day')} a year`;
  return `<li><div>${featureHtml({ proposal }, frame)}
<p>${change} after the advice of ${escaped(past.month)}. Since then: ${full}, ${refusals}.</p></div>
<div class="worth">${count(before)} → ${count(now)}</div></li>\n`;
}
