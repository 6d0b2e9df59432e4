import { countText, numberText } from '../../../base/texts.ts';
import { BackTest, type OriginResult } from '../method/back-test.ts';
import { roundAmount } from './money.ts';
import type { Proposal } from './proposals.ts';
import type { Effect } from './renewal.ts';

/**
 * Sums of advice. Amounts of two currencies are never added up, nor are those of licenses whose dropping saves something else.
 * Provisional advice is in no sum.
 */

/** Licenses that could go, their features, and what they cost a year. */
export interface Spare {
  readonly licenses: number;
  readonly features: number;
  /** `undefined` for licenses without a price a year. */
  readonly amount: number | undefined;
}

/** What all advice amounts to in one currency. */
export interface CurrencyTotal {
  /** `undefined` for licenses without a price. */
  readonly currency: string | undefined;
  /** By what comes of dropping them. */
  readonly spare: Readonly<Record<Effect, Spare>>;
  /** Licenses that are missing, their features, and what they cost in the first year. */
  readonly missing: number;
  readonly missingFeatures: number;
  readonly cost: number | undefined;
  /** What all licenses with a price cost a year, and those of features with advice. */
  readonly contract: number | undefined;
  readonly covered: number | undefined;
}

/** What all advice amounts to. */
export interface Totals {
  /** By name of the currency; licenses without a price are last. There is always one. */
  readonly currencies: readonly CurrencyTotal[];
  /** Features with licenses that could go, by what comes of dropping them. */
  readonly couldGo: Readonly<Record<Effect, number>>;
  /** Features with missing licenses, also provisionally: users were denied. And those of them whose cost is in a sum. */
  readonly missing: number;
  readonly missingPriced: number;
  /** Features whose licenses run out within `RUN_OUT_DAYS`. */
  readonly runOut: number;
  /** Features whose licenses could go, but that are in no sum: their advice is provisional. */
  readonly provisional: number;
  /** Refused requests of the window; `undefined` if they are recorded for no feature. */
  readonly denials: number | undefined;
  /** Those for another reason than want of licenses. */
  readonly otherRefusals: number | undefined;
  /** Features with advice. Without any, the other numbers are not known. */
  readonly advised: number;
  /** What would have come of the advice of a year ago; `undefined` if it is not known. */
  readonly applied: OriginResult | undefined;
}

/** How far ahead a run-out counts as near, days. */
export const RUN_OUT_DAYS = 120;

type Open<T> = { -readonly [Name in keyof T]: T[Name] };
type Sum = Open<Omit<CurrencyTotal, 'spare'>> & { readonly spare: Readonly<Record<Effect, Open<Spare>>> };

const noSpare = (): Open<Spare> => ({ licenses: 0, features: 0, amount: undefined });

const emptySum = (currency: string | undefined): Sum => ({
  currency,
  spare: { 'at renewal': noSpare(), 'maintenance only': noSpare(), 'too late': noSpare() },
  missing: 0,
  missingFeatures: 0,
  cost: undefined,
  contract: undefined,
  covered: undefined,
});

/** A sum of what is known. */
const added = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : roundAmount(a + b);

/** Whether licenses run out within `RUN_OUT_DAYS` days of the pass. */
const runsOutSoon = ({ advice }: Proposal): boolean =>
  advice.runsOut !== undefined && advice.runsOut.day - advice.computed <= RUN_OUT_DAYS;

/** @param effectOf what comes of dropping the licenses of a proposal */
export function totalsOf(proposals: Iterable<Proposal>, effectOf: (proposal: Proposal) => Effect): Totals {
  const sums = new Map<string | undefined, Sum>();
  const sumOf = (currency: string | undefined): Sum => {
    const known = sums.get(currency) ?? emptySum(currency);
    sums.set(currency, known);
    return known;
  };
  const couldGo = { 'at renewal': 0, 'maintenance only': 0, 'too late': 0 };
  const counts = { missing: 0, missingPriced: 0, runOut: 0, provisional: 0, advised: 0 };
  const backTest = new BackTest();
  let denials: number | undefined;
  let otherRefusals: number | undefined;
  for (const proposal of proposals) {
    const { advice, money } = proposal;
    const { state, count = 0, confidence } = advice;
    const isAdvised = state !== 'not enough data' && state !== 'no advice';
    if (isAdvised) counts.advised += 1;
    if (money.contract !== undefined) {
      const sum = sumOf(money.currency);
      sum.contract = added(sum.contract, money.contract);
      sum.covered = added(sum.covered, isAdvised ? money.contract : 0);
    }
    if (advice.applied !== undefined) backTest.add(advice.applied);
    denials = added(denials, advice.denials);
    otherRefusals = added(otherRefusals, advice.otherRefusals);
    if (runsOutSoon(proposal)) counts.runOut += 1;
    const isSummed = confidence === 'high';
    if (state === 'missing') counts.missing += 1;
    if (state === 'could go' && !isSummed) counts.provisional += 1;
    if (!isSummed) continue;
    if (state === 'could go') {
      const effect = effectOf(proposal);
      couldGo[effect] += 1;
      const spare = sumOf(money.saving === undefined ? undefined : money.currency).spare[effect];
      spare.licenses += count;
      spare.features += 1;
      spare.amount = added(spare.amount, money.saving);
    } else if (state === 'missing') {
      if (money.cost !== undefined) counts.missingPriced += 1;
      const sum = sumOf(money.cost === undefined ? undefined : money.currency);
      sum.missing += count;
      sum.missingFeatures += 1;
      sum.cost = added(sum.cost, money.cost);
    }
  }
  if (sums.size === 0) sumOf(undefined);
  const currencies = [...sums.values()].sort((a, b) => {
    if (a.currency === undefined || b.currency === undefined) return a.currency === undefined ? 1 : -1;
    return a.currency < b.currency ? -1 : 1;
  });
  return { ...counts, couldGo, denials, otherRefusals, currencies, applied: backTest.results()[0] };
}

