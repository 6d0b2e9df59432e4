import { dateText } from '../../../base/model/local-time.ts';
import { countText, numberText } from '../../../base/texts.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import type { State } from '../../../insight/advice/method/advice.ts';
import { UNUSED_DAYS } from '../../../insight/advice/method/decision.ts';
import { AdviceNotReady, type Proposal, type Proposals } from '../../../insight/advice/pass/proposals.ts';
import type { Effect } from '../../../insight/advice/pass/renewal.ts';
import { type AdvisedStep, advisedSteps, whyKeptText } from '../../../insight/advice/pass/steps.ts';
import {
  type CurrencyTotal,
  provisionalText,
  type Spare,
  savingTexts,
  type Totals,
  totalsOf,
} from '../../../insight/advice/pass/totals.ts';
import type { Backend } from './backend.ts';
import { DatasourceError } from './errors.ts';
import { featureMatcher } from './feature-answers.ts';
import { withLiteralNames } from './known-data.ts';
import { asksNote } from './notes.ts';
import { type Cell, cell, hasRows, keyOf, type Notice, number, type TargetAnswer, text } from './panel-data.ts';
import { type Query, show } from './query.ts';
import { priceColumns, rightsizingCells } from './rightsizing-columns.ts';
import { type Cells, type Order, type TableContent, tableAnswer, type View, viewOf } from './table-view.ts';
import { asksWaited, featureKey, readWaited, type WaitedOf } from './waited.ts';

/** The target `rightsizing`: advice on the number of licenses, from the last pass. */

/** The proposals that a query asks for. */
function selection(query: Query, { rows }: Proposals): readonly Proposal[] {
  const matches = featureMatcher(query, query.values.features);
  const { state: states } = query.values.lists;
  return rows.filter(({ advice }) => (states === undefined || states.includes(advice.state)) && matches(advice));
}

/** Whether the rows are those with a number that a feature without advice has, too. */
const isCounted = ({ values }: Query): boolean => values.lists.with?.some((name) => keyOf(name) === 'denials') === true;

/**
 * Why no feature has advice yet, in any state that the query asks for: the first day on which one can have it, or what is not
 * recorded; `undefined` if one has.
 */
function notEnough(query: Query, proposals: Proposals, today: number): string | undefined {
  const { state, ...lists } = query.values.lists;
  if (isCounted(query)) return undefined;
  const found = selection({ ...query, values: { ...query.values, lists } }, proposals).map(({ advice }) => advice);
  if (found.some((advice) => advice.state !== 'no advice' && advice.state !== 'not enough data')) return undefined;
  const waiting = found.filter((advice) => advice.state === 'not enough data');
  const isUnrecorded = found.some((advice) => advice.state === 'no advice' && advice.days === 0);
  const [first] = waiting;
  // the first pass, before anything was recorded
  if (first === undefined) return isUnrecorded ? 'Not enough data yet: no use is recorded' : undefined;
  const days = waiting.map(({ enoughFrom = Number.NEGATIVE_INFINITY }) => enoughFrom);
  const day = days.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  if (state?.join() === 'unused') return `Not enough data: no use must be recorded for ${UNUSED_DAYS} days`;
  if (day > today) return `Not enough data until ${dateText(day)}`;
  // a day that has passed, or one that is not known, is no answer
  const { reason } = waiting.reduce((a, b) => (a.reason.length <= b.reason.length ? a : b), first);
  return `Not enough data yet: ${reason.replace(/^not enough data: /i, '').replace(/\.$/, '')}`;
}

/** What the advice does not say: a feature without advice may miss licenses, or have some to spare. */
function withoutAdvice(query: Query, proposals: Proposals): string | undefined {
  const lists = { ...query.values.lists, state: ['no advice'] };
  const count = selection({ ...query, values: { ...query.values, lists } }, proposals).length;
  return count === 0 ? undefined : countText(count, 'feature');
}

/** An answer whose note says why it has no row. */
function withReason(query: Query, answer: TargetAnswer, reasonOf: () => string | undefined): TargetAnswer {
  if (!asksNote(query) || answer.items.some(hasRows)) return answer;
  const whyNone = reasonOf();
  return whyNone === undefined ? answer : { ...answer, whyNone };
}

/** What comes of dropping the licenses of a proposal. */
const effectIn =
  ({ dates }: Proposals) =>
  (proposal: Proposal): Effect =>
    dates(proposal).effect;

const amountsOf = (spare: Readonly<Record<Effect, Spare>>): (number | undefined)[] =>
  Object.values(spare).map(({ amount }) => amount);

