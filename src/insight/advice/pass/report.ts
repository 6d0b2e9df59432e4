import { dateText } from '../../../base/model/local-time.ts';
import type { State } from '../method/advice.ts';
import { type Step, stepsOf } from '../method/curve.ts';
import { roundAmount } from './money.ts';
import { type LiveFigures, type Proposal, type Proposals, sentenceOf } from './proposals.ts';
import { type Notice, noticeOf, type Renewal } from './renewal.ts';
import type { PastAdvice } from './rightsizing.ts';
import { type Totals, totalsOf } from './totals.ts';

/** What the report says: of each section the first rows, and how many there are. */

/** One feature of a section. */
export interface ReportItem {
  readonly proposal: Proposal;
  readonly sentence: string;
  readonly renewal: Renewal;
  readonly notice: Notice;
  readonly live: LiveFigures;
  /** Empty if the section has no steps. */
  readonly steps: readonly Step[];
}

/** The advice of one kind, the most worth first. */
export interface ReportSection {
  readonly items: readonly ReportItem[];
  /** With those that are not shown. */
  readonly count: number;
}

/** Licenses that could go of some features, and what that saves a year by currency. */
export interface Subtotal {
  readonly name: string;
  readonly features: number;
  readonly licenses: number;
  readonly savings: ReadonlyMap<string | undefined, number>;
}

/** Licenses that could go for sure. */
export interface CouldGo extends ReportSection {
  /** All of them by the month of the notice, and by vendor license: those that save most. */
  readonly months: readonly Subtotal[];
  readonly vendorLicenses: readonly Subtotal[];
  readonly vendorLicenseCount: number;
}

/** Features of which too little is recorded, and the first day with advice if every day is recorded from now on. */
export interface Waiting {
  readonly day: number | undefined;
  readonly features: number;
}

/** Features without advice, for one reason. */
export interface Reason {
  /** The sentence of the first of them. */
  readonly example: string;
  readonly count: number;
  /** Whether the sentences of all of them are the same; else they differ in figures. */
  readonly isSame: boolean;
  /** What their licenses cost a year, by currency. */
  readonly contracts: ReadonlyMap<string | undefined, number>;
}

/** What came of advice of an earlier month. */
export interface LookBack {
  readonly proposal: Proposal;
  readonly past: PastAdvice;
  /** Licenses bought then and now. */
  readonly before: number;
  readonly now: number;
}

/** The advice as a purchaser reads it: what could go, what is missing, what to look at. */
export interface Report {
  readonly totals: Totals;
  readonly features: number;
  /** By month of the notice, then by worth. */
  readonly couldGo: CouldGo;
  readonly provisional: ReportSection;
  readonly missing: ReportSection;
  readonly reserved: ReportSection;
  readonly runsOut: ReportSection;
  readonly unused: ReportSection;
  readonly reasons: readonly Reason[];
  /** By day; the last one has none. */
  readonly waiting: readonly Waiting[];
  /** Features without advice, and different reasons for it. */
  readonly withoutAdvice: number;
  readonly reasonCount: number;
  readonly lookBacks: readonly LookBack[];
  readonly lookBackCount: number;
  readonly tight: number;
  readonly fine: number;
}

/** Rows of a section. */
const MAX_ROWS = 50;
/** Different sentences of features without advice that are counted. */
const MAX_REASONS = 1000;
/** Steps of a feature that are shown: from one above the number that is kept. */
const MAX_STEPS = 5;
/** Subtotals by vendor license. */
const MAX_VENDOR_LICENSES = 10;
type Compare = (a: Proposal, b: Proposal) => number;

const descending = (a = 0, b = 0): number => b - a;
const byName: Compare = ({ advice: a }, { advice: b }) =>
  a.vendorLicense < b.vendorLicense ? -1 : a.vendorLicense > b.vendorLicense ? 1 : a.feature < b.feature ? -1 : 1;

/** The largest amount first, then the largest count. */
const byWorth: Compare = (a, b) =>
  descending(a.money.saving ?? a.money.cost, b.money.saving ?? b.money.cost) ||
  descending(a.advice.count, b.advice.count) ||
  byName(a, b);
