import { type Html, html } from '../../html/html.ts';
import { dateText } from '../../model/local-time.ts';
import { isYearAgo } from '../../rightsizing/back-test.ts';
import type { AdviceNotReady } from '../../rightsizing/proposals.ts';
import { type Report, type ReportItem, type ReportSection, renewalMonth } from '../../rightsizing/report.ts';
import type { AdviceTable } from '../../rightsizing/rightsizing.ts';
import { amountText, appliedText, coveredText, RUN_OUT_DAYS, type Totals } from '../../rightsizing/totals.ts';
import { countText as count, counted } from '../wording.ts';
import {
  couldGoWorth,
  itemHtml,
  liveHtml,
  lookBackHtml,
  missingWorth,
  type ReportFrame,
  runsOutWorth,
  unusedWorth,
} from './items.ts';

/** The report as a page: without scripts, to be read on a screen and printed on A4. */

type Worth = (item: ReportItem) => Html;

const moreHtml = (shown: number, total: number, by: string): Html | undefined =>
  shown === total
    ? undefined
    : html`<p class="soft">${count(shown)} of ${count(total)}, ${by}. All of them are in the CSV file.</p>`;

function listHtml(items: readonly ReportItem[], frame: ReportFrame, worth: Worth): Html {
  return html`<ul class="rows advice">\n${items.map((item) => itemHtml(item, frame, worth(item)))}</ul>`;
}

interface Section {
  readonly title: string;
  readonly about: string;
  readonly by: string;
  /** What is said if the section has no rows. Without it, the section is left out then. */
  readonly empty?: string;
  readonly worth: Worth;
}

function sectionHtml({ items, count: total }: ReportSection, frame: ReportFrame, section: Section): Html {
  const { title, about, by, empty, worth } = section;
  if (total === 0) return empty === undefined ? html`` : html`<h2>${title}</h2>\n<p>${empty}</p>\n`;
  return html`<h2>${title}</h2>\n<p class="soft">${about}</p>${moreHtml(items.length, total, by)}\n${listHtml(items, frame, worth)}\n`;
}

function monthTitle(month: string): string {
  if (month === 'permanent') return 'Permanent licenses: no renewal';
  return month === 'unknown' ? 'Renewal not known' : `Renewal in ${month}`;
}

/** Whether advice on any feature is known. */
const isKnown = ({ withoutAdvice, features }: Report): boolean => withoutAdvice < features;

function couldGoHtml({ couldGo: { items, count: total } }: Report, frame: ReportFrame): Html {
  const title = html`<h2>Could go</h2>\n`;
  if (total === 0) return html`${title}<p>No feature has licenses that could go with high confidence.</p>\n`;
  const months = [...Map.groupBy(items, renewalMonth)].map(
    ([month, rows]) => html`<h3>${monthTitle(month)}</h3>\n${listHtml(rows, frame, couldGoWorth)}\n`,
  );
  return html`${title}<p class="soft">What is kept was enough in the recorded year, but for the hours given, and is enough for the coming year with a chance of 9 in 10. Bold in the steps: the number that is kept; the others are what else can be offered.</p>
${moreHtml(items.length, total, 'by saving and number of licenses')}\n${months}\n`;
}

function lookBacksHtml({ lookBacks, lookBackCount }: Report, frame: ReportFrame): Html {
  if (lookBackCount === 0) return html``;
  return html`<h2>What came of earlier advice</h2>\n${moreHtml(lookBacks.length, lookBackCount, 'the newest first')}
<ul class="rows advice">\n${lookBacks.map((lookBack) => lookBackHtml(lookBack, frame))}</ul>\n`;
}

function reasonsHtml({ reasons, reasonCount, withoutAdvice, totals }: Report): Html {
  if (withoutAdvice === 0) return html``;
  const covered = coveredText(totals);
  const rows = reasons.map(({ example: sentence, count: features, isSame, contracts }) => {
    // the title of the section says it
    const example = sentence.replace(/^No advice: /, '');
    const more = isSame ? undefined : html` <span class="soft">(for example)</span>`;
    const amounts = [...contracts].map(([currency, amount]) => amountText(Math.round(amount), currency)).join(', ');
    const cost = covered === undefined ? undefined : html`<td>${amounts}</td>`;
    return html`<tr><td>${count(features)}</td>${cost}<td>${example}${more}</td></tr>\n`;
  });
  return html`<h2>No advice, and why</h2>\n<p class="soft">${counted(withoutAdvice, 'feature')}, by reason${covered === undefined ? undefined : ', with what their licenses cost a year'}.</p>${moreHtml(reasons.length, reasonCount, 'those that cost most')}
<table class="counts">\n${rows}</table>\n`;
}

type Sum = Totals['currencies'][number];

function sumsHtml({ couldGo, missing, runOut, provisional, currencies }: Totals): Html {
  const licenses = (read: (sum: Sum) => number): number => currencies.reduce((all, sum) => all + read(sum), 0);
  const amountHtml = (amount: number | undefined, { currency }: Sum, what: string, priced: number, of: number) =>
    amount === undefined
      ? []
      : [
          html`<strong>${amountText(Math.round(amount), currency)}</strong> ${what} <small>(with a price: ${count(priced)} of ${counted(of, 'feature')})</small>`,
        ];
  const notes = provisional === 0 ? '' : `; ${count(provisional)} provisional in no total`;
  const boxes = [
    html`<strong>${counted(
      licenses((sum) => sum.couldGo),
      'license',
    )}</strong> of ${counted(couldGo, 'feature')} could go<small>${notes}</small>`,
    ...currencies.flatMap((sum) => amountHtml(sum.saving, sum, 'a year could be saved', sum.couldGoFeatures, couldGo)),
    html`<strong>${counted(missing, 'feature')}</strong> with missing licenses`,
    ...currencies.flatMap((sum) =>
      amountHtml(sum.cost, sum, 'in the first year for missing licenses', sum.missingFeatures, missing),
    ),
    html`<strong>${counted(runOut, 'feature')}</strong> run out within ${RUN_OUT_DAYS} days`,
  ];
  return html`<ul class="tiles">${boxes.map((box) => html`<li>${box}</li>\n`)}</ul>`;
}

