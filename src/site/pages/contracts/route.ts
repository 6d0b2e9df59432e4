import { ExpiriesUnknown } from '../../../alerting/expiries/unknown-expiry.ts';
import type { PageLink } from '../../../base/html/frame.ts';
import { type Content, type Html, html, joined, nameHtml } from '../../../base/html/html.ts';
import { dateText } from '../../../base/model/local-time.ts';
import { runSliced } from '../../../base/scheduling/slices.ts';
import { numberText as count, countText } from '../../../base/texts.ts';
import {
  type ContractGroup,
  type Contracts,
  type ListedState,
  pricedIn,
  type Tally,
} from '../../../insight/contracts/contract-calendar.ts';
import { inventoryPage, type PageContext, written } from '../page.ts';
import { BadParameter, namedParameters } from '../parameters.ts';
import type { Routes } from '../routes.ts';
import { dayHtml, sentence, unbroken } from '../wording.ts';
import { blockHtml } from './block.ts';
import { type ContractData, type ContractRequest, contractRequestOf, readContractData } from './data.ts';
import { amountTexts, yearlyTexts } from './texts.ts';

/** The page of contracts: by when one must act, on which licenses, worth how much a year, and whose they are. */

/** Features that are listed. A page is written at once. */
const MAX_FEATURES = 1000;
/** Those of one row, which is written in one slice. */
const MAX_ROW_FEATURES = 200;
/** Vendor licenses with unknown expiries, and owners, that are listed. */
const MAX_UNKNOWN = 50;
const MAX_OWNERS = 50;

const titles: Readonly<Record<Exclude<ListedState, 'due'>, readonly [title: string, about: string]>> = {
  expired: ['Expired', 'Renew them, or remove them from the license file.'],
  'renewal passed': [
    'Renewal passed',
    'The renewal in the price file is past. Enter the next one in rightsizing.price_file.',
  ],
  'notice passed': [
    'Notice passed',
    'The last day of the notice is past, and the renewal is still to come. Ask the vendor whether the number can still be changed.',
  ],
};

/** `12 features, EUR 27,900 a year (of 10 with a price)` */
function tallyText(tally: Tally): string {
  const { lines } = tally;
  const amounts = yearlyTexts(tally);
  const valued = tally.worths['a year'];
  const of = amounts.length === 0 || valued === lines ? '' : ` (the value of ${count(valued)})`;
  return unbroken(`${[countText(lines, 'feature'), ...amounts].join(', ')}${of}`);
}

function groupTitle({ state, month, tally }: ContractGroup): Html {
  const sum = html` <small>${tallyText(tally)}</small>`;
  if (state === 'due') return html`<h2 id="month-${month ?? ''}">${month ?? ''}${sum}</h2>\n`;
  const [title, about] = titles[state];
  return html`<h2 id="${state.replace(' ', '-')}">${title}${sum}</h2>\n<p class="soft">${about}</p>\n`;
}

/** The groups as far as they are listed. */
function* groupsHtml(
  { groups, today }: Contracts,
  seen: { features: number; prices: number },
): Generator<void, Html[]> {
  const sections: Html[] = [];
  for (const group of groups) {
    const items: Html[] = [];
    for (const block of group.blocks) {
      const left = Math.min(MAX_ROW_FEATURES, MAX_FEATURES - seen.features);
      if (left <= 0) break;
      yield;
      items.push(blockHtml(block, today, left));
      const shown = Math.min(left, block.lines.length);
      seen.features += shown;
      seen.prices += Math.min(shown, pricedIn(block.tally));
    }
    const list =
      items.length === 0
        ? html`<p class="soft">Not listed here.</p>\n`
        : html`<ul class="rows contracts">\n${items}</ul>\n`;
    sections.push(html`${groupTitle(group)}${list}`);
  }
  return sections;
}

const tile = (mark: string, figure: Content, about: Content): Html =>
  html`<li class="is-${mark}"><strong>${figure}</strong><small>${about}</small></li>\n`;

