import { dateText } from '../../../base/model/local-time.ts';
import { monthText } from '../../../base/texts.ts';
import type { State } from '../method/advice.ts';
import { roundAmount } from './money.ts';
import { type LiveFigures, type Proposal, type Proposals, sentenceOf } from './proposals.ts';
import type { Dates, Effect } from './renewal.ts';
import type { PastAdvice } from './rightsizing.ts';
import { type AdvisedStep, advisedSteps, keptOf, whyKeptText } from './steps.ts';
import { type Totals, totalsOf } from './totals.ts';

/** What the report says: of each section the first rows, and how many there are. */

/** One feature of a section. */
export interface ReportItem {
  readonly proposal: Proposal;
  readonly sentence: string;
  readonly dates: Dates;
  readonly live: LiveFigures;
  /** Empty if the section has no steps. The number that is kept is among them. */
  readonly steps: readonly AdvisedStep[];
  /** Why no fewer are advised; `undefined` if the section has no steps. */
  readonly whyKept: string | undefined;
}

/** The advice of one kind, the most worth first. */
export interface ReportSection {
  readonly items: readonly ReportItem[];
  /** With those that are not shown. */
  readonly count: number;
}

/** Licenses that could go of some features, and what they cost a year by currency. */
export interface Subtotal {
  readonly name: string;
  readonly features: number;
  readonly licenses: number;
  readonly amounts: ReadonlyMap<string | undefined, number>;
}

/** Features with the same date. The subtotal is that of all, and the rows are those that are shown. */
export interface Group extends Subtotal {
  readonly items: readonly ReportItem[];
}

/** Licenses that could go for sure, and whose dropping comes to the same. */
export interface CouldGo {
  /** By date. */
  readonly groups: readonly Group[];
  /** The rows of all groups, the most worth first. */
  readonly items: readonly ReportItem[];
  readonly count: number;
  /** Those that cost most. */
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
  /** By what comes of dropping them. */
  readonly couldGo: Readonly<Record<Effect, CouldGo>>;
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
  /** Those with the highest use first. */
  readonly tight: readonly Proposal[];
  readonly fine: number;
}

/** Rows of a section. */
const MAX_ROWS = 50;
/** Different sentences of features without advice that are counted. */
const MAX_REASONS = 1000;
/** Steps of a feature that are shown. */
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

/** The date that rows are grouped by, as a heading, and what the headings are sorted by. */
interface Heading {
  readonly name: string;
  readonly order: string;
}

function headingOf({ renewal, notice, effect }: Dates, today: number): Heading {
  const last = '~';
  switch (effect) {
    case 'maintenance only':
      return { name: 'Dropping them saves only maintenance', order: '' };
    case 'too late': {
      if (renewal.kind !== 'on') return { name: 'Too late', order: last };
      const day = dateText(renewal.day);
      return renewal.day < today
        ? { name: `The renewal of ${day} is over, and no later one is known`, order: `${last}${day}` }
        : { name: `Too late for the renewal of ${day}`, order: day };
    }
    case 'at renewal': {
      if (renewal.kind !== 'on') return { name: 'Renewal not known', order: last };
      const month = monthText(notice.kind === 'by' ? notice.day : renewal.day);
      if (notice.kind === 'by') return { name: `Notice in ${month}`, order: month };
      return { name: `Renewal in ${month}, notice not known`, order: `${month}${last}` };
    }
  }
}

/** Adds up all of some proposals by a name, in the order in which the names come. */
function subtotalsOf(proposals: readonly Proposal[], nameOf: (proposal: Proposal) => string): Subtotal[] {
  return [...Map.groupBy(proposals, nameOf)].map(([name, of]) => {
    const amounts = new Map<string | undefined, number>();
    for (const { money } of of) {
      const { saving, currency } = money;
      if (saving !== undefined) amounts.set(currency, roundAmount((amounts.get(currency) ?? 0) + saving));
    }
    const licenses = of.reduce((sum, { advice }) => sum + (advice.count ?? 0), 0);
    return { name, features: of.length, licenses, amounts };
  });
}

