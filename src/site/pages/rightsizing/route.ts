import { type PageLink, pageHtml } from '../../../base/html/frame.ts';
import { type Html, html, nameHtml } from '../../../base/html/html.ts';
import { dateText } from '../../../base/model/local-time.ts';
import { numberText as count, countText } from '../../../base/texts.ts';
import { isYearAgo } from '../../../insight/advice/method/back-test.ts';
import { AdviceNotReady } from '../../../insight/advice/pass/proposals.ts';
import {
  createReport,
  noticeMonth,
  pricesIn,
  type Report,
  type ReportItem,
  type ReportSection,
  type Subtotal,
} from '../../../insight/advice/pass/report.ts';
import type { AdviceTable } from '../../../insight/advice/pass/rightsizing.ts';
import {
  amountText,
  appliedText,
  coveredText,
  RUN_OUT_DAYS,
  type Totals,
} from '../../../insight/advice/pass/totals.ts';
import { sendPage } from '../../web/page-answers.ts';
import { vendorLicenseUrl } from '../links.ts';
import type { PageContext } from '../page.ts';
import type { Routes } from '../routes.ts';
import {
  couldGoLine,
  itemHtml,
  type Line,
  lookBackHtml,
  missingLine,
  type ReportFrame,
  reservedLine,
  runsOutLine,
  unusedLine,
} from './items.ts';

/** The report as a page: without scripts, to be read on a screen. Printed, it is one page of A4 with what a purchaser needs. */

type LineOf = (item: ReportItem) => Line;

/** Lines that are printed of those that could go, with their headings, and of those that are missing. */
const PRINTED_COULD_GO = 30;
const HEADING_LINES = 1.5;
const PRINTED_MISSING = 5;
const PRINTED_REASONS = 5;

const moreHtml = (shown: number, total: number, by: string): Html | undefined =>
  shown === total
    ? undefined
    : html`<p class="soft">${count(shown)} of ${count(total)}, ${by}. All of them are in the CSV file.</p>`;

const listHtml = (items: readonly ReportItem[], frame: ReportFrame, lineOf: LineOf, printed: number): Html =>
  html`<ul class="rows advice">\n${items.map((item, i) => itemHtml(item, frame, lineOf(item), i < printed))}</ul>`;

interface Section {
  readonly title: string;
  readonly about: string;
  readonly by: string;
  /** What is said if the section has no rows. Without it, the section is left out then. */
  readonly empty?: string;
  readonly line: LineOf;
  /** Lines that are printed; none if missing. */
  readonly printed?: number;
  /** Whether only its number is seen at first. */
  readonly isFolded?: boolean;
}

function sectionHtml({ items, count: total }: ReportSection, frame: ReportFrame, section: Section): Html {
  const { title, about, by, empty, line, printed = 0, isFolded = false } = section;
  const heading = printed === 0 ? html`<h2 class="screen">${title}</h2>` : html`<h2>${title}</h2>`;
  if (total === 0) return empty === undefined ? html`` : html`${heading}\n<p class="screen">${empty}</p>\n`;
  const rows = html`<p class="soft screen">${about}</p>${moreHtml(items.length, total, by)}\n${listHtml(items, frame, line, printed)}\n`;
  if (isFolded)
    return html`${heading}\n<details class="screen"><summary>${countText(total, 'feature')}</summary>${rows}</details>\n`;
  return html`${heading}\n${rows}${leftHtml(total, Math.min(printed, items.length))}`;
}

/** What is not on paper. */
const leftHtml = (total: number, printed: number): Html | undefined =>
  printed === 0 || total <= printed
    ? undefined
    : html`<p class="paper">${count(total - printed)} more are on the page and in the CSV file.</p>\n`;

function monthTitle(month: string): string {
  if (month === 'permanent') return 'Permanent licenses, without a renewal';
  return month === 'unknown' ? 'Renewal not known' : `Notice in ${month}`;
}

/** `12 licenses, EUR 27,900 a year` */
const subtotalText = ({ licenses, savings }: Subtotal): string =>
  [
    countText(licenses, 'license'),
    ...[...savings].map(([currency, saving]) => `${amountText(Math.round(saving), currency)} a year`),
  ].join(', ');

