import { licensesText } from '../../../alerting/expiries/calendar.ts';
import { type Html, html, joined, nameHtml } from '../../../base/html/html.ts';
import { dateText } from '../../../base/model/local-time.ts';
import { numberText as count, countText, dayDistanceText } from '../../../base/texts.ts';
import type { ContractBlock } from '../../../insight/contracts/contract-calendar.ts';
import { type ContractLine, lacksNotice } from '../../../insight/contracts/contract-line.ts';
import { featureUrl, vendorLicenseUrl } from '../links.ts';
import { dayHtml, unbroken } from '../wording.ts';
import { adviceText, expiresText, renewalText, worthText, yearlyTexts } from './texts.ts';

/** Licenses with the same dates, vendor license and owner: one row of the page. */

/** Names of a row that opens. */
const MAX_NAMES = 4;

/** What the day of a block is. */
function meaningOf({ state, notice, actBy, expires }: ContractBlock): string {
  switch (state) {
    case 'expired':
      return 'expired';
    case 'renewal passed':
      return 'renewal';
    case 'notice passed':
      return 'notice until';
    case 'due':
      if (expires === actBy) return 'expires';
      return notice.kind === 'by' ? 'notice until' : 'renewal';
  }
}

function actHtml(block: ContractBlock, today: number): Html {
  const { actBy, state } = block;
  const mark = state !== 'due' ? 'bad' : actBy - today <= 30 ? 'warn' : 'number';
  return html`<small>${meaningOf(block)}</small> <b>${dayHtml(dateText(actBy))}</b><br><span class="${mark}">${dayDistanceText(actBy - today)}</span>`;
}

/** The days that are not the one in front. */
function datesHtml(block: ContractBlock): Html {
  const [renewed, expires] = [renewalText(block), expiresText(block)];
  const parts: Html[] = [];
  if (renewed !== undefined && renewed !== expires) parts.push(html`renewal ${dayHtml(renewed)}`);
  if (expires === undefined) parts.push(html`<span class="unknown">expiry not known</span>`);
  else if (block.expires !== block.actBy)
    parts.push(expires === 'never' ? html`never expires` : html`expires ${dayHtml(expires)}`);
  if (lacksNotice(block)) parts.push(html`<span class="unknown">notice not known</span>`);
  return html`${joined(parts, html`<br>`)}`;
}

function lineHtml(line: ContractLine, isAlone: boolean): Html {
  const { feature, version, package: pkg, featureType, licenses, worth, advice } = line;
  const details = [
    ...(version === '' ? [] : [html`version ${nameHtml(version)}`]),
    ...(pkg === '' ? [] : [html`package ${nameHtml(pkg)}`]),
    ...(featureType === '' || featureType === 'feature' ? [] : [html`${featureType}`]),
    html`${licensesText(licenses)}`,
    // one that stands alone has it beside it
    ...(isAlone || worth.kind === 'not shown' ? [] : [html`${unbroken(worthText(worth))}`]),
  ];
  const advised = advice === undefined ? undefined : html` · <a href="rightsizing">${adviceText(line)}</a>`;
  return html`<a href="${featureUrl(line)}">${nameHtml(feature)}</a> <small>${joined(details, ' · ')}${isAlone ? undefined : advised}</small>`;
}

/** @param most features that are listed */
function whatHtml({ lines, vendorLicense, owner }: ContractBlock, most: number): Html {
  const [first] = lines;
  const whose = html`<small><a href="${vendorLicenseUrl(vendorLicense)}">${nameHtml(vendorLicense)}</a> · ${
    owner === undefined ? html`<span class="unknown">no owner</span>` : html`owner ${nameHtml(owner)}`
  }</small>`;
  if (first !== undefined && lines.length === 1) return html`${lineHtml(first, true)}<br>${whose}`;
  const names = [...new Set(lines.slice(0, 2 * MAX_NAMES).map(({ feature }) => feature))].slice(0, MAX_NAMES);
  const rest = lines.length > names.length ? ', …' : '';
  const left = lines.length - most;
  const more = left > 0 ? html`<li>and ${count(left)} more, which are in the CSV file</li>\n` : undefined;
  return html`<details><summary><b>${countText(lines.length, 'feature')}</b>: ${joined(names.map(nameHtml), ', ')}${rest}</summary>
<ul>\n${lines.slice(0, most).map((line) => html`<li>${lineHtml(line, false)}</li>\n`)}${more}</ul></details>${whose}`;
}

function valueHtml({ lines, tally }: ContractBlock): Html {
  const [first] = lines;
  const advised = lines.filter(({ advice }) => advice !== undefined);
  const adviceHtml =
    advised.length === 0
      ? undefined
      : html`<br><a href="rightsizing">${
          first !== undefined && lines.length === 1
            ? adviceText(first)
            : `advice on ${countText(advised.length, 'feature')}`
        }</a>`;
  if (first !== undefined && lines.length === 1) {
    const text = unbroken(worthText(first.worth));
    return html`${first.worth.kind === 'a year' ? html`<b>${text}</b>` : html`<span class="soft">${text}</span>`}${adviceHtml}`;
  }
  const { worths } = tally;
  const others = [
    ...(worths['no price'] === 0 ? [] : [`${count(worths['no price'])} without a price`]),
    ...(worths.once === 0 ? [] : [`${count(worths.once)} bought once`]),
    ...(worths['no number'] === 0 ? [] : [`${count(worths['no number'])} without a number of licenses`]),
    ...(worths['of another'] === 0 ? [] : [`${count(worths['of another'])} in the price of a package or token pool`]),
  ];
  const parts = [
    ...yearlyTexts(tally).map((text) => html`<b>${unbroken(text)}</b>`),
    ...others.map((text) => html`<small>${text}</small>`),
  ];
  return html`${joined(parts, html`<br>`)}${adviceHtml}`;
}

/** @param today local day @param most features that are listed */
export const blockHtml = (block: ContractBlock, today: number, most: number): Html =>
  html`<li${block.state === 'due' ? undefined : html` class="is-bad"`}><div>${actHtml(block, today)}</div><div>${whatHtml(block, most)}</div>
<div class="number">${datesHtml(block)}</div><div class="number">${valueHtml(block)}</div></li>\n`;
