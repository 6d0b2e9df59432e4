import { dayOfDate, type LocalTime } from '../../base/model/local-time.ts';
import type { OwnerMapping } from '../../base/model/owners.ts';
import type { Prices } from '../../base/model/prices.ts';
import { isKnown } from '../../base/model/unknown.ts';
import { forEachSliced } from '../../base/scheduling/slices.ts';
import { monthText } from '../../base/texts.ts';
import type { FeatureRow } from '../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import { keyOf, packageKey, takenFrom } from '../advice/pass/known-features.ts';
import { roundAmount } from '../advice/pass/money.ts';
import type { AdviceTable } from '../advice/pass/rightsizing.ts';
import {
  type ContractLine,
  contractLineOf,
  type LineAdvice,
  type LineState,
  lacksNotice,
  type Worth,
} from './contract-line.ts';

/** The contract calendar: by when one must act, on which licenses, worth how much a year, and whose they are. */

/** What some lines cost a year in one currency. */
export interface Value {
  readonly amount: number;
  readonly lines: number;
}

/** Sums and numbers of lines. */
export interface Tally {
  readonly lines: number;
  /** What they cost a year, by currency. Amounts of two currencies are never added up. */
  readonly values: ReadonlyMap<string, Value>;
  /** Lines by what is known of their worth. */
  readonly worths: Readonly<Record<Worth['kind'], number>>;
  readonly withoutOwner: number;
  /** Lines with a renewal that have not expired, but without known days of notice. */
  readonly withoutNotice: number;
}

/** Licenses of one vendor license and one owner with the same dates. */
export interface ContractBlock
  extends Pick<ContractLine, 'vendorLicense' | 'owner' | 'renewal' | 'notice' | 'expires'> {
  readonly state: ListedState;
  readonly actBy: number;
  readonly lines: readonly ContractLine[];
  readonly tally: Tally;
}

/** States that have a day in the months that are asked for, or before them, in the order of the page. */
const listedStates = ['expired', 'renewal passed', 'notice passed', 'due'] as const satisfies readonly LineState[];
export type ListedState = (typeof listedStates)[number];

/** Blocks of one state; those that are due, of one month. */
export interface ContractGroup {
  readonly state: ListedState;
  /** `2027-03`; `undefined` for what has passed. */
  readonly month: string | undefined;
  /** By the day on which one must act, then by vendor license. */
  readonly blocks: readonly ContractBlock[];
  readonly tally: Tally;
}

/** Lines without a day. */
export interface OtherLines {
  readonly lines: readonly ContractLine[];
  readonly tally: Tally;
}

/** All licenses that are asked for: each is in a group, later, permanent or without a known renewal. */
export interface Contracts {
  readonly groups: readonly ContractGroup[];
  /** Of all groups. */
  readonly listed: Tally;
  /** Of the groups that are due: what one can still decide about. */
  readonly due: Tally;
  readonly later: Tally;
  readonly permanent: OtherLines;
  /** Those whose renewal is not known. */
  readonly undated: OtherLines;
  /** Epoch days: today, and the first day that is not listed any more. */
  readonly today: number;
  readonly end: number;
}

/** Lines of which a price is known. */
export const pricedIn = ({ worths }: Tally): number => worths['a year'] + worths.once + worths['no number'];

/** What the calendar is read with. */
export interface ContractOptions {
  readonly owners: OwnerMapping;
  /** Called with each row whose owner is asked for. */
  readonly onRow: (row: FeatureRow) => void;
  /** Whether the features of an owner are wanted. */
  readonly isOwnerAsked: (owner: string | undefined) => boolean;
  readonly prices: Prices;
  readonly showsPrices: boolean;
  /** `undefined` before the first pass. */
  readonly advice: AdviceTable | undefined;
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: number;
  /** How far the calendar reaches. */
  readonly months: number;
}

type Open<T> = { -readonly [Name in keyof T]: T[Name] };
interface OpenTally extends Open<Omit<Tally, 'values' | 'worths'>> {
  readonly values: Map<string, Value>;
  readonly worths: Record<Worth['kind'], number>;
}

const emptyTally = (): OpenTally => ({
  lines: 0,
  values: new Map(),
  worths: { 'a year': 0, once: 0, 'of another': 0, 'no price': 0, 'no number': 0, 'not shown': 0 },
  withoutOwner: 0,
  withoutNotice: 0,
});

function addValue({ values }: OpenTally, currency: string, { amount, lines }: Value): void {
  const before = values.get(currency) ?? { amount: 0, lines: 0 };
  values.set(currency, { amount: roundAmount(before.amount + amount), lines: before.lines + lines });
}

function count(tally: OpenTally, line: ContractLine): void {
  const { owner, worth } = line;
  tally.lines += 1;
  tally.worths[worth.kind] += 1;
  if (owner === undefined) tally.withoutOwner += 1;
  if (lacksNotice(line)) tally.withoutNotice += 1;
  if (worth.kind === 'a year') addValue(tally, worth.currency, { amount: worth.amount, lines: 1 });
}

/** The same day some months later; where there is no such day, as many days into the next month. */
function dayAfter(day: number, months: number): number {
  const from = new Date(day * 86_400_000);
  return dayOfDate(from.getUTCFullYear(), from.getUTCMonth() + 1 + months, from.getUTCDate());
}