/** Whether advice on any feature is known. */
const isKnown = ({ withoutAdvice, features }: Report): boolean => withoutAdvice < features;

function couldGoHtml({ couldGo }: Report, frame: ReportFrame): Html {
  const { items, count: total, months, vendorLicenses, vendorLicenseCount } = couldGo;
  const title = html`<h2>Could go</h2>\n`;
  if (total === 0) return html`${title}<p>No feature has licenses that could go with high confidence.</p>\n`;
  const subtotals = new Map(months.map((one) => [one.name, one]));
  let left = PRINTED_COULD_GO;
  let printedItems = 0;
  const lists = [...Map.groupBy(items, noticeMonth)].map(([month, rows]) => {
    const printed = Math.max(0, Math.floor(left - HEADING_LINES));
    left -= HEADING_LINES + rows.length;
    printedItems += Math.min(printed, rows.length);
    const subtotal = subtotals.get(month);
    const sum = subtotal === undefined ? undefined : html` <span class="soft">${subtotalText(subtotal)}</span>`;
    const heading = html`<h3${printed === 0 ? html` class="screen"` : undefined}>${monthTitle(month)}${sum}</h3>`;
    return html`${heading}\n${listHtml(rows, frame, couldGoLine, printed)}\n`;
  });
  const licenses = vendorLicenses.map(
    (one) =>
      html`<tr><th scope="row"><a href="${vendorLicenseUrl(one.name)}">${nameHtml(one.name)}</a></th><td>${countText(one.features, 'feature')}</td><td>${subtotalText(one)}</td></tr>\n`,
  );
  return html`${title}<p class="soft">What is kept was enough in the last year, and is enough for the coming one with a chance of 9 in 10. Bars: the peak of each week of the last year; lines: what is bought, and what is kept.</p>
${moreHtml(items.length, total, 'by saving and number of licenses')}\n${lists}${leftHtml(total, printedItems)}
<details class="screen"><summary>By vendor license</summary>${moreHtml(vendorLicenses.length, vendorLicenseCount, 'those that save most')}
<table class="counts">\n${licenses}</table></details>\n`;
}

function lookBacksHtml({ lookBacks, lookBackCount }: Report, frame: ReportFrame): Html {
  if (lookBackCount === 0) return html``;
  return html`<details class="screen"><summary>What came of earlier advice</summary>\n${moreHtml(lookBacks.length, lookBackCount, 'the newest first')}
<ul>\n${lookBacks.map((lookBack) => lookBackHtml(lookBack, frame))}</ul></details>\n`;
}

function reasonsHtml({ reasons, reasonCount, withoutAdvice, totals }: Report): Html {
  if (withoutAdvice === 0) return html``;
  const covered = coveredText(totals);
  const rows = reasons.map(({ example: sentence, count: features, isSame, contracts }, i) => {
    // the title of the section says it
    const example = sentence.replace(/^No advice: /, '');
    const more = isSame ? undefined : html` <span class="soft">(for example)</span>`;
    const amounts = [...contracts].map(([currency, amount]) => amountText(Math.round(amount), currency)).join(', ');
    const cost = covered === undefined ? undefined : html`<td>${amounts}</td>`;
    return html`<tr${i < PRINTED_REASONS ? undefined : html` class="screen"`}><td>${count(features)}</td>${cost}<td>${example}${more}</td></tr>\n`;
  });
  return html`<h2>Not covered</h2>\n<p class="soft">${countText(withoutAdvice, 'feature')} without advice, by reason${covered === undefined ? undefined : ', with what their licenses cost a year'}.</p>${moreHtml(reasons.length, reasonCount, 'those that cost most')}
<table class="counts">\n${rows}</table>\n`;
}

/** When there will be advice on features of which too little is recorded. */
function waitingHtml({ waiting }: Report): Html {
  if (waiting.length === 0) return html``;
  const rows = waiting.map(
    ({ day, features }) =>
      html`<li>${countText(features, 'feature')}: ${day === undefined ? 'not known when' : `from ${dateText(day)} on, if every day is recorded`}</li>\n`,
  );
  return html`<h2 class="screen">Not enough data until</h2>\n<ul class="screen">${rows}</ul>\n`;
}