interface RightsizingBackend extends Pick<Backend, 'proposals' | 'prices' | 'owners' | 'now'> {
  /** Who waited, for a table that has columns of it. */
  readonly waited?: WaitedOf | undefined;
}
type Page = NonNullable<TableContent<Proposal>['page']>;

/** Rows without `top`. */
const DEFAULT_TOP = '100';
/** Advice that is older is announced, seconds. */
const OUTDATED = 2 * 86_400;

function readProposals(
  inventory: Inventory | undefined,
  { proposals }: RightsizingBackend,
  showsPrices: boolean,
): Proposals {
  try {
    return proposals.read(inventory, showsPrices);
  } catch (error) {
    throw error instanceof AdviceNotReady ? new DatasourceError('not_ready', error.message) : error;
  }
}

/** Higher than any saving. */
const ABOVE_SAVINGS = 1e14;

const countKeyOf = ({ advice }: Proposal): Cell => (advice.count === undefined ? null : -advice.count);

/** The largest count first. */
const byCount: Order<Proposal> = { name: 'count', keyOf: countKeyOf };

/** The largest saving at a renewal first, then the largest count. */
const byWorth = ({ dates }: Proposals): Order<Proposal> => ({
  name: 'saving',
  keyOf: (proposal) => {
    const { saving } = proposal.money;
    const isSaved = saving !== undefined && dates(proposal).effect === 'at renewal';
    return isSaved ? -ABOVE_SAVINGS - saving : countKeyOf(proposal);
  },
});

const isPriceColumn = (sort: string): boolean =>
  priceColumns.some((column) => column.toLowerCase() === sort.replace(/^-/, '').toLowerCase());

/** The same query with the values that it leaves out. Without prices, it is not sorted by them. */
function completed(query: Query, showsPrices: boolean): Query {
  const { sort, ...values } = query.values;
  const isSorted = sort !== undefined && (showsPrices || !isPriceColumn(sort));
  return { ...query, values: { ...values, top: values.top ?? DEFAULT_TOP, ...(isSorted && { sort }) } };
}

const info = (message: string): Notice => ({ severity: 'info', text: message });

/** What every answer says of the advice. */
function commonNotices(query: Query, { table }: Proposals, backend: RightsizingBackend): readonly Notice[] {
  const { tolerance } = query.values;
  const refusal = backend.prices.refusal();
  const notices: Notice[] = [];
  if (refusal !== undefined && backend.proposals.hasPrices()) notices.push(info(refusal));
  if (tolerance !== undefined && Number(tolerance) !== table.tolerance) {
    notices.push(
      info(`needed for ${tolerance} hours a year; states and counts are those for ${table.tolerance} hours a year`),
    );
  }
  if (table.leftOut > 0) {
    notices.push(info(`${numberText(table.leftOut)} features have no advice because of rightsizing.max_features`));
  }
  if (backend.now() - table.computedAt > OUTDATED) {
    const computed = new Date(table.computedAt * 1000).toISOString().slice(0, 10);
    notices.push({ severity: 'warning', text: `the advice is of ${computed}; later passes failed, see the log` });
  }
  return notices;
}

/** `100 of 4,812 features, by saving; saving of all: EUR 1,240,300 a year (with a price: 31 of 74)` */
function summaryOf(shown: number, total: number, order: string, totals: Totals): Notice {
  const count = shown === total ? numberText(total) : `${numberText(shown)} of ${numberText(total)}`;
  const provisional = provisionalText(totals);
  return info(
    [
      `${count} ${total === 1 ? 'feature' : 'features'}${shown === total ? '' : `, by ${order}`}`,
      ...savingTexts(totals),
      ...(provisional === undefined ? [] : [provisional]),
    ].join('; '),
  );
}

function answerTable(
  query: Query,
  proposals: Proposals,
  backend: RightsizingBackend,
  page: Page | undefined,
): TargetAnswer {
  const { owners } = backend;
  const { tolerance, sort } = query.values;
  const hasPrices = backend.prices.refusal() === undefined && backend.proposals.hasPrices();
  const order = hasPrices ? byWorth(proposals) : byCount;
  const items = selection(query, proposals);
  const isSaid = !isCounted(query) && (query.values.none !== undefined || asksNote(query));
  const unknown = isSaid ? withoutAdvice(query, proposals) : undefined;
  const content: TableContent<Proposal> = {
    name: 'rightsizing',
    cells: rightsizingCells({
      proposals,
      localTime: backend.proposals.localTime(),
      owners: owners(),
      tolerance: tolerance === undefined ? undefined : Number(tolerance),
      waited: backend.waited ?? (() => undefined),
    }),
    items,
    areLasting: true,
    order,
    ...(isSaid && { unknown: () => unknown }),
    ...(page !== undefined && { page }),
  };
  const view = viewOf(query, content);
  const answer = tableAnswer(query, content, view);
  const totals = totalsOf(items, effectIn(proposals));
  // the summary has the amounts of each currency
  const sums = totals.currencies.filter(({ spare }) => amountsOf(spare).some((amount) => amount !== undefined));
  backend.prices.onServed(pricesIn(view) + sums.length);
  const summary = summaryOf(view.items.length, view.total, sort?.replace(/^-/, '') ?? order.name, totals);
  const seen = { ...answer, notices: [summary, ...commonNotices(query, proposals, backend)] };
  return withReason(query, seen, () => notEnough(query, proposals, todayOf(backend)));
}