/** The largest amount first, in whichever currency it is, then the most licenses. */
const byAmount = (a: Subtotal, b: Subtotal): number => {
  const largest = ({ amounts }: Subtotal): number => Math.max(0, ...amounts.values());
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

/** Those with the highest use of what is bought first. */
const byUse: Compare = ({ advice: a }, { advice: b }) =>
  descending((a.busyWeek ?? 0) / (a.bought ?? 1), (b.busyWeek ?? 0) / (b.bought ?? 1));

/** The steps of a line: one more than is kept, that number, and those from the needed one down. */
function stepsOfLine(proposal: Proposal, effect: Effect, tolerance: number): AdvisedStep[] {
  const kept = keptOf(proposal.advice) ?? Number.NaN;
  const steps = advisedSteps(proposal, effect, tolerance);
  const tooFew = steps.find(({ hoursShort }) => hoursShort > tolerance)?.licenses ?? -1;
  const isShown = ({ licenses }: AdvisedStep): boolean =>
    licenses === kept || licenses === kept + 1 || (licenses < kept && licenses <= tooFew + 1);
  return steps.filter(isShown).slice(0, MAX_STEPS);
}

/** Sorts the proposals into the sections of the report, and adds up their money. */
export function createReport({ rows, table, dates, live }: Proposals): Report {
  const itemOf = (proposal: Proposal, hasSteps = false): ReportItem => {
    const found = dates(proposal);
    return {
      proposal,
      sentence: sentenceOf(proposal, found),
      dates: found,
      live: live(proposal),
      steps: hasSteps ? stepsOfLine(proposal, found.effect, table.tolerance) : [],
      whyKept: hasSteps ? whyKeptText(proposal.advice, table.tolerance) : undefined,
    };
  };
  const sectionOf = (found: readonly Proposal[], compare: Compare, hasSteps = false): ReportSection => ({
    items: found
      .toSorted(compare)
      .slice(0, MAX_ROWS)
      .map((proposal) => itemOf(proposal, hasSteps)),
    count: found.length,
  });
  const couldGo = inState(rows, 'could go');
  const proven = couldGo.filter(({ advice }) => advice.confidence === 'high');
  const couldGoOf = (effect: Effect): CouldGo => {
    const found = proven.filter((proposal) => dates(proposal).effect === effect);
    const { items, count } = sectionOf(found, byWorth, true);
    const headingFor = (proposal: Proposal): Heading => headingOf(dates(proposal), table.day);
    const orders = new Map(found.map(headingFor).map(({ name, order }) => [name, order]));
    const orderOf = ({ name }: Subtotal): string => orders.get(name) ?? '';
    const groups = subtotalsOf(found, (proposal) => headingFor(proposal).name)
      .map((one) => ({ ...one, items: items.filter(({ proposal }) => headingFor(proposal).name === one.name) }))
      .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    const vendorLicenses = subtotalsOf(found, ({ advice }) => advice.vendorLicense);
    return {
      groups,
      items,
      count,
      vendorLicenses: vendorLicenses.toSorted(byAmount).slice(0, MAX_VENDOR_LICENSES),
      vendorLicenseCount: vendorLicenses.length,
    };
  };
  const withoutAdvice = inState(rows, 'not enough data', 'no advice');
  const reasons = reasonsOf(withoutAdvice);
  const lookBacks = rows.map(lookBackOf).filter((found) => found !== undefined);
  return {
    totals: totalsOf(rows, (proposal) => dates(proposal).effect),
    features: rows.length,
    couldGo: {
      'at renewal': couldGoOf('at renewal'),
      'maintenance only': couldGoOf('maintenance only'),
      'too late': couldGoOf('too late'),
    },
    provisional: sectionOf(
      couldGo.filter(({ advice }) => advice.confidence !== 'high'),
      byWorth,
      true,
    ),
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
    tight: inState(rows, 'tight').toSorted(byUse),
    fine: inState(rows, 'fine').length,
  };
}

/** Rows of a report whose amount of money it shows, and its sums. */
export function pricesIn({ couldGo, provisional, missing, totals }: Report): number {
  const shown = [...Object.values(couldGo), provisional, missing].flatMap(({ items }) => items);
  const sums = totals.currencies.filter(({ currency }) => currency !== undefined);
  const isPriced = ({ proposal: { money } }: ReportItem): boolean =>
    [money.saving, money.cost, money.contract].some((amount) => amount !== undefined);
  return shown.filter(isPriced).length + sums.length;
}