const byFullHours: Compare = (a, b) => descending(a.advice.fullHours, b.advice.fullHours) || byName(a, b);
const byRunOut: Compare = (a, b) => (a.advice.runsOut?.day ?? 0) - (b.advice.runsOut?.day ?? 0) || byName(a, b);
const byUnused: Compare = (a, b) => descending(a.advice.bought, b.advice.bought) || byName(a, b);

/** The same for sentences that differ in their figures only. */
const patternOf = (sentence: string): string => sentence.replace(/\d[\d.,:-]*/g, '#');

/** What came of the newest earlier advice that was followed. */
function lookBackOf(proposal: Proposal): LookBack | undefined {
  const now = proposal.advice.bought;
  if (now === undefined) return undefined;
  for (const past of proposal.advice.past) {
    const before = past.bought;
    if (before === undefined || before === now) continue;
    const isFollowed = (past.state === 'could go' && now < before) || (past.state === 'missing' && now > before);
    return isFollowed ? { proposal, past, before, now } : undefined;
  }
  return undefined;
}

interface OpenReason extends Reason {
  count: number;
  isSame: boolean;
  readonly contracts: Map<string | undefined, number>;
}

/** Why features have no advice, and how many there are of each kind. */
function reasonsOf(withoutAdvice: readonly Proposal[]): readonly Reason[] {
  const reasons = new Map<string, OpenReason>();
  for (const { advice, money } of withoutAdvice) {
    const pattern = patternOf(advice.reason);
    const known = reasons.get(pattern) ?? { example: advice.reason, count: 0, isSame: true, contracts: new Map() };
    known.count += 1;
    known.isSame &&= known.example === advice.reason;
    const { contract = 0, currency } = money;
    if (contract > 0) known.contracts.set(currency, roundAmount((known.contracts.get(currency) ?? 0) + contract));
    if (reasons.size < MAX_REASONS || reasons.has(pattern)) reasons.set(pattern, known);
  }
  return [...reasons.values()];
}

/** The month of a notice, sortable: past and known ones first, then permanent licenses, then unknown ones. */
export const noticeMonth = ({ renewal, notice }: Pick<ReportItem, 'renewal' | 'notice'>): string => {
  if (notice.kind === 'by' || notice.kind === 'passed') return dateText(notice.day).slice(0, 7);
  if (renewal.kind === 'on') return dateText(renewal.day).slice(0, 7);
  return renewal.kind;
};

const byMonth = (a: ReportItem, b: ReportItem): number => {
  const [x, y] = [noticeMonth(a), noticeMonth(b)];
  return x < y ? -1 : x > y ? 1 : byWorth(a.proposal, b.proposal);
};

/** Adds up all of some proposals by a name, in the order in which the names come. */
function subtotalsOf(proposals: readonly Proposal[], nameOf: (proposal: Proposal) => string): Subtotal[] {
  return [...Map.groupBy(proposals, nameOf)].map(([name, of]) => {
    const savings = new Map<string | undefined, number>();
    for (const { money } of of) {
      const { saving, currency } = money;
      if (saving !== undefined) savings.set(currency, roundAmount((savings.get(currency) ?? 0) + saving));
    }
    const licenses = of.reduce((sum, { advice }) => sum + (advice.count ?? 0), 0);
    return { name, features: of.length, licenses, savings };
  });
}

/** The largest saving first, in whichever currency it is, then the most licenses. */
const bySavings = (a: Subtotal, b: Subtotal): number => {
  const largest = ({ savings }: Subtotal): number => Math.max(0, ...savings.values());
  return largest(b) - largest(a) || b.licenses - a.licenses;
};

/** The soonest first. */
function waitingOf(rows: readonly Proposal[]): Waiting[] {
  const days = Map.groupBy(inState(rows, 'not enough data'), ({ advice }) => advice.enoughFrom);
  return [...days]
    .map(([day, { length: features }]) => ({ day, features }))
    .sort((a, b) => (a.day ?? Number.POSITIVE_INFINITY) - (b.day ?? Number.POSITIVE_INFINITY));
}