function tilesHtml({ contracts, asked: { months }, unknown }: ContractData): Html {
  const { groups, due, undated } = contracts;
  const passed = groups.flatMap(({ state, tally }) =>
    state === 'due' ? [] : [tile('bad', countText(tally.lines, 'feature'), titles[state][0].toLowerCase())],
  );
  const next = groups.find(({ state }) => state === 'due')?.blocks[0]?.actBy;
  const period = `in ${countText(months, 'month')}`;
  const amounts = amountTexts(due).map(([amount, lines]) =>
    tile(
      'plain',
      unbroken(amount),
      `a year to decide about ${period}: ${count(lines)} of ${countText(due.lines, 'feature')}`,
    ),
  );
  // 0 of nothing that is known is no figure
  const isUnknown = due.lines === 0 && undated.lines.length + unknown.length > 0;
  const figure = isUnknown ? 'not known' : countText(due.lines, 'feature');
  const more = isUnknown || undated.lines.length === 0 ? '' : `; ${count(undated.lines.length)} more not known`;
  return html`<ul class="tiles sums">
${passed}${next === undefined ? undefined : tile('plain', dayHtml(dateText(next)), 'the next day to act')}${tile(isUnknown ? 'unknown' : 'plain', figure, `to act on ${period}${more}`)}${amounts}</ul>`;
}

/** What is missing, with the remedy. */
function gapsHtml({ contracts, unknown, withoutPrices }: ContractData): Html | undefined {
  const { listed, undated } = contracts;
  const of = (missing: number, what: string, remedy: Html): readonly Html[] =>
    missing === 0
      ? []
      : [
          html`<li><b>${count(missing)} of ${count(listed.lines)}</b> ${missing === 1 ? 'has' : 'have'} ${what}: ${remedy}</li>\n`,
        ];
  const noPrice = listed.worths['no price'];
  const noNumber = listed.worths['no number'];
  const items = [
    ...(withoutPrices === undefined
      ? of(noPrice, 'no price', html`add ${noPrice === 1 ? 'it' : 'them'} to <code>rightsizing.price_file</code>`)
      : []),
    ...of(noNumber, 'a price, but no number of licenses', html`the value is not known`),
    ...of(
      listed.withoutNotice,
      'no known notice',
      html`add <code>notice_days</code> in <code>rightsizing.price_file</code>`,
    ),
    ...of(
      listed.withoutOwner,
      'no owner',
      html`add ${listed.withoutOwner === 1 ? 'it' : 'them'} to <code>owners</code> or <code>owners_file</code>`,
    ),
    ...(undated.lines.length === 0
      ? []
      : [
          html`<li><b>${countText(undated.lines.length, 'more feature')}</b> ${undated.lines.length === 1 ? 'has' : 'have'} no known renewal and ${undated.lines.length === 1 ? 'is' : 'are'} not listed: add <code>renewal</code> in <code>rightsizing.price_file</code></li>\n`,
        ]),
  ];
  const reasons = unknown
    .slice(0, MAX_UNKNOWN)
    .map(({ vendorLicense, reason }) => html`<li>${nameHtml(vendorLicense)}: ${reason}</li>\n`);
  const more =
    unknown.length > MAX_UNKNOWN
      ? html`<li>and ${count(unknown.length - MAX_UNKNOWN)} more, which are in the CSV file</li>\n`
      : undefined;
  const incomplete =
    unknown.length === 0
      ? undefined
      : html`<div class="problem" role="alert"><p><b>Expiries of ${countText(unknown.length, 'vendor license')} are not all known.</b></p>\n<ul>\n${reasons}${more}</ul></div>\n`;
  const list = items.length === 0 ? undefined : html`<h2 id="gaps">Not known</h2>\n<ul>\n${items}</ul>\n`;
  return html`${incomplete}${list}`;
}

/** What has no day in the months of the page. */
function othersHtml({ permanent: { tally }, later, end }: Contracts): Html | undefined {
  if (tally.lines + later.lines === 0) return undefined;
  const text = (of: Tally, one: string, several: string, from?: Html): Html | undefined =>
    of.lines === 0
      ? undefined
      : html`<p>${countText(of.lines, `feature ${one}`, `features ${several}`)}${from}${valueText(of)}.</p>\n`;
  return html`<h2 id="others">Nothing to do now</h2>
${text(tally, 'never expires', 'never expire')}${text(later, 'is renewed or expires', 'are renewed or expire', html` from ${dayHtml(dateText(end))} on`)}`;
}

function valueText(tally: Tally): string {
  const amounts = yearlyTexts(tally);
  const valued = tally.worths['a year'];
  return amounts.length === 0
    ? ''
    : unbroken(`; ${count(valued)} of them cost${valued === 1 ? 's' : ''} ${amounts.join(' and ')}`);
}

