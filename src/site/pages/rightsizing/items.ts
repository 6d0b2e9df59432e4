import { type Content, type Html, html, joined, nameHtml } from '../../../base/html/html.ts';
import { dateText } from '../../../base/model/local-time.ts';
import { unknown } from '../../../base/model/unknown.ts';
import { numberText as count, countText } from '../../../base/texts.ts';
import type { Advice } from '../../../insight/advice/method/advice.ts';
import type { LookBack, ReportItem } from '../../../insight/advice/pass/report.ts';
import { amountText } from '../../../insight/advice/pass/totals.ts';
import { featureUrl } from '../links.ts';
import { dayHtml, unbroken } from '../wording.ts';

/** One feature in the report: a line, which opens. */

/** Of a week, in units of the picture. */
const WEEK = 2;
const BAR = 1.5;
const HEIGHT = 24;

/** @returns `undefined` where no week is known */
function weeksHtml({ weeklyPeaks, bought = 0, count: gone = 0, state }: Advice): Html | undefined {
  const known = weeklyPeaks.filter((peak) => peak !== null);
  if (known.length === 0) return undefined;
  const highest = Math.max(...known);
  const most = Math.max(1, highest, bought);
  const width = WEEK * weeklyPeaks.length;
  const y = (licenses: number): number => Math.round((1 - licenses / most) * HEIGHT * 10) / 10;
  const bars = weeklyPeaks.map((peak, i) =>
    peak === null ? '' : `M${WEEK * i} ${HEIGHT}V${y(peak)}h${BAR}V${HEIGHT}z`,
  );
  const line = (licenses: number, name: string): Html => html`<path class="${name}" d="M0 ${y(licenses)}H${width}"/>`;
  const kept = state === 'could go' ? line(bought - gone, 'kept') : undefined;
  return html`<svg class="weeks" viewBox="0 -1 ${width} ${HEIGHT + 2}" preserveAspectRatio="none" role="img" aria-label="Peaks of ${known.length} weeks: at most ${count(highest)} of ${count(bought)} in use"><path class="used" d="${bars.join('')}"/>${line(bought, 'bought')}${kept}</svg>`;
}

/** What the page says for a request. */
export interface ReportFrame {
  /** Why prices are not shown, or that there are no prices; `undefined` if they are shown. */
  readonly withoutPrices: string | undefined;
  /** The owner of a feature. */
  readonly ownerOf: (vendorLicense: string, feature: string) => string | undefined;
  /** Where the page is, for who reads it on paper. */
  readonly url: string;
  /** Who asked for it; `undefined` without users. */
  readonly user: string | undefined;
}