/** The largest amount first, in whichever currency it is, then the most features. */
const byContract = (a: Reason, b: Reason): number => {
  const largest = ({ contracts }: Reason): number => Math.max(0, ...contracts.values());
  return largest(b) - largest(a) || b.count - a.count;
};

const inState = (rows: readonly Proposal[], ...wanted: readonly State[]): readonly Proposal[] =>
  rows.filter(({ advice }) => wanted.includes(advice.state));

/** Sorts the proposals into the sections of the report, and adds up their money. */
export function createReport({ rows, table, renewal, live }: Proposals): Report {
  const datesOf = (proposal: Proposal): Pick<ReportItem, 'renewal' | 'notice'> => {
    const renewed = renewal(proposal);
    return { renewal: renewed, notice: noticeOf(renewed, proposal.noticeDays, proposal.advice.computed) };
  };
  const itemOf = (proposal: Proposal, hasSteps: boolean): ReportItem => {
    const dates = datesOf(proposal);
    const { advice } = proposal;
    const kept = (advice.bought ?? 0) - (advice.count ?? 0);
    const steps = hasSteps ? stepsOf(advice, table.tolerance) : [];
    return {
      proposal,
      sentence: sentenceOf(proposal, dates.renewal),
      ...dates,
      live: live(proposal),
      steps: steps.filter(({ licenses }) => licenses <= kept + 1).slice(0, MAX_STEPS),
    };
  };
  const sectionOf = (found: readonly Proposal[], compare: Compare, hasSteps = false): ReportSection => ({
    items: found
      .toSorted(compare)
      .slice(0, MAX_ROWS)
      .map((proposal) => itemOf(proposal, hasSteps)),
    count: found.length,
  });
  const [proven, provisional] = [true, false].map((isProven) =>
    inState(rows, 'could go').filter(({ advice }) => (advice.confidence === 'high') === isProven),
  );
  const couldGo = sectionOf(proven ?? [], byWorth, true);
  const vendorLicenses = subtotalsOf(proven ?? [], ({ advice }) => advice.vendorLicense);
  const withoutAdvice = inState(rows, 'not enough data', 'no advice');
  const reasons = reasonsOf(withoutAdvice);
  const lookBacks = rows.map(lookBackOf).filter((found) => found !== undefined);
  return {
    totals: totalsOf(rows),
    features: rows.length,
    couldGo: {
      ...couldGo,
      items: couldGo.items.toSorted(byMonth),
      months: subtotalsOf(proven ?? [], (proposal) => noticeMonth(datesOf(proposal))),
      vendorLicenses: vendorLicenses.toSorted(bySavings).slice(0, MAX_VENDOR_LICENSES),
      vendorLicenseCount: vendorLicenses.length,
    },
    provisional: sectionOf(provisional ?? [], byWorth, true),
    missing: sectionOf(inState(rows, 'missing'), byWorth),
    reserved: sectionOf(inState(rows, 'reserved'), byFullHours),
    runsOut: sectionOf(
      rows.filter(({ advice }) => advice.runsOut !== undefined),
      byRunOut,
    ),
    unused: sectionOf(inState(rows, 'unused'), byUnused),
    reasons: reasons.toSorted(byContract).slice(0, MAX_ROWS),
    reasonCount: reasons.length,
    lookBacks: lookBacks.toSorted((a, b) => (a.past.month < b.past.month ? 1 : -1)).slice(0, MAX_ROWS),
    lookBackCount: lookBacks.length,
    waiting: waitingOf(rows),
    withoutAdvice: withoutAdvice.length,
    tight: inState(rows, 'tight').length,
    fine: inState(rows, 'fine').length,
  };
}

/** Features of a report whose amount of money it shows, and its sums. */
export function pricesIn({ couldGo, provisional, missing, totals }: Report): number {
  const shown = [couldGo, provisional, missing].flatMap(({ items }) => items);
  const amounts = [...shown.map(({ proposal }) => proposal.money), ...totals.currencies];
  return amounts.filter((one) => [one.saving, one.cost, one.contract].some((amount) => amount !== undefined)).length;
}