/** How good the advice is: how much it covers, and what would have come of it a year ago and in the months since then. */
function qualityHtml({ backTest, day }: AdviceTable, { totals }: Report): Html {
  const newer = backTest.filter(({ origin }) => !isYearAgo(origin, day) && origin < day);
  const rows = newer.map(
    ({ origin, features, shortFeatures, shortDays }) =>
      html`<tr><th scope="row">${dateText(origin)}</th><td>${count(features)}</td><td>${count(shortFeatures)}</td><td>${count(shortDays)}</td></tr>\n`,
  );
  const months =
    rows.length === 0
      ? undefined
      : html`<details><summary>The advice of newer months, until now</summary>
<table class="counts"><tr><th scope="col">Advice of</th><th scope="col">Features</th><th scope="col">Short</th><th scope="col">Days</th></tr>\n${rows}</table></details>\n`;
  const covered = coveredText(totals);
  const coverage = covered === undefined ? undefined : html`<p>The advice covers ${covered}.</p>\n`;
  return html`${coverage}<p>${appliedText(totals.applied)}.</p>\n${months}`;
}

const sectionNames = ['provisional', 'missing', 'reserved', 'runsOut', 'unused'] as const;

const sections: Readonly<Record<(typeof sectionNames)[number], Section>> = {
  provisional: {
    title: 'Could go, provisional',
    about:
      'Use may rise, or less than a year is recorded, or reservations are not: each sentence says why. These features are in no total.',
    by: 'by saving and number of licenses',
    worth: couldGoWorth,
  },
  missing: {
    title: 'Missing',
    about:
      'Requests were refused for want of licenses on more than 12 days a year, or the licenses are in use too often.',
    by: 'by cost and number of licenses',
    empty: 'No feature is seen to have too few licenses.',
    worth: missingWorth,
  },
  reserved: {
    title: 'Refused because of reservations',
    about: 'Licenses were free, but reserved for others. Free the reservation first.',
    by: 'by hours with all licenses in use',
    worth: liveHtml,
  },
  runsOut: {
    title: 'Runs out',
    about: 'Use grows. From the date on, every fourth week is expected to have a moment with all licenses in use.',
    by: 'by date',
    empty: 'No feature is likely to grow until its licenses are used up within a year.',
    worth: runsOutWorth,
  },
  unused: {
    title: 'Unused, to be confirmed',
    about:
      'No use was seen in the samples. Short use between two samples is not seen: ask before you cancel. These features are in no total.',
    by: 'by number of licenses',
    worth: unusedWorth,
  },
};

function basisHtml(table: AdviceTable, report: Report, { withoutPrices }: ReportFrame): Html {
  const { tight, fine } = report;
  const nothingToDo = isKnown(report)
    ? html`<dt>Nothing to do</dt><dd>${counted(fine, 'feature')} with enough licenses; ${count(tight)} more with nothing to spare in a busy week</dd>\n`
    : undefined;
  const leftOut =
    table.leftOut === 0
      ? undefined
      : html`<dt>Left out</dt><dd>${counted(table.leftOut, 'feature')}, because of <code>rightsizing.max_features</code></dd>\n`;
  const prices = withoutPrices === undefined ? undefined : html`<dt>Prices</dt><dd>${withoutPrices}</dd>\n`;
  return html`<section class="basis">
<p>Idle and borrowed licenses count as use. Use between two samples is not seen. A full pool hides demand. The advice does not know contracts, projects or plans.</p>
<dl><dt>Computed</dt><dd>${new Date(table.computedAt * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC, from the days before ${dateText(table.day)}</dd>
<dt>Tolerance</dt><dd>${counted(table.tolerance, 'hour')} a year with more in use than kept (<code>rightsizing.tolerance</code>)</dd>
${nothingToDo}${prices}${leftOut}</dl>
<p class="screen"><a href="api/v1/rightsizing?format=csv">All features as CSV</a></p>
</section>`;
}

/** The report. @param table what it is made of */
export function reportContent(table: AdviceTable, report: Report, frame: ReportFrame): Html {
  const { withoutPrices } = frame;
  const sums = isKnown(report)
    ? sumsHtml(report.totals)
    : html`<p class="unknown">How many licenses could go, are missing or run out is not known of any feature.</p>`;
  const known = isKnown(report)
    ? [couldGoHtml(report, frame), ...sectionNames.map((name) => sectionHtml(report[name], frame, sections[name]))]
    : [];
  return html`<h1>Right-sizing</h1>
<p class="soft">${dateText(table.day)}: advice on the number of licenses of ${counted(report.features, 'feature')}, from recorded use.</p>
${sums}
${isKnown(report) ? qualityHtml(table, report) : undefined}
${withoutPrices === undefined ? undefined : html`<p class="soft">${withoutPrices}</p>`}
${known}${lookBacksHtml(report, frame)}${reasonsHtml(report)}${basisHtml(table, report, frame)}`;
}

/** What is said before the first pass. */
export const notReadyContent = ({ message }: AdviceNotReady): Html =>
  html`<h1>Right-sizing</h1>\n<p class="note" role="status">${message.slice(0, 1).toUpperCase()}${message.slice(1)}.</p>`;