/** Finds the licenses that are those of a package or a token pool: these have the contract. */
async function takersIn({ features }: Inventory): Promise<(row: FeatureRow) => boolean> {
  const reported = new Set<string>();
  const packages = new Map<string, string>();
  await forEachSliced(features, (row) => {
    if (!row.isReported) return;
    const key = keyOf(row);
    reported.add(key);
    if (row.featureType === 'package') packages.set(packageKey(row), key);
  });
  return (row) => {
    if (!row.isReported || (row.featureType !== 'component' && !isKnown(row.tokenCostValue))) return false;
    const from = takenFrom(row, packages);
    return from !== undefined && reported.has(from);
  };
}

/** Advice that changes the number of licenses, by feature, and what seems to be unused. Provisional advice is no reason to act. */
async function firmAdvice(table: AdviceTable | undefined): Promise<ReadonlyMap<string, LineAdvice>> {
  const found = new Map<string, LineAdvice>();
  await forEachSliced(table?.rows ?? [], (row) => {
    const { state, count: changed, bought, confidence } = row;
    if (state === 'unused' || (confidence === 'high' && (state === 'could go' || state === 'missing'))) {
      found.set(keyOf(row), { state, count: changed, bought });
    }
  });
  return found;
}

/** Lines with their tally. */
class OpenLines implements OtherLines {
  readonly lines: ContractLine[] = [];
  readonly tally = emptyTally();

  add(line: ContractLine): void {
    this.lines.push(line);
    count(this.tally, line);
  }
}

interface OpenBlock extends ContractBlock {
  readonly lines: ContractLine[];
  readonly tally: OpenTally;
}

/** Blocks of one state by the day on which one must act. They are in the order of the rows of the inventory. */
class OpenState {
  readonly #blocks = new Map<string, OpenBlock>();
  readonly #days = new Map<number, OpenBlock[]>();

  add(line: ContractLine, state: ListedState, actBy: number): void {
    const { vendorLicense, owner, renewal, notice, expires } = line;
    const renewed = renewal.kind === 'on' ? renewal.day : null;
    const noticed = notice.kind === 'by' || notice.kind === 'passed' ? notice.day : null;
    const key = JSON.stringify([actBy, renewed, noticed, expires, owner, vendorLicense]);
    let block = this.#blocks.get(key);
    if (block === undefined) {
      block = { vendorLicense, owner, renewal, notice, expires, state, actBy, lines: [], tally: emptyTally() };
      this.#blocks.set(key, block);
      const sameDay = this.#days.get(actBy);
      if (sameDay === undefined) this.#days.set(actBy, [block]);
      else sameDay.push(block);
    }
    block.lines.push(line);
    count(block.tally, line);
  }

  /** By day. Only the days are sorted, of which there are few. */
  blocks(): readonly OpenBlock[] {
    return [...this.#days.keys()].sort((a, b) => a - b).flatMap((day) => this.#days.get(day) ?? []);
  }
}

/** The groups of a state, with their sums. */
function groupsOf(state: ListedState, blocks: readonly OpenBlock[]): readonly ContractGroup[] {
  if (blocks.length === 0) return [];
  const byMonth = Map.groupBy(blocks, ({ actBy }) => (state === 'due' ? monthText(actBy) : undefined));
  return [...byMonth].map(([month, of]) => ({ state, month, blocks: of, tally: sumOf(of.map(({ tally }) => tally)) }));
}

/** One tally of several. */
function sumOf(tallies: readonly Tally[]): Tally {
  const sum = emptyTally();
  for (const { lines, values, worths, withoutOwner, withoutNotice } of tallies) {
    sum.lines += lines;
    sum.withoutOwner += withoutOwner;
    sum.withoutNotice += withoutNotice;
    for (const [currency, value] of values) addValue(sum, currency, value);
    for (const kind of Object.keys(worths) as Worth['kind'][]) sum.worths[kind] += worths[kind];
  }
  return sum;
}

/** Reads the calendar from what is known now. */
export async function readContracts(inventory: Inventory, options: ContractOptions): Promise<Contracts> {
  const { owners, onRow, isOwnerAsked, prices, showsPrices, localTime, now, months } = options;
  const today = localTime.dayOf(now);
  const end = dayAfter(today, months);
  const isTaking = await takersIn(inventory);
  const advice = await firmAdvice(options.advice);
  const states = Object.fromEntries(listedStates.map((state) => [state, new OpenState()])) as Record<
    ListedState,
    OpenState
  >;
  const later = emptyTally();
  const [permanent, undated] = [new OpenLines(), new OpenLines()];
  await forEachSliced(inventory.features, (row) => {
    const { owner } = owners.of(row.vendorLicense, row.feature);
    if (!isOwnerAsked(owner)) return;
    onRow(row);
    const line = contractLineOf(row, {
      owner,
      entry: prices.of(row.vendorLicense, row.feature, row.package),
      showsPrices,
      isTaking: isTaking(row),
      advice: advice.get(keyOf(row)),
      localTime,
      now,
      today,
      end,
    });
    const { state, actBy = today } = line;
    switch (state) {
      case 'renewal not known':
        undated.add(line);
        return;
      case 'permanent':
        permanent.add(line);
        return;
      case 'later':
        count(later, line);
        return;
      case 'expired':
      case 'renewal passed':
      case 'notice passed':
      case 'due':
        states[state].add(line, state, actBy);
    }
  });
  const groups = listedStates.flatMap((state) => groupsOf(state, states[state].blocks()));
  const tallyOf = (of: readonly ContractGroup[]): Tally => sumOf(of.map(({ tally }) => tally));
  const due = tallyOf(groups.filter(({ state }) => state === 'due'));
  return { groups, listed: tallyOf(groups), due, later, permanent, undated, today, end };
}