/** `EUR 1,240,300`: two decimals only if they are not zero. */
export function amountText(amount: number, currency: string | undefined): string {
  const digits = Number.isInteger(amount) ? 0 : 2;
  const text = amount.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return currency === undefined ? text : `${currency} ${text}`;
}

/** Licenses that could go, in all currencies. */
export const spareLicenses = ({ currencies }: Totals, effect: Effect): number =>
  currencies.reduce((sum, { spare }) => sum + spare[effect].licenses, 0);

/** `EUR 1,240,300, USD 20,000 a year (with a price: 31 of 74)`; `undefined` without a price. */
function spareText({ currencies, couldGo }: Totals, effect: Effect): string | undefined {
  const priced = currencies.filter(({ spare }) => spare[effect].amount !== undefined);
  if (priced.length === 0) return undefined;
  const amounts = priced.map(({ currency, spare }) => amountText(spare[effect].amount ?? 0, currency));
  const features = priced.reduce((sum, { spare }) => sum + spare[effect].features, 0);
  return `${amounts.join(', ')} a year (with a price: ${features} of ${couldGo[effect]})`;
}

/** What dropping the licenses that could go comes to, in clauses; none without a price. */
export function savingTexts(totals: Totals): string[] {
  const saving = spareText(totals, 'at renewal');
  const permanent = spareText(totals, 'maintenance only');
  const late = spareText(totals, 'too late');
  return [
    ...(saving === undefined ? [] : [`saving of all: ${saving}`]),
    ...(permanent === undefined ? [] : [`permanent licenses, which save only maintenance: ${permanent}`]),
    ...(late === undefined ? [] : [`too late for the next renewal: ${late}`]),
  ];
}

/** Features whose advice is provisional, as a sentence without its point; `undefined` without one. */
export function provisionalText({ provisional }: Totals): string | undefined {
  if (provisional === 0) return undefined;
  const [have, are] = provisional === 1 ? ['feature', 'it is'] : ['features', 'they are'];
  return `${numberText(provisional)} more ${have} may have licenses to spare, but that is not certain yet: ${are} in no total`;
}

/** `EUR 1,200,000 of 1,900,000 a year, USD 20,000 of 20,000 a year`; `undefined` without a price. */
export function coveredText({ currencies }: Totals): string | undefined {
  const texts = currencies.flatMap(({ currency, contract, covered }) => {
    if (contract === undefined || covered === undefined) return [];
    return [`${amountText(Math.round(covered), currency)} of ${amountText(Math.round(contract), undefined)} a year`];
  });
  return texts.length === 0 ? undefined : texts.join(', ');
}

/** Fewer features say nothing about how good advice is. */
const ENOUGH_FEATURES = 20;

/** `Applied a year ago, this advice would have been short on 2 of 96 features, on 14 days in all; on 1 of them on more than 12 days` */
export function appliedText(result: OriginResult | undefined): string {
  if (result === undefined) {
    return 'What would have come of the advice of a year ago is not known yet: that needs about 23 months of history, and is computed last';
  }
  const { features, shortFeatures, shortDays, longShortFeatures } = result;
  const of = `${shortFeatures} of ${countText(features, 'feature')}`;
  const days = shortDays === 0 ? '' : `, on ${countText(shortDays, 'day')} in all`;
  const long = shortFeatures === 0 ? '' : `; on ${longShortFeatures} of them on more than 12 days`;
  const few = features < ENOUGH_FEATURES ? '. That is too few features to say how good it is' : '';
  return `Applied a year ago, this advice would have been short on ${of}${days}${long}${few}`;
}