/** Columns with amounts of money. */
const AMOUNTS = ['Price', 'Saving', 'Maintenance only', 'Too late', 'Cost', 'Money', 'Contract', 'Covered'];

/** Rows with an amount of money, for the log. */
function pricesIn<T>({ cells, items }: View<T>): number {
  const amounts = cells.filter(([{ text: name }]) => AMOUNTS.includes(name));
  return items.filter((item) => amounts.some(([, read]) => read(item) !== null)).length;
}

/** A table that is counted for the log, with what every answer says of the advice. */
function servedTable<T>(
  query: Query,
  content: TableContent<T>,
  proposals: Proposals,
  backend: RightsizingBackend,
  notices: readonly Notice[] = [],
): TargetAnswer {
  const view = viewOf(query, content);
  const answer = tableAnswer(query, content, view);
  backend.prices.onServed(pricesIn(view));
  return { ...answer, notices: [...answer.notices, ...notices, ...commonNotices(query, proposals, backend)] };
}

/** While no feature has advice, nothing is counted: that is no 0. */
const totalCells = (totals: Totals): Cells<CurrencyTotal> => {
  const known = (count: number): Cell => (totals.advised === 0 ? null : count);
  return [
    [text('Currency'), ({ currency }) => cell(currency)],
    [number('Could go'), ({ spare }) => known(spare['at renewal'].licenses)],
    [number('Saving'), ({ spare }) => cell(spare['at renewal'].amount)],
    [number('Permanent'), ({ spare }) => known(spare['maintenance only'].licenses)],
    [number('Maintenance only'), ({ spare }) => cell(spare['maintenance only'].amount)],
    [number('Notice passed'), ({ spare }) => known(spare['too late'].licenses)],
    [number('Too late'), ({ spare }) => cell(spare['too late'].amount)],
    [number('Missing'), ({ missing }) => known(missing)],
    [number('Cost'), ({ cost }) => cell(cost)],
    [number('Contract'), ({ contract }) => cell(contract)],
    [number('Covered'), ({ covered }) => cell(covered)],
    [number('With a price'), ({ currency, spare }) => known(currency === undefined ? 0 : spare['at renewal'].features)],
    [number('Of'), () => known(totals.couldGo['at renewal'])],
    [number('Features that could go'), () => known(totals.couldGo['at renewal'])],
    [number('Features permanent'), () => known(totals.couldGo['maintenance only'])],
    [number('Features too late'), () => known(totals.couldGo['too late'])],
    [number('Features missing'), () => known(totals.missing)],
    [number('Missing with a price'), () => known(totals.missingPriced)],
    [number('Run out within 120 days'), () => known(totals.runOut)],
    [number('Provisional'), () => known(totals.provisional)],
    [number('Denials'), () => cell(totals.denials)],
    [number('Other refusals'), () => cell(totals.otherRefusals)],
    [number('Year ago features'), () => cell(totals.applied?.features)],
    [number('Year ago short features'), () => cell(totals.applied?.shortFeatures)],
    [number('Year ago short days'), () => cell(totals.applied?.shortDays)],
    [number('Year ago short longer'), () => cell(totals.applied?.longShortFeatures)],
  ];
};

function answerTotals(query: Query, proposals: Proposals, backend: RightsizingBackend): TargetAnswer {
  const totals = totalsOf(selection(query, proposals), effectIn(proposals));
  return servedTable(
    query,
    { name: 'totals', cells: totalCells(totals), items: totals.currencies },
    proposals,
    backend,
  );
}

const todayOf = ({ proposals, now }: RightsizingBackend): number => proposals.localTime().dayOf(now());

