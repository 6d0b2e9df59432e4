import { type Html, html, joined, nameHtml } from '../../../base/html/html.ts';
import { dateText } from '../../../base/model/local-time.ts';
import { numberText as count, countText } from '../../../base/texts.ts';
import { MOST_SHORT_DAYS } from '../../../insight/advice/method/back-test.ts';
import type { Proposal } from '../../../insight/advice/pass/proposals.ts';
import type { Report } from '../../../insight/advice/pass/report.ts';
import type { AdviceTable } from '../../../insight/advice/pass/rightsizing.ts';
import { amountText, appliedText } from '../../../insight/advice/pass/totals.ts';
import { dayHtml } from '../wording.ts';
import type { ReportFrame } from './items.ts';

/** What the report rests on, and what one who reads it on paper cannot open: names, people and the address of the page. */

/** Names in a sentence on paper. */
const MAX_NAMES = 8;
/** The same with amounts. */
const MAX_AMOUNTS = 4;
const MAX_OWNERS = 6;

/** `a, b and 7 more` */
function namesHtml(names: readonly Html[], total: number): Html {
  const more = total > names.length ? ` and ${count(total - names.length)} more` : undefined;
  return html`${joined(names, ', ')}${more}`;
}

/** Features whose licenses may be too many, by the reason why that is not certain. */
function provisionalHtml({ provisional }: Report): Html | undefined {
  if (provisional.count === 0) return undefined;
  const named = provisional.items.slice(0, MAX_NAMES).map(({ proposal }) => proposal.advice);
  const groups = [...Map.groupBy(named, ({ uncertainties }) => uncertainties.join(' and '))].map(([because, of]) => {
    const names = of.map((advice) => html`${nameHtml(advice.feature)} (${count(advice.count ?? 0)})`);
    return html`${joined(names, ', ')}, because ${because}`;
  });
  const more = provisional.count > named.length ? `; and ${count(provisional.count - named.length)} more` : undefined;
  return html`<p class="paper"><b>Not certain yet, in no total:</b> ${joined(groups, '; ')}${more}.</p>\n`;
}

function tightHtml({ tight }: Report): Html | undefined {
  if (tight.length === 0) return undefined;
  const names = tight.slice(0, MAX_NAMES).map(({ advice }) => nameHtml(advice.feature));
  return html`<p class="paper"><b>With little room, none to give back:</b> ${namesHtml(names, tight.length)}.</p>\n`;
}

function unusedHtml({ unused }: Report): Html | undefined {
  if (unused.count === 0) return undefined;
  const names = unused.items.slice(0, MAX_AMOUNTS).map(({ proposal: { advice, money } }) => {
    const cost =
      money.contract === undefined ? '' : ` (${amountText(Math.round(money.contract), money.currency)} a year)`;
    return html`${nameHtml(advice.feature)}${cost}`;
  });
  return html`<p class="paper"><b>Unused, to be confirmed:</b> ${namesHtml(names, unused.count)}.</p>\n`;
}

/** What the page has in lists that are not printed. */
export const namedHtml = (report: Report): Html =>
  html`${provisionalHtml(report)}${tightHtml(report)}${unusedHtml(report)}`;

/** Who knows whether the licenses of the report are needed. */
function ownersHtml({ couldGo, missing, runsOut }: Report, { ownerOf }: ReportFrame): Html | undefined {
  const items = [...Object.values(couldGo), missing, runsOut].flatMap((one) => one.items);
  const proposals = new Set<Proposal>(items.map(({ proposal }) => proposal));
  if (proposals.size === 0) return undefined;
  const owners = Map.groupBy(proposals, ({ advice }) => ownerOf(advice.vendorLicense, advice.feature));
  const named = [...owners].flatMap(([owner, of]) => (owner === undefined ? [] : [{ owner, features: of.length }]));
  if (named.length === 0) return html`<dt>Whom to ask</dt><dd>no owner is named: set <code>owners</code></dd>\n`;
  const names = named
    .sort((a, b) => b.features - a.features)
    .slice(0, MAX_OWNERS)
    .map(({ owner, features }) => html`${nameHtml(owner)} (${countText(features, 'feature')})`);
  const without = owners.get(undefined)?.length ?? 0;
  const rest = without === 0 ? undefined : `; ${countText(without, 'feature')} without an owner`;
  return html`<dt>Whom to ask</dt><dd>${namesHtml(names, named.length)}${rest}</dd>\n`;
}

/** What following the advice may cost. */
const riskHtml = ({ tolerance }: AdviceTable): Html =>
  html`<dt>If it is wrong</dt><dd>Requests are refused. What is kept is meant to leave refusals on at most ${MOST_SHORT_DAYS} days of the coming year, with a chance of 9 in 10. In the last year, more than what is kept was in use for at most ${countText(tolerance, 'hour')} (<code>rightsizing.tolerance</code>). What a refused request costs is not known here</dd>\n`;

export function basisHtml(table: AdviceTable, report: Report, frame: ReportFrame, isKnown: boolean): Html {
  const { withoutPrices, url, user } = frame;
  const { tight, fine, totals } = report;
  const nothingToDo = isKnown
    ? html`<dt>Nothing to do</dt><dd>${countText(fine, 'feature')} with enough licenses; ${count(tight.length)} more with little room</dd>\n`
    : undefined;
  const leftOut =
    table.leftOut === 0
      ? undefined
      : html`<dt>Left out</dt><dd>${countText(table.leftOut, 'feature')}, because of <code>rightsizing.max_features</code></dd>\n`;
  const prices = withoutPrices === undefined ? undefined : html`<dt>Prices</dt><dd>${withoutPrices}</dd>\n`;
  const untried =
    isKnown && totals.applied === undefined
      ? html`<dt>Tried on the past</dt><dd>${appliedText(undefined)}</dd>\n`
      : undefined;
  return html`<section class="basis">
<p>The advice is computed from the recorded use of each feature: it keeps what the last year needed, and what the coming one needs by the level, growth, steps and seasons of up to two years. Idle and borrowed licenses count as use. Use between two samples is not seen. A full pool hides demand. The advice does not know contracts, projects or plans.</p>
<dl><dt>Computed</dt><dd>${new Date(table.computedAt * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC, from the days before ${dayHtml(dateText(table.day))}</dd>
${isKnown ? riskHtml(table) : undefined}${untried}${nothingToDo}${prices}${leftOut}${ownersHtml(report, frame)}</dl>
<p class="screen"><a href="api/v1/rightsizing?format=csv">All features as CSV</a></p>
<p class="paper">The page, with the reason of each line: ${url}${user === undefined ? undefined : html`. Printed for ${nameHtml(user)}`}</p>
</section>`;
}
