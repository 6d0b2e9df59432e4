import { type PageLink, pageHtml } from '../../../base/html/frame.ts';
import { type Content, type Html, html, joined, nameHtml } from '../../../base/html/html.ts';
import { dateText } from '../../../base/model/local-time.ts';
import { numberText as count, countText } from '../../../base/texts.ts';
import { isYearAgo } from '../../../insight/advice/method/back-test.ts';
import { AdviceNotReady } from '../../../insight/advice/pass/proposals.ts';
import type { Effect } from '../../../insight/advice/pass/renewal.ts';
import {
  type CouldGo,
  createReport,
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
  provisionalText,
  RUN_OUT_DAYS,
  spareLicenses,
  type Totals,
} from '../../../insight/advice/pass/totals.ts';
import { sendPage } from '../../web/page-answers.ts';
import { viewerOf } from '../../web/server.ts';
import { vendorLicenseUrl } from '../links.ts';
import type { PageContext } from '../page.ts';
import type { Routes } from '../routes.ts';
import { dayHtml, unbroken } from '../wording.ts';
import {
  couldGoLine,
  itemHtml,
  type Line,
  lookBackHtml,
  missingLine,
  provisionalLine,
  type ReportFrame,
  reservedLine,
  runsOutLine,
  unusedLine,
} from './items.ts';
import { basisHtml, namedHtml } from './print.ts';

/** The report as a page: without scripts, to be read on a screen. Printed, it is one page of A4 with what a purchaser needs. */

type LineOf = (item: ReportItem) => Line;

/** Lines that one page of paper has for lists, with their titles and their groups, and how many of each list it shows. */
const PAPER_LINES = 30;
const TITLE_LINES = 2;
const GROUP_LINES = 0.8;
const PRINTED_GROUPS = 6;
const PRINTED_ROWS = 3;
/** Of what could go at a renewal. */
const PRINTED_LEAST = 2;
/** Of what saves nothing at a renewal. */
const PRINTED_UNSAVED = 2;

const moreHtml = (shown: number, total: number, by: string): Html | undefined =>
  shown === total
    ? undefined
    : html`<p class="soft screen">${count(shown)} of ${count(total)}, ${by}. All of them are in the CSV file.</p>`;

/** @param lineOf its phrases are short if it is `couldGoLine`, so that names have more room */
const listHtml = (
  items: readonly ReportItem[],
  frame: ReportFrame,
  lineOf: LineOf,
  printed: ReadonlySet<ReportItem>,
): Html =>
  html`<ul class="rows advice${lineOf === couldGoLine ? ' dated' : ''}">\n${items.map((item) => itemHtml(item, frame, lineOf(item), printed.has(item)))}</ul>`;

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
  const heading =
    printed === 0
      ? html`<h2 class="screen">${title}</h2>`
      : html`<h2>${title}${printedHtml(total, Math.min(printed, items.length))}</h2>`;
  if (total === 0) return empty === undefined ? html`` : html`${heading}\n<p class="screen">${empty}</p>\n`;
  const rows = html`<p class="soft screen">${about}</p>${moreHtml(items.length, total, by)}\n${listHtml(items, frame, line, new Set(items.slice(0, printed)))}\n`;
  if (isFolded)
    return html`${heading}\n<details class="screen"><summary>${countText(total, 'feature')}</summary>${rows}</details>\n`;
  return html`${heading}\n${rows}`;
}

/** That not all rows are on paper. */
const printedHtml = (total: number, printed: number): Html | undefined =>
  total <= printed
    ? undefined
    : html`<span class="paper soft"> ${count(printed)} of ${count(total)}, the others on the page</span>`;

/** `12 licenses, EUR 27,900 a year` */
const subtotalText = ({ licenses, amounts }: Subtotal): string =>
  unbroken(
    [
      countText(licenses, 'license'),
      ...[...amounts].map(([currency, amount]) => `${amountText(Math.round(amount), currency)} a year`),
    ].join(', '),
  );

/** Whether advice on any feature is known. */
const isKnown = ({ withoutAdvice, features }: Report): boolean => withoutAdvice < features;

/** What is said of licenses that could go, by what comes of dropping them. */
const couldGoSections: Readonly<
  Record<Effect, { readonly title: string; readonly about: string; readonly empty?: string }>
