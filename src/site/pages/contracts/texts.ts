import { dateText } from '../../../base/model/local-time.ts';
import { numberText as count } from '../../../base/texts.ts';
import { amountText } from '../../../insight/advice/pass/totals.ts';
import type { Tally } from '../../../insight/contracts/contract-calendar.ts';
import type { ContractLine, Worth } from '../../../insight/contracts/contract-line.ts';

/** What the page, the table and the calendar of contracts say in the same words. */

/** `EUR 12,000 a year`, or why that is not known; empty where no prices are shown. */
export function worthText(worth: Worth): string {
  switch (worth.kind) {
    case 'a year':
      return `${amountText(Math.round(worth.amount), worth.currency)} a year`;
    case 'once':
      return 'bought once';
    case 'of another':
      return 'in the price of its package or token pool';
    case 'no price':
      return 'price not known';
    case 'no number':
      return 'no value without a number of licenses';
    case 'not shown':
      return '';
  }
}

/** `EUR 12,000`, for each currency, with the number of lines. */
export const amountTexts = ({ values }: Tally): readonly (readonly [text: string, lines: number])[] =>
  [...values.keys()].sort().map((currency) => {
    const { amount = 0, lines = 0 } = values.get(currency) ?? {};
    return [amountText(Math.round(amount), currency), lines];
  });

/** `EUR 12,000 a year`, for each currency. */
export const yearlyTexts = (tally: Tally): readonly string[] => amountTexts(tally).map(([text]) => `${text} a year`);

/** `4 of 20 could go`; empty without advice. */
export function adviceText({ advice, licenses }: Pick<ContractLine, 'advice' | 'licenses'>): string {
  if (advice === undefined) return '';
  const { state, count: changed, bought } = advice;
  const scope = bought === undefined || bought === licenses ? '' : ' in all versions';
  if (state === 'unused') return `unused, to be confirmed${scope}`;
  if (state === 'missing') return `${changed === undefined ? 'licenses are' : count(changed)} missing${scope}`;
  const of = bought === undefined ? '' : ` of ${count(bought)}`;
  return `${changed === undefined ? 'some' : count(changed)}${of} could go${scope}`;
}

/** The day of the renewal; `undefined` if it is not known. */
export const renewalText = ({ renewal }: Pick<ContractLine, 'renewal'>): string | undefined =>
  renewal.kind === 'on' ? dateText(renewal.day) : undefined;

/** The last day of the notice; `undefined` if it is not known. */
export const noticeText = ({ notice }: Pick<ContractLine, 'notice'>): string | undefined =>
  notice.kind === 'by' || notice.kind === 'passed' ? dateText(notice.day) : undefined;

/** `2027-03-31`, `never`; `undefined` if it is not known. */
export function expiresText({ expires }: Pick<ContractLine, 'expires'>): string | undefined {
  if (expires === 'not known') return undefined;
  return expires === 'never' ? expires : dateText(expires);
}
