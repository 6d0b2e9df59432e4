import { dateText, type LocalTime } from '../../../base/model/local-time.ts';
import type { PriceEntry, Prices } from '../../../base/model/prices.ts';
import { type Figure, isKnown, plus, unknown } from '../../../base/model/unknown.ts';
import type { FeatureRow } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import { changeText } from '../method/change.ts';
import type { SeriesName } from '../method/demand.ts';
import { keyOf } from './known-features.ts';
import { type Money, moneyOf, noMoney } from './money.ts';
import { type Dates, datesOf, renewalOf } from './renewal.ts';
import type { AdviceTable, KeptAdvice, Rightsizing } from './rightsizing.ts';

/** Advice with what it is worth, and with what is known now. */

/** Advice and its price. */
export interface Proposal {
  readonly advice: KeptAdvice;
  readonly money: Money;
  /** From the price file. Local day. */
  readonly renewalDay: number | undefined;
  readonly noticeDays: number | undefined;
  readonly isBoughtOnce: boolean;
}

/** The advice of the last pass. */
export interface Proposals {
  readonly table: AdviceTable;
  readonly rows: readonly Proposal[];
  readonly live: (proposal: Proposal) => LiveFigures;
  readonly dates: (proposal: Proposal) => Dates;
}

/** Why there is no advice yet, and when it is expected. */
export class AdviceNotReady extends Error {
  override readonly name = 'AdviceNotReady';
  /** Whether it is being computed. */
  readonly isSoon: boolean;

  constructor(message: string, isSoon: boolean) {
    super(message);
    this.isSoon = isSoon;
  }
}

/** What advice is combined with: prices, and the calendar of its days. */
export interface ProposalOptions {
  readonly rightsizing: Rightsizing;
  readonly prices: () => Prices;
  /** Calendar of the recorded history, in which the days of the advice are counted. */
  readonly localTime: () => LocalTime;
  /** When the next pass is due, epoch seconds; `undefined` if none is. */
  readonly nextPass: () => number | undefined;
}

/** The advice of the last pass with what is known now: prices, renewals, idle and borrowed licenses. */
export interface ProposalSource {
  /**
   * The advice with prices, or without them for those who may not see them. Nothing else depends on prices then.
   *
   * @param inventory `undefined` before the first poll: then nothing is known now
   * @throws AdviceNotReady before the first pass was finished
   */
  read(inventory: Inventory | undefined, showsPrices: boolean): Proposals;
  /**
   * The advice alone.
   *
   * @throws AdviceNotReady before the first pass was finished
   */
  table(): AdviceTable;
  /** Calendar of the days of the advice. */
  localTime(): LocalTime;
  /** The entries of the price file. Their amounts are only for those who may see prices. */
  prices(): Prices;
  /** Whether there are prices at all. */
  hasPrices(): boolean;
}

/** What the last poll knows of a series. History has none of it, and no versions. */
export interface LiveFigures {
  readonly idle: Figure;
  readonly borrowed: Figure;
  /** When the first of its versions expires that has not expired yet, epoch seconds; `Infinity` if none ever does. */
  readonly expiration: Figure;
}

/** The figures of the last poll by series. */
type LiveIndex = ReadonlyMap<string, LiveFigures>;

const nothingKnown: LiveFigures = { idle: unknown, borrowed: unknown, expiration: unknown };

const liveOf = (index: LiveIndex, series: SeriesName): LiveFigures => index.get(keyOf(series)) ?? nothingKnown;

/** The sooner of the expiries that are still to come, else the later one. Beside an unknown one, only a date to come says something. */
function nextExpiration(a: Figure, b: Figure, now: number): Figure {
  const isComing = (at: number): boolean => at > now;
  const besideUnknown = (one: Figure): Figure =>
    isKnown(one) && isComing(one) && Number.isFinite(one) ? one : unknown;
  if (!isKnown(a)) return besideUnknown(b);
  if (!isKnown(b)) return besideUnknown(a);
  if (isComing(a) === isComing(b)) return isComing(a) ? Math.min(a, b) : Math.max(a, b);
  return isComing(a) ? a : b;
}

/** @param now epoch seconds */
function createLiveIndex(features: Iterable<FeatureRow>, now: number): LiveIndex {
  const index = new Map<string, LiveFigures>();
  for (const row of features) {
    const key = keyOf(row);
    const before = index.get(key);
    const { inactiveUse, borrowedUse, expiration } = row;
    index.set(key, {
      idle: before === undefined ? inactiveUse : plus(before.idle, inactiveUse),
      borrowed: before === undefined ? borrowedUse : plus(before.borrowed, borrowedUse),
      expiration: before === undefined ? expiration : nextExpiration(before.expiration, expiration, now),
    });
  }
  return index;
}