> = {
  'at renewal': {
    title: 'Could go',
    about:
      'What is kept was enough in the last year, but for the tolerated hours, and is enough for the coming one with a chance of 9 in 10.',
    empty: 'No feature has licenses that could go at a renewal with high confidence.',
  },
  'maintenance only': {
    title: 'Permanent licenses that could go',
    about: 'They never expire, or were bought once. What they cost a year is in no saving.',
  },
  'too late': {
    title: 'Notice passed',
    about:
      'These licenses could go, but their number for the next renewal had to be announced. Ask the vendor whether it can still be changed. They are in no saving.',
  },
};

/** Lines on paper for licenses that could go: what the other lists leave, and not none. */
function linesOf({ couldGo, missing, runsOut, reasons }: Report, effect: Effect): number {
  if (effect !== 'at renewal') return PRINTED_UNSAVED;
  const groupLines = (one: Effect): number => GROUP_LINES * Math.min(couldGo[one].groups.length, PRINTED_GROUPS);
  const linesFor = (rows: number, most: number): number => (rows === 0 ? 0 : TITLE_LINES + Math.min(rows, most));
  const lists = [missing.count, runsOut.count, reasons.length].map((rows) => linesFor(rows, PRINTED_ROWS));
  const used = [...lists, ...unsaved.map((one) => linesFor(couldGo[one].count, PRINTED_UNSAVED))];
  const groups = [effect, ...unsaved].map(groupLines);
  return Math.max(PRINTED_LEAST, Math.floor([...used, ...groups].reduce((left, lines) => left - lines, PAPER_LINES)));
}

/** The groups on paper, where their rows have no headings. */
function printedGroupsHtml({ groups }: CouldGo): Html {
  const shown = groups.slice(0, PRINTED_GROUPS).map((group) => html`<b>${group.name}:</b> ${subtotalText(group)}`);
  const more = groups.length - shown.length;
  return html`<p class="paper">${joined(shown, '; ')}${more > 0 ? `; and ${countText(more, 'later date')}` : undefined}.</p>`;
}

const picture = html`<span class="screen"> Bars: the peak of each week of the last year; lines: what is bought, and what is kept.</span>`;

function couldGoHtml(report: Report, frame: ReportFrame, effect: Effect): Html {
  const { groups, items, count: total, vendorLicenses, vendorLicenseCount } = report.couldGo[effect];
  const { title, about, empty } = couldGoSections[effect];
  if (total === 0) return empty === undefined ? html`` : html`<h2>${title}</h2>\n<p>${empty}</p>\n`;
  const printed = new Set(items.slice(0, linesOf(report, effect)));
  const lists = groups.map(
    (group) =>
      html`<h3 class="screen">${group.name} <span class="soft">${subtotalText(group)}</span></h3>\n${listHtml(group.items, frame, couldGoLine, printed)}\n`,
  );
  const licenses = vendorLicenses.map(
    (one) =>
      html`<tr><th scope="row"><a href="${vendorLicenseUrl(one.name)}">${nameHtml(one.name)}</a></th><td>${countText(one.features, 'feature')}</td><td>${subtotalText(one)}</td></tr>\n`,
  );
  const byVendorLicense = html`<details class="screen"><summary>By vendor license</summary>${moreHtml(vendorLicenses.length, vendorLicenseCount, 'those that cost most')}
<table class="counts">\n${licenses}</table></details>\n`;
  return html`<h2>${title}${printedHtml(total, printed.size)}</h2>\n<p class="soft${effect === 'at renewal' ? '' : ' screen'}">${about}${effect === 'at renewal' ? picture : undefined}</p>
${moreHtml(items.length, total, 'by what they cost and number of licenses')}\n${printedGroupsHtml(report.couldGo[effect])}\n${lists}
${effect === 'at renewal' ? byVendorLicense : undefined}`;
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
    const cost = covered === undefined ? undefined : html`<td>${unbroken(amounts)}</td>`;
    return html`<tr${i < PRINTED_ROWS ? undefined : html` class="screen"`}><td>${count(features)}</td>${cost}<td>${unbroken(example)}${more}</td></tr>\n`;
  });
  const printed = reasons.slice(0, PRINTED_ROWS).reduce((sum, { count: features }) => sum + features, 0);
  const unprinted = withoutAdvice - printed;
  return html`<h2>Not covered</h2>\n<p class="soft">${countText(withoutAdvice, 'feature')} without advice, by reason${covered === undefined ? undefined : ', with what their licenses cost a year'}.</p>${moreHtml(reasons.length, reasonCount, 'those that cost most')}
<table class="counts">\n${rows}</table>\n${unprinted > 0 ? html`<p class="paper">${countText(unprinted, 'more feature')} for other reasons.</p>\n` : undefined}`;
}