/** What the line of a feature says: how many licenses, what they are worth, and until when or since when. */
export interface Line {
  readonly licenses: Html;
  readonly money?: string | undefined;
  readonly when?: string | undefined;
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

/** The date of a line below a heading that says what it is. */
function shortDateOf({ dates: { renewal, notice } }: ReportItem): string | undefined {
  if (notice.kind === 'by') return `notice by ${dateText(notice.day)}`;
  if (notice.kind === 'passed') return `notice by ${dateText(notice.day)}, passed`;
  return renewal.kind === 'on' ? `renewal ${dateText(renewal.day)}` : undefined;
}

function dateOf({ dates: { renewal, notice, effect } }: ReportItem): string {
  switch (effect) {
    case 'maintenance only':
      return 'permanent: only maintenance';
    case 'too late':
      if (notice.kind === 'passed') return `notice by ${dateText(notice.day)}, passed`;
      return renewal.kind === 'on' ? `renewal ${dateText(renewal.day)}, passed` : 'passed';
    case 'at renewal':
      if (notice.kind === 'by') return `notice by ${dateText(notice.day)}`;
      return renewal.kind === 'on' ? `renewal ${dateText(renewal.day)}, notice not known` : 'renewal not known';
  }
}

function stepsHtml({ steps, whyKept, proposal: { money } }: ReportItem): Html | undefined {
  if (steps.length === 0) return undefined;
  const rowHtml = (title: string, read: (step: ReportItem['steps'][number]) => Content): Html => {
    const cells = steps.map(
      (step) => html`<td${step.place === 'kept' ? html` class="kept"` : undefined}>${read(step)}</td>`,
    );
    return html`<tr><th scope="row">${title}</th>${cells}</tr>\n`;
  };
  const kept = steps.find(({ place }) => place === 'kept')?.licenses;
  const saving = ({ saving: amount }: ReportItem['steps'][number]): string =>
    amount === undefined ? '–' : count(Math.round(amount));
  const hasSavings = steps.some((step) => step.saving !== undefined);
  const why =
    kept === undefined || whyKept === undefined
      ? undefined
      : html`<p>Fewer than ${count(kept)} are not advised: ${unbroken(whyKept)}.</p>`;
  return html`<table class="steps">
${rowHtml('Licenses', ({ licenses, place }) => [count(licenses), place === 'kept' ? ' kept' : undefined])}${rowHtml('Short, h a year', ({ hoursShort }) => figure(hoursShort))}${
  hasSavings ? rowHtml(`Saves, ${money.currency ?? ''}`, saving) : undefined
}</table>${why}`;
}

/** What would have come of the advice of a year ago. */
function appliedHtml({ proposal: { advice } }: ReportItem): Html | undefined {
  const { applied } = advice;
  if (applied === undefined || applied.days === 0) return undefined;
  const { origin, count: went, kept, days, shortDays } = applied;
  const outcome =
    shortDays === 0
      ? `${count(kept)} would have been enough on all ${countText(days, 'day')} after that`
      : `${count(kept)} would have been too few on ${count(shortDays)} of ${countText(days, 'day')} after that`;
  return html` On ${dayHtml(dateText(origin))}, ${count(went)} could go: ${outcome}.`;
}

/** The idle and borrowed licenses of the last poll, which count as use. */
function liveText({ live: { idle, borrowed } }: ReportItem): string | undefined {
  const parts = [
    ...(idle === unknown || idle === 0 ? [] : [`${count(idle)} idle`]),
    ...(borrowed === unknown || borrowed === 0 ? [] : [`${count(borrowed)} borrowed`]),
  ];
  return parts.length === 0 ? undefined : `Now ${parts.join(', ')}.`;
}

/** A line of a section, which opens. @param isPrinted only the first ones are */
export function itemHtml(
  item: ReportItem,
  frame: ReportFrame,
  { licenses, money, when }: Line,
  isPrinted: boolean,
): Html {
  const { advice } = item.proposal;
  const live = liveText(item);
  return html`<li${isPrinted ? undefined : html` class="screen"`}><details><summary><span class="who">${featureHtml(item, frame)}</span>
${weeksHtml(advice) ?? html`<span class="weeks"></span>`}<span class="worth">${licenses}</span><span class="worth money">${money}</span><span class="worth soft">${when}</span></summary>
<p>${unbroken(item.sentence)}${appliedHtml(item)}${live === undefined ? undefined : ` ${live}`} <a href="${featureUrl(advice)}">See the feature</a></p>${stepsHtml(item)}</details></li>\n`;
}

/** How many licenses could go, what that saves, and until when it must be announced. */
export function couldGoLine(item: ReportItem): Line {
  const { advice, money } = item.proposal;
  const { bought = 0, count: gone = 0 } = advice;
  const saving =
    money.saving === undefined ? undefined : `${amountText(Math.round(money.saving), money.currency)} a year`;
  return {
    licenses: html`<b>${count(gone)}</b> of ${count(bought)}, keep ${count(bought - gone)}`,
    money: saving,
    when: shortDateOf(item),
  };
}

/** The same where no heading says what comes of it. */
export const provisionalLine = (item: ReportItem): Line => ({ ...couldGoLine(item), when: dateOf(item) });

/** On how many days of the last year requests were refused for want of licenses. */
const refusedText = ({ refusalDays, denialsKnownDays }: Advice): string | undefined =>
  refusalDays === undefined || denialsKnownDays === undefined
    ? undefined
    : `refused on ${count(refusalDays)} of ${countText(denialsKnownDays, 'day')}`;

/** How many licenses are missing, what they cost, and how often requests were refused. */
export function missingLine({ proposal: { advice, money } }: ReportItem): Line {
  const { bought = 0, count: lacking, countRange, confidence } = advice;
  const range = countRange === undefined ? '' : ` (${countRange.map((one) => count(bought + one)).join(' to ')})`;
  const cost = money.cost === undefined ? undefined : `costs ${amountText(Math.round(money.cost), money.currency)}`;
  return {
    licenses:
      lacking === undefined
        ? html`more than ${count(bought)}, number not known`
        : html`buy <b>${count(lacking)}</b>: about ${count(bought + lacking)}${range}`,
    money: confidence === 'high' ? cost : 'provisional, in no sum',
    when: refusedText(advice) ?? 'refusals not known',
  };
}

/** How often requests were refused although licenses were free. */
export const reservedLine = ({ proposal: { advice } }: ReportItem): Line => ({
  licenses: html`${count(advice.bought ?? 0)} bought`,
  when: refusedText(advice),
});

/** When the licenses run out. */
export function runsOutLine({ proposal: { advice } }: ReportItem): Line {
  const { runsOut, bought = 0, busyWeek, growth } = advice;
  const month = (day: number): string => dateText(day).slice(0, 7);
  const rise = growth.kind === 'proven' ? `, +${figure(growth.perMonth)} a month` : '';
  const latest = runsOut?.latest === undefined ? 'open' : month(runsOut.latest);
  return {
    licenses: html`busy week ${busyWeek === undefined ? 'not known' : figure(busyWeek)} of ${count(bought)}${rise}`,
    ...(runsOut !== undefined && {
      money: `about ${month(runsOut.day)}`,
      when: `${month(runsOut.earliest)} to ${latest}`,
    }),
  };
}

/** How many licenses are not used. */
export function unusedLine(item: ReportItem): Line {
  const { advice, money } = item.proposal;
  const { bought } = advice;
  return {
    licenses: html`${bought === undefined ? 'number not known' : countText(bought, 'license')}`,
    money:
      money.contract === undefined ? undefined : `${amountText(Math.round(money.contract), money.currency)} a year`,
    when: dateOf(item),
  };
}

/** What came of advice of an earlier month. */
export function lookBackHtml({ proposal, past, before, now }: LookBack, frame: ReportFrame): Html {
  const { fullHours, refusalsNow } = proposal.advice;
  const change = before > now ? `${count(before - now)} dropped` : `${count(now - before)} added`;
  const full = fullHours === undefined ? 'hours with all in use not known' : `all in use ${figure(fullHours)} h a year`;
  const refusals =
    refusalsNow === undefined
      ? 'refusals not known'
      : `refusals on ${count(refusalsNow.days)} of ${countText(refusalsNow.recordedDays, 'day')}`;
  return html`<li>${featureHtml({ proposal }, frame)}: ${change} after the advice of ${past.month} (${count(before)} → ${count(now)}). Since then: ${full}, ${refusals}.</li>\n`;
}