function proposalOf(advice: KeptAdvice, entry: PriceEntry | undefined, showsPrices: boolean): Proposal {
  return {
    advice,
    money: showsPrices ? moneyOf(advice, entry) : noMoney,
    renewalDay: entry?.renewal,
    noticeDays: entry?.noticeDays,
    isBoughtOnce: entry?.per === 'once',
  };
}

/** `2026-11-23T00:20:00Z` */
const timeText = (at: number): string => new Date(at * 1000).toISOString().replace('.000Z', 'Z');

function reasonOf({ rightsizing, nextPass }: ProposalOptions): string {
  const { isEnabled, isRunning, failure, progress } = rightsizing.status();
  if (!isEnabled) return 'there is no advice on the number of licenses: rightsizing.enabled is false';
  const open = progress === undefined ? '' : `: ${progress}`;
  if (isRunning) return `advice on the number of licenses is being computed for the first time${open}`;
  if (failure === undefined && progress !== undefined) return `advice on the number of licenses waits${open}`;
  const next = nextPass();
  const expected = next === undefined ? '' : `; it is expected after ${timeText(next)}`;
  const cause = failure === undefined ? '' : `: the last pass failed (${failure})`;
  return `advice on the number of licenses has not been computed yet${cause}${expected}`;
}

/** Joins advice and prices once for each table, however many read it. */
export function createProposalSource(options: ProposalOptions): ProposalSource {
  const { rightsizing, prices, localTime } = options;
  /** The rows of the newest table and prices, with and without them. */
  let known: { readonly table: AdviceTable; readonly prices: Prices; priced?: Proposal[]; unpriced?: Proposal[] };
  let live: { readonly features: object; readonly index: LiveIndex } | undefined;

  function rowsOf(table: AdviceTable, showsPrices: boolean): readonly Proposal[] {
    const current = prices();
    if (known?.table !== table || known.prices !== current) known = { table, prices: current };
    const kept = known;
    const kind = showsPrices ? 'priced' : 'unpriced';
    const found = kept[kind];
    if (found !== undefined) return found;
    const rows: Proposal[] = [];
    for (const advice of table.rows) {
      rows.push(proposalOf(advice, current.of(advice.vendorLicense, advice.feature, advice.package), showsPrices));
    }
    kept[kind] = rows;
    return rows;
  }

  function liveIndexOf(inventory: Inventory | undefined): LiveIndex {
    if (inventory === undefined) return new Map();
    const { features, at } = inventory;
    if (live?.features === features) return live.index;
    const index = createLiveIndex(features, at);
    live = { features, index };
    return index;
  }

  function tableNow(): AdviceTable {
    const table = rightsizing.latest();
    if (table === undefined) throw new AdviceNotReady(reasonOf(options), rightsizing.status().isRunning);
    return table;
  }

  return {
    localTime,
    prices,
    hasPrices: () => prices().count > 0,
    table: tableNow,
    read(inventory, showsPrices) {
      const table = tableNow();
      const rows = rowsOf(table, showsPrices);
      const index = liveIndexOf(inventory);
      // the last pass may be some days old
      const today = Math.max(table.day, inventory === undefined ? table.day : localTime().dayOf(inventory.at));
      const dates = (proposal: Proposal): Dates => {
        const { advice, renewalDay = Number.NEGATIVE_INFINITY } = proposal;
        // a renewal of the price file that is over says nothing about the next one
        const priced = renewalDay < today ? undefined : renewalDay;
        return datesOf(renewalOf(priced, liveOf(index, advice).expiration, localTime()), proposal, today);
      };
      return { table, rows, live: ({ advice }) => liveOf(index, advice), dates };
    },
  };
}

/** What a person must know of the dates before licenses are dropped; empty if nothing. */
function effectText({ renewal, notice, effect }: Dates): string {
  switch (effect) {
    case 'at renewal':
      return '';
    case 'maintenance only':
      return ' The licenses are permanent: dropping them saves only their maintenance.';
    case 'too late': {
      const of = renewal.kind === 'on' ? ` of ${dateText(renewal.day)}` : '';
      const by = notice.kind === 'passed' ? `: notice had to be given by ${dateText(notice.day)}` : '';
      return ` It is too late for the renewal${of}${by}.`;
    }
  }
}

/** The sentences of the advice, with what its renewal adds, and what changed it of late. */
export function sentenceOf(proposal: Proposal, dates: Dates): string {
  const { reason, state, change, computed } = proposal.advice;
  const effect = state === 'could go' ? effectText(dates) : '';
  const changed = changeText(change, computed);
  return `${reason}${effect}${changed === undefined ? '' : ` ${changed}`}`;
}