/** When there will be advice on features of which too little is recorded. */
function waitingHtml({ waiting }: Report): Html {
  if (waiting.length === 0) return html``;
  const rows = waiting.map(
    ({ day, features }) =>
      html`<li>${countText(features, 'feature')}: ${day === undefined ? 'not known when' : html`from ${dayHtml(dateText(day))} on, if every day is recorded`}</li>\n`,
  );
  return html`<h2 class="screen">Not enough data until</h2>\n<ul class="screen">${rows}</ul>\n`;
}

/** `EUR 12,000, USD 300 a year`; `undefined` without a price. */
function spareAmountText({ currencies }: Totals, effect: Effect): string | undefined {
  const amounts = currencies.flatMap(({ currency, spare }) => {
    const { amount } = spare[effect];
    return amount === undefined ? [] : [amountText(Math.round(amount), currency)];
  });
  return amounts.length === 0 ? undefined : `${amounts.join(', ')} a year`;
}

const tileHtml = (figure: string, text: string, note?: string): Html =>
  html`<li><strong>${unbroken(figure)}</strong> ${text}${note === undefined ? undefined : html` <small>(${unbroken(note)})</small>`}</li>\n`;

/** A tile for licenses that could go, but save nothing at a renewal; none without them. */
function unsavedHtml(totals: Totals, effect: Exclude<Effect, 'at renewal'>): Html | undefined {
  const licenses = spareLicenses(totals, effect);
  if (licenses === 0) return undefined;
  const amount = spareAmountText(totals, effect);
  const features = totals.currencies.reduce(
    (sum, { spare }) => sum + (spare[effect].amount === undefined ? 0 : spare[effect].features),
    0,
  );
  const priced = amount === undefined ? [] : [`${amount} with a price: ${count(features)} of`];
  const note = [...priced, countText(totals.couldGo[effect], 'feature')].join(' ');
  const text =
    effect === 'maintenance only'
      ? 'could go, but are permanent: that saves only maintenance'
      : 'could go, but notice has passed';
  return tileHtml(countText(licenses, 'license'), text, note);
}

function sumsHtml(totals: Totals): Html {
  const { couldGo, missing, runOut, advised, currencies } = totals;
  const priced = (features: number, of: number): string =>
    `with a price: ${count(features)} of ${countText(of, 'feature')}`;
  const [atRenewal, licenses] = [couldGo['at renewal'], spareLicenses(totals, 'at renewal')];
  const savings = currencies.map(({ currency, spare }) => {
    const { amount, features } = spare['at renewal'];
    if (amount === undefined) return undefined;
    return tileHtml(amountText(Math.round(amount), currency), 'a year could be saved', priced(features, atRenewal));
  });
  const costs = currencies.map(({ currency, cost, missingFeatures }) => {
    if (cost === undefined) return undefined;
    const figure = amountText(Math.round(cost), currency);
    return tileHtml(figure, 'in the first year for missing licenses', priced(missingFeatures, missing));
  });
  const boxes: Content[] = [
    licenses === 0
      ? tileHtml('No license', 'could go at a renewal for certain')
      : tileHtml(countText(licenses, 'license'), `of ${countText(atRenewal, 'feature')} could go at a renewal`),
    savings,
    unsavedHtml(totals, 'maintenance only'),
    unsavedHtml(totals, 'too late'),
    tileHtml(countText(missing, 'feature'), missing === 1 ? 'lacks licenses' : 'lack licenses'),
    costs,
    tileHtml(
      countText(runOut, 'feature'),
      `${runOut === 1 ? 'runs' : 'run'} out of licenses within ${RUN_OUT_DAYS} days`,
      `of ${count(advised)} with advice`,
    ),
  ];
  const provisional = provisionalText(totals);
  return html`<ul class="tiles sums">${boxes}</ul>${provisional === undefined ? undefined : html`\n<p>${provisional}.</p>`}`;
}