/** The proposal of one feature. One with advice is preferred to a component or a package of the same name. */
function onlyOne(query: Query, proposals: Proposals): Proposal | undefined {
  const found = selection(query, proposals);
  const advised = found.filter(({ advice }) => advice.state !== 'no advice');
  const candidates = advised.length > 0 ? advised : found;
  if (candidates.length > 1) {
    const [first, second] = candidates.map(({ advice }) => advice);
    const pair = [first, second].map((advice) => show([advice?.vendorLicense, advice?.feature, advice?.package]));
    throw new DatasourceError(
      'bad_parameter',
      `rightsizing: steps are those of one feature, but ${candidates.length} match, for example ${pair.join(' and ')}; set product, feature and package`,
    );
  }
  return candidates[0];
}

interface PricedStep extends AdvisedStep {
  readonly currency: string | undefined;
  readonly advice: string | undefined;
  /** Whether use cannot show how long that many are too few: all that are bought, where licenses are missing. */
  readonly isUnseen: boolean;
}

const stepCells: Cells<PricedStep> = [
  [number('Licenses'), ({ licenses }) => licenses],
  [number('Hours short a year'), ({ isUnseen, hoursShort }) => (isUnseen ? null : cell(hoursShort))],
  [text('Advice'), ({ advice }) => cell(advice)],
  [number('Saving'), ({ saving }) => cell(saving)],
  [text('Currency'), ({ currency }) => cell(currency)],
];

/** Whether a number of licenses is advised. @param whyKept why no fewer are */
function stepText({ place, hoursShort }: AdvisedStep, tolerance: number, whyKept: string | undefined, state: State) {
  switch (place) {
    case 'more':
      return 'more than is kept';
    case 'kept':
      return state === 'missing' ? 'too few' : 'kept';
    case 'less':
      return hoursShort > tolerance || whyKept === undefined ? 'not advised' : `not advised: ${whyKept}`;
    case 'not known':
      return undefined;
  }
}

function pricedSteps(proposal: Proposal, proposals: Proposals, tolerance: number): PricedStep[] {
  const whyKept = whyKeptText(proposal.advice, tolerance);
  return advisedSteps(proposal, proposals.dates(proposal).effect, tolerance).map((step) => ({
    ...step,
    currency: step.saving === undefined ? undefined : proposal.money.currency,
    isUnseen: proposal.advice.state === 'missing' && step.place !== 'less',
    advice: stepText(step, tolerance, whyKept, proposal.advice.state),
  }));
}

function answerSteps(query: Query, proposals: Proposals, backend: RightsizingBackend): TargetAnswer {
  const proposal = onlyOne(query, proposals);
  const tolerance = Number(query.values.tolerance ?? proposals.table.tolerance);
  const { advice } = proposal ?? {};
  // hours of a year cannot be told from a few days
  const isRecorded = proposal !== undefined && proposal.advice.state !== 'not enough data';
  const steps = isRecorded ? pricedSteps(proposal, proposals, tolerance) : [];
  const why = advice === undefined || steps.length > 0 ? [] : [info(advice.reason)];
  const seen = servedTable(query, { name: 'steps', cells: stepCells, items: steps }, proposals, backend, why);
  return withReason(query, seen, () => notEnough(query, proposals, todayOf(backend)) ?? advice?.reason);
}

/** The days of which the pass adds up the denials. */
const DAYS = 365;

/** Who waited for the features with denials in the year of the pass, if a query names a column of it. */
export async function readWaitedYear(raw: Query, backend: Backend): Promise<WaitedOf | undefined> {
  if (!asksWaited(raw)) return undefined;
  const query = withLiteralNames(raw, backend.inventory());
  const proposals = readProposals(backend.inventory(), backend, false);
  const denied = selection(query, proposals).filter(({ advice: { denials = 0 } }) => denials > 0);
  const names = new Set(denied.map(({ advice }) => featureKey(advice)));
  const today = todayOf(backend);
  const [from, to] = [today - DAYS, today].map((day) => backend.localTime.startOf(day) * 1000) as [number, number];
  return readWaited(backend, { from, to }, (feature) => names.has(featureKey(feature)));
}

/**
 * @param page replaces the limits of the payload, for the API
 * @throws DatasourceError before the first pass
 */
export function answerRightsizing(
  query: Query,
  inventory: Inventory | undefined,
  backend: RightsizingBackend,
  page?: Page,
): TargetAnswer {
  const showsPrices = backend.prices.refusal() === undefined;
  const literal = withLiteralNames(query, inventory);
  const asked = completed(literal, showsPrices);
  const proposals = readProposals(inventory, backend, showsPrices);
  if (query.shape === 'totals') return answerTotals(asked, proposals, backend);
  if (query.shape === 'steps') return answerSteps(asked, proposals, backend);
  return answerTable(asked, proposals, backend, page);
}