/** An address of the contracts. */
function addressOf(path: string, { owner, months }: ContractRequest, format?: string): string {
  const query = new URLSearchParams({ ...(format !== undefined && { format }), months: `${months}` });
  for (const name of owner) query.append('owner', name);
  return `${path}?${query}`;
}

/** Links to the same for one owner. */
function ownersHtml({ asked }: ContractData, owners: readonly string[]): Html | undefined {
  if (owners.length === 0) return undefined;
  const link = (text: Content, owner: readonly string[]): Html => {
    const isCurrent = JSON.stringify(asked.owner) === JSON.stringify(owner);
    return html`<a href="${addressOf('contracts', { ...asked, owner })}"${isCurrent ? html` aria-current="true"` : undefined}>${text}</a>`;
  };
  const more = owners.length > MAX_OWNERS ? [`${count(owners.length - MAX_OWNERS)} more by the parameter owner`] : [];
  const links = [
    link('all', []),
    ...owners.slice(0, MAX_OWNERS).map((owner) => link(nameHtml(owner), [owner])),
    ...more,
    link('without an owner', ['']),
  ];
  return html`<p class="owners">Owner: ${joined(links, ' · ')}</p>\n`;
}

/** The files with the same content. */
const filesHtml = ({ asked }: ContractData): Html =>
  html`<p>All of them: <a href="${addressOf('api/v1/contracts', asked, 'csv')}">CSV file</a>, <a href="${addressOf('api/v1/contracts', asked, 'ics')}">calendar</a></p>\n`;

/** The page, and the number of features and sums on it that have an amount. */
export async function contractsContent(
  data: ContractData,
  owners: readonly string[],
): Promise<{ readonly content: Html; readonly prices: number }> {
  const { contracts, withoutPrices, withoutAdvice } = data;
  const { listed, today, end } = contracts;
  const seen = { features: 0, prices: 0 };
  const groups = await runSliced(groupsHtml(contracts, seen));
  const cut =
    seen.features >= listed.lines
      ? undefined
      : html`<p class="note">${count(seen.features)} of ${countText(listed.lines, 'feature')} are listed: those to act on first, and at most ${count(MAX_ROW_FEATURES)} of a row. All of them are in the CSV file.</p>\n`;
  const none =
    listed.lines === 0
      ? html`<p>Nothing is known to be renewed or to expire until ${dayHtml(dateText(end))}.</p>\n`
      : undefined;
  const content = html`<h1>Contracts</h1>
<p class="soft">${dayHtml(dateText(today))}: what is renewed or expires until ${dayHtml(dateText(end))}, by when to act, what it costs a year, and whose it is. A version of a feature counts as one.</p>
${tilesHtml(data)}
${ownersHtml(data, owners)}${filesHtml(data)}${withoutPrices === undefined ? undefined : html`<p class="soft">${sentence(withoutPrices)}</p>\n`}${withoutAdvice === undefined ? undefined : html`<p class="soft">${sentence(withoutAdvice)}</p>\n`}${gapsHtml(data)}${cut}${none}${groups}${othersHtml(contracts)}`;
  const sums = [
    contracts.due,
    contracts.permanent.tally,
    contracts.later,
    ...contracts.groups.map(({ tally }) => tally),
  ];
  return { content, prices: sums.reduce((all, { values }) => all + values.size, seen.prices) };
}

/** The contract calendar. The parameters are those of `/api/v1/contracts`. */
export const contractsRoutes = (context: PageContext, link: PageLink): Routes =>
  inventoryPage(context, async ({ request, backend, inventory }) => {
    const refuse = (status: number, text: string) => ({
      status,
      page: link,
      content: html`<h1>Contracts</h1>\n<p class="note" role="status">${text}</p>`,
    });
    try {
      const { owner, months } = namedParameters(request.query, ['months', 'owner']);
      const data = await readContractData(backend, inventory, contractRequestOf(owner, months, backend));
      const owners = backend.owners().entries.flatMap(({ labels }) => labels.owner ?? []);
      const { content, prices } = await contractsContent(data, [...new Set(owners)].sort());
      backend.prices.onServed(prices);
      return written(link, content);
    } catch (error) {
      if (error instanceof BadParameter) return refuse(400, sentence(error.message));
      if (error instanceof ExpiriesUnknown) return refuse(503, `Expiries are not known: ${error.message}`);
      throw error;
    }
  });