/** How good the advice is: what it covers, and what would have come of it a year ago and in the months since then. */
function qualityHtml({ backTest, day }: AdviceTable, { totals }: Report): Html {
  const newer = backTest.filter(({ origin }) => !isYearAgo(origin, day) && origin < day);
  const rows = newer.map(
    ({ origin, features, shortFeatures, shortDays }) =>
      html`<tr><th scope="row">${dayHtml(dateText(origin))}</th><td>${count(features)}</td><td>${count(shortFeatures)}</td><td>${count(shortDays)}</td></tr>\n`,
  );
  const months =
    rows.length === 0
      ? undefined
      : html`<details class="screen"><summary>What would have come of the advice of newer months, until now</summary>
<table class="counts"><tr><th scope="col">Advice of</th><th scope="col">Features that could give back</th><th scope="col">Features short since then</th><th scope="col">Days short, all together</th></tr>\n${rows}</table></details>\n`;
  const covered = coveredText(totals);
  const sentences = [
    ...(totals.applied === undefined ? [] : [`${appliedText(totals.applied)}.`]),
    ...(covered === undefined ? [] : [`Features with advice cost ${covered}.`]),
  ];
  return html`${sentences.length === 0 ? undefined : html`<p>${unbroken(sentences.join(' '))}</p>\n`}${months}`;
}

const unsaved = ['maintenance only', 'too late'] as const satisfies readonly Effect[];
const sectionNames = ['missing', 'provisional', 'reserved', 'runsOut', 'unused'] as const;

const sections: Readonly<Record<(typeof sectionNames)[number], Section>> = {
  missing: {
    title: 'Missing',
    about:
      'Requests were refused for want of licenses at a rate of more than 12 days a year, or the licenses are in use too often.',
    by: 'by cost and number of licenses',
    empty: 'No feature is seen to have too few licenses.',
    line: missingLine,
    printed: PRINTED_ROWS,
  },
  provisional: {
    isFolded: true,
    title: 'Could go, provisional',
    about:
      'Use may rise, or less than a year is recorded, or reservations that are not recorded could change the number: each sentence says why. These features are in no total.',
    by: 'by saving and number of licenses',
    line: provisionalLine,
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
    printed: PRINTED_ROWS,
  },
  unused: {
    title: 'Unused, to be confirmed',
    about:
      'No use was seen in the samples. Short use between two samples is not seen: ask before you cancel. These features are in no total.',
    by: 'by number of licenses',
    line: unusedLine,
  },
};

/** The report. @param table what it is made of */
export function reportContent(table: AdviceTable, report: Report, frame: ReportFrame): Html {
  const { withoutPrices } = frame;
  const sums = isKnown(report)
    ? html`${sumsHtml(report.totals)}\n${qualityHtml(table, report)}`
    : html`<p class="unknown">How many licenses could go, are missing or run out is not known of any feature.</p>`;
  const known = isKnown(report)
    ? [
        couldGoHtml(report, frame, 'at renewal'),
        ...unsaved.map((effect) => couldGoHtml(report, frame, effect)),
        ...sectionNames.map((name) => sectionHtml(report[name], frame, sections[name])),
        namedHtml(report),
      ]
    : [];
  return html`<h1>Right-sizing</h1>
<p class="soft">${dateText(table.day)}: advice on the number of licenses of ${countText(report.features, 'feature')}, all versions of each together, from recorded use.</p>
${sums}
${withoutPrices === undefined ? undefined : html`<p class="soft">${withoutPrices}</p>`}
${known}${waitingHtml(report)}${lookBacksHtml(report, frame)}${reasonsHtml(report)}${basisHtml(table, report, frame, isKnown(report))}`;
}

/** What is said before the first pass. */
const notReadyContent = ({ message }: AdviceNotReady): Html =>
  html`<h1>Right-sizing</h1>\n<p class="note" role="status">${message.slice(0, 1).toUpperCase()}${message.slice(1)}.</p>`;

/** How often the page asks again while the first pass runs, seconds. */
const ASK_AGAIN = 2;

/** The report. Before the first pass, it is loaded again while the pass runs. */
export const rightsizingRoutes = ({ site, backend, url }: PageContext, link: PageLink): Routes => ({
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
        url: `${url()}/${link.path}`,
        user: viewerOf(request)?.user,
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