type Sum = Totals['currencies'][number];

function sumsHtml({ couldGo, missing, runOut, advised, provisional, currencies }: Totals): Html {
  const licenses = (read: (sum: Sum) => number): number => currencies.reduce((all, sum) => all + read(sum), 0);
  const amountHtml = (amount: number | undefined, { currency }: Sum, what: string, priced: number, of: number) =>
    amount === undefined
      ? []
      : [
          html`<strong>${amountText(Math.round(amount), currency)}</strong> ${what} <small>(with a price: ${count(priced)} of ${countText(of, 'feature')})</small>`,
        ];
  const notes = provisional === 0 ? '' : `; ${count(provisional)} provisional in no total`;
  const boxes = [
    html`<strong>${countText(
      licenses((sum) => sum.couldGo),
      'license',
    )}</strong> of ${countText(couldGo, 'feature')} could go<small>${notes}</small>`,
    ...currencies.flatMap((sum) => amountHtml(sum.saving, sum, 'a year could be saved', sum.couldGoFeatures, couldGo)),
    html`<strong>${countText(missing, 'feature')}</strong> with missing licenses`,
    ...currencies.flatMap((sum) =>
      amountHtml(sum.cost, sum, 'in the first year for missing licenses', sum.missingFeatures, missing),
    ),
    html`<strong>${countText(runOut, 'feature')}</strong> run out within ${RUN_OUT_DAYS} days <small>(of ${count(advised)} with advice)</small>`,
  ];
  return html`<ul class="tiles">${boxes.map((box) => html`<li>${box}</li>\n`)}</ul>`;
}

/** How good the advice is: what it covers, and what would have come of it a year ago and in the months since then. */
function qualityHtml({ backTest, day }: AdviceTable, { totals }: Report): Html {
  const newer = backTest.filter(({ origin }) => !isYearAgo(origin, day) && origin < day);
  const rows = newer.map(
    ({ origin, features, shortFeatures, shortDays }) =>
      html`<tr><th scope="row">${dateText(origin)}</th><td>${count(features)}</td><td>${count(shortFeatures)}</td><td>${count(shortDays)}</td></tr>\n`,
  );
  const months =
    rows.length === 0
      ? undefined
      : html`<details class="screen"><summary>The advice of newer months, until now</summary>
<table class="counts"><tr><th scope="col">Advice of</th><th scope="col">Features</th><th scope="col">Short</th><th scope="col">Days</th></tr>\n${rows}</table></details>\n`;
  const covered = coveredText(totals);
  const coverage = covered === undefined ? '' : ` The advice covers ${covered}.`;
  return html`<p>${appliedText(totals.applied)}.${coverage}</p>\n${months}`;
}

const sectionNames = ['missing', 'provisional', 'reserved', 'runsOut', 'unused'] as const;

const sections: Readonly<Record<(typeof sectionNames)[number], Section>> = {
  missing: {
    title: 'Missing',
    about:
      'Requests were refused for want of licenses on more than 12 days a year, or the licenses are in use too often.',
    by: 'by cost and number of licenses',
    empty: 'No feature is seen to have too few licenses.',
    line: missingLine,
    printed: PRINTED_MISSING,
  },
  provisional: {
    isFolded: true,
    title: 'Could go, provisional',
    about:
      'Use may rise, or less than a year is recorded, or reservations that are not recorded could change the number: each sentence says why. These features are in no total.',
    by: 'by saving and number of licenses',
    line: couldGoLine,
  },
  reserved: {
    title: 'Refused because of reservations',
    about: 'Licenses were free, but reserved for others. Free the reservation first.',
    by: 'by hours with all licenses in use',
    line: reservedLine,
  },
  runsOut: {
    title: 'Runs out',
    about: 'Use grows. From the date on, every fourth week is expected to have a moment with all licenses in use.',
    by: 'by date',
    empty: 'No feature with advice is likely to grow until its licenses are used up within a year.',
    line: runsOutLine,
  },
  unused: {
    title: 'Unused, to be confirmed',
    about:
      'No use was seen in the samples. Short use between two samples is not seen: ask before you cancel. These features are in no total.',
    by: 'by number of licenses',
    line: unusedLine,
  },
};

