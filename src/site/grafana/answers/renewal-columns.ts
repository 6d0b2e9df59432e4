import { expiryDay } from '../../../base/model/expiry-day.ts';
import { dateText, type LocalTime } from '../../../base/model/local-time.ts';
import { numberText } from '../../../base/texts.ts';
import type { Proposal, Proposals } from '../../../insight/advice/pass/proposals.ts';
import type { Dates, Effect } from '../../../insight/advice/pass/renewal.ts';
import { amountText } from '../../../insight/advice/pass/totals.ts';
import { text } from './panel-data.ts';
import type { Cells } from './table-view.ts';

/** Columns of `rightsizing` for a list by renewal, in which advice of all states is beside each other. */

/** What comes of licenses that could go, in the words of the totals. */
function spareText(proposal: Proposal, { dates }: Proposals): string {
  if (proposal.advice.confidence === 'provisional') return ', maybe';
  switch (dates(proposal).effect) {
    case 'at renewal':
      return ' could go';
    case 'maintenance only':
      return ', permanent';
    case 'too late':
      return ', notice passed';
  }
}

const counted = (count: number | undefined, state: string): string =>
  count === undefined ? state.replace(/^\W+/, '') : `${numberText(count)}${state}`;

/** What to do about the licenses of a feature; `null` if nothing is. */
function adviceText(proposal: Proposal, proposals: Proposals): string | null {
  const { state, count, runsOut } = proposal.advice;
  switch (state) {
    case 'could go':
      return counted(count, spareText(proposal, proposals));
    case 'missing':
      return counted(count, ' missing');
    case 'reserved':
      return 'reserved too many';
    case 'unused':
      return 'no use seen';
    case 'tight':
    case 'fine':
      return runsOut === undefined ? null : `runs out ${dateText(runsOut.day)}`;
    case 'not enough data':
    case 'no advice':
      return null;
  }
}

/** What it comes to in a year, in the currency of the price; `null` without an amount. */
function moneyText({ advice, money }: Proposal, effect: Effect): string | null {
  const { saving, cost, currency } = money;
  switch (advice.state) {
    case 'missing':
      return cost === undefined ? null : `costs ${amountText(cost, currency)}`;
    case 'could go': {
      if (effect === 'maintenance only' || saving === undefined) return null;
      const amount = amountText(saving, currency);
      return effect === 'too late' ? `${amount} too late` : `saves ${amount}`;
    }
    case 'reserved':
    case 'unused':
    case 'tight':
    case 'fine':
    case 'not enough data':
    case 'no advice':
      return null;
  }
}

/** The last day on which something can be done: that of the notice, else of the renewal; `null` where it is too late, or without one. */
function actBy({ advice }: Proposal, { renewal, notice, effect }: Dates, { timeZone }: LocalTime): string | null {
  if (advice.state === 'could go' && effect !== 'at renewal') return null;
  switch (notice.kind) {
    case 'by':
      return dateText(notice.day);
    case 'passed':
      return null;
    case 'unknown':
    case 'none':
      return renewal.kind === 'on' ? (expiryDay(renewal.at, timeZone) ?? null) : null;
  }
}

export const renewalCells = (proposals: Proposals, localTime: LocalTime): Cells<Proposal> => [
  [text('Advice'), (proposal) => adviceText(proposal, proposals), 'asked'],
  [text('Act by'), (proposal) => actBy(proposal, proposals.dates(proposal), localTime), 'asked'],
  [text('Money'), (proposal) => moneyText(proposal, proposals.dates(proposal).effect), 'asked'],
];