function basisHtml(table: AdviceTable, report: Report, { withoutPrices }: ReportFrame): Html {
  const { tight, fine } = report;
  const nothingToDo = isKnown(report)
    ? html`<dt>Nothing to do</dt><dd>${countText(fine, 'feature')} with enough licenses; ${count(tight)} more with little room</dd>\n`
    : undefined;
  const leftOut =
    table.leftOut === 0
      ? undefined
      : html`<dt>Left out</dt><dd>${countText(table.leftOut, 'feature')}, because of <code>rightsizing.max_features</code></dd>\n`;
  const prices = withoutPrices === undefined ? undefined : html`<dt>Prices</dt><dd>${withoutPrices}</dd>\n`;
  return html`<section class="basis">
<p>The advice is computed from the recorded use of each feature: it keeps what the last year needed, and what the coming one needs by the level, growth, steps and seasons of up to two years. Idle and borrowed licenses count as use. Use between two samples is not seen. A full pool hides demand. The advice does not know contracts, projects or plans.</p>
<dl><dt>Computed</dt><dd>${new Date(table.computedAt * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC, from the days before ${dateText(table.day)}</dd>
<dt>Tolerance</dt><dd>${countText(table.tolerance, 'hour')} a year with more in use than kept (<code>rightsizing.tolerance</code>)</dd>
${nothingToDo}${prices}${leftOut}</dl>
<p class="screen"><a href="api/v1/rightsizing?format=csv">All features as CSV</a></p>
</section>`;
}

/** The report. @param table what it is made of */
export function reportContent(table: AdviceTable, report: Report, frame: ReportFrame): Html {
  const { withoutPrices } = frame;
  const sums = isKnown(report)
    ? html`${sumsHtml(report.totals)}\n${qualityHtml(table, report)}`
    : html`<p class="unknown">How many licenses could go, are missing or run out is not known of any feature.</p>`;
  const known = isKnown(report)
    ? [couldGoHtml(report, frame), ...sectionNames.map((name) => sectionHtml(report[name], frame, sections[name]))]
    : [];
  return html`<h1>Right-sizing</h1>
<p class="soft">${dateText(table.day)}: advice on the number of licenses of ${countText(report.features, 'feature')}, from recorded use.</p>
${sums}
${withoutPrices === undefined ? undefined : html`<p class="soft">${withoutPrices}</p>`}
${known}${waitingHtml(report)}${lookBacksHtml(report, frame)}${reasonsHtml(report)}${basisHtml(table, report, frame)}`;
}

/** What is said before the first pass. */
const notReadyContent = ({ message }: AdviceNotReady): Html =>
  html`<h1>Right-sizing</h1>\n<p class="note" role="status">${message.slice(0, 1).toUpperCase()}${message.slice(1)}.</p>`;

/** How often the page asks again while the first pass runs, seconds. */
const ASK_AGAIN = 2;

/** The report. Before the first pass, it is loaded again while the pass runs. */
export const rightsizingRoutes = ({ site, backend }: PageContext, link: PageLink): Routes => ({
  '/': async (request, reply) => {
    const { proposals, prices, owners, inventory } = backend(request);
    const refusal = prices.refusal();
    try {
      const read = proposals.read(inventory(), refusal === undefined);
      const { table } = read;
      const report = createReport(read);
      prices.onServed(pricesIn(report));
      const content = reportContent(table, report, {
        withoutPrices: proposals.hasPrices() ? refusal : 'there are no prices: set rightsizing.price_file',
        ownerOf: (vendorLicense, feature) => owners().of(vendorLicense, feature).owner,
      });
      // a browser proposes the title as the name of a PDF
      const title = `${link.title} ${dateText(table.day)}`;
      return await sendPage(reply, pageHtml(site, { ...link, title }, content));
    } catch (error) {
      if (!(error instanceof AdviceNotReady)) throw error;
      const page = error.isSoon ? { ...link, reloadsAfter: ASK_AGAIN } : link;
      return sendPage(reply.code(503), pageHtml(site, page, notReadyContent(error)));
    }
  },
});
