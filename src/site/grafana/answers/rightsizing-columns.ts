import { dateText, type LocalTime } from '../../../base/model/local-time.ts';
import type { OwnerMapping } from '../../../base/model/owners.ts';
import { isUncountedFigure } from '../../../base/model/uncounted.ts';
import { neededFor } from '../../../insight/advice/method/curve.ts';
import { type Proposal, type Proposals, sentenceOf } from '../../../insight/advice/pass/proposals.ts';
import type { Dates, Effect, Notice } from '../../../insight/advice/pass/renewal.ts';
import { expires, ownerColumn } from './live-columns.ts';
import { type Cell, type Column, cell, millis, number, text, time } from './panel-data.ts';
import { renewalCells } from './renewal-columns.ts';
import type { Cells } from './table-view.ts';
import { type WaitedOf, waitedCells } from './waited.ts';

/** The columns of the target `rightsizing`. */

/** Columns that depend on prices. Without prices, a table is not sorted by them. */
export const priceColumns: readonly string[] = [
  'Price',
  'Saving',
  'Maintenance only',
  'Too late',
  'Cost',
  'Money',
  'Currency',
  'Per',
];

interface ColumnInputs {
  readonly proposals: Proposals;
  readonly localTime: LocalTime;
  readonly owners: OwnerMapping;
  /** Hours a year of the column `Needed`; `undefined` for those of the pass. */
  readonly tolerance: number | undefined;
  readonly waited: WaitedOf;
}

const shareColumn = (name: string): Column => ({ ...number(name), unit: 'percentunit' });

/** The values of the advice itself, by column. */
type AdviceCells = Cells<Proposal['advice']>;

/** A number of licenses, which an uncounted feature does not have. */
const licenseCount = (licenses: number | undefined): Cell =>
  licenses === undefined || isUncountedFigure(licenses) ? null : cell(licenses);

/** A share of what is bought, which an uncounted feature does not have. */
function shareOfBought({ bought = 0 }: Proposal['advice'], share: number | undefined): Cell {
  return bought === 0 || isUncountedFigure(bought) ? null : cell(share);
}

const peakShare = (advice: Proposal['advice']): Cell => {
  const { peak, bought } = advice;
  return shareOfBought(advice, peak === undefined || bought === undefined ? undefined : peak / bought);
};

/** A day of the analyzer as a text: Grafana would show an instant in the zone of the viewer. */
const day = (local: number | undefined): Cell => (local === undefined ? null : dateText(local));

function adviceCells({ tolerance }: ColumnInputs): AdviceCells {
  return [
    [text('Product'), ({ vendorLicense }) => vendorLicense],
    [text('Feature'), ({ feature }) => feature],
    [text('Package'), (advice) => advice.package],
    [text('Type'), ({ featureType }) => featureType],
    [text('State'), ({ state }) => state],
    [number('Count'), ({ count }) => cell(count)],
    [number('Bought'), ({ bought }) => licenseCount(bought)],
    [number('Peak'), ({ peak }) => cell(peak)],
    [text('Peak date'), ({ peakDay }) => day(peakDay)],
    [shareColumn('Peak share'), peakShare, 'asked'],
    [shareColumn('Utilisation'), (advice) => shareOfBought(advice, advice.utilisation), 'asked'],
    [number('p95'), ({ p95 }) => cell(p95)],
    [number('p99'), ({ p99 }) => cell(p99)],
    [number('Needed'), (advice) => cell(tolerance === undefined ? advice.needed : neededFor(advice, tolerance))],
    [number('Full hours'), ({ fullHours }) => cell(fullHours)],
    [number('Refusal days'), ({ refusalDays }) => cell(refusalDays)],
    [number('Refusal hours'), ({ refusalHours }) => cell(refusalHours)],
    [number('Other refusals'), ({ otherRefusals }) => cell(otherRefusals)],
    [number('Denials'), ({ denials }) => cell(denials)],
    [number('Days with denials'), ({ deniedDays }) => cell(deniedDays)],
    [number('Days with known denials'), ({ denialsKnownDays }) => cell(denialsKnownDays)],
    [number('Next year likely'), ({ likely }) => cell(likely)],
    [number('Next year enough'), ({ enough }) => cell(enough)],
    [number('Growth a month'), ({ growth }) => (growth.kind === 'proven' ? cell(growth.perMonth) : null)],
    [number('Busy week'), ({ busyWeek }) => cell(busyWeek)],
    [text('Runs out'), ({ runsOut }) => day(runsOut?.day)],
    [text('Runs out earliest'), ({ runsOut }) => day(runsOut?.earliest)],
    [text('Runs out latest'), ({ runsOut }) => day(runsOut?.latest)],
    [number('Reserved unneeded'), ({ reservedUnneeded }) => cell(reservedUnneeded)],
    [number('Year ago could go'), ({ applied }) => cell(applied?.count)],
    [number('Year ago short days'), ({ applied }) => cell(applied?.shortDays)],
    [number('Year ago days'), ({ applied }) => cell(applied?.days)],
  ];
}

/** The rest of the columns of the advice, after those of the last poll. */
const laterCells = ({ proposals, owners }: ColumnInputs): AdviceCells => [
  [number('Days'), ({ days }) => days],
  [shareColumn('Coverage'), ({ coverage }) => cell(coverage)],
  [text('Confidence'), ({ confidence }) => confidence],
  ...ownerColumn<Proposal['advice']>(owners),
  // when the pass was over
  [time('Computed'), () => millis(proposals.table.computedAt)],
];

const ofAdvice = (cells: AdviceCells): Cells<Proposal> =>
  cells.map(([column, read, shown = 'always']) => [column, ({ advice }: Proposal) => read(advice), shown]);

/** Until when the number can be announced; empty if that is not known. */
function noticeDay(notice: Notice): Cell {
  switch (notice.kind) {
    case 'by':
    case 'passed':
      return dateText(notice.day);
    case 'unknown':
    case 'none':
      return null;
  }
}

/** What is known of the notice. */
function noticeState({ renewal, notice }: Dates): string {
  switch (renewal.kind) {
    case 'permanent':
      return 'permanent';
    case 'unknown':
      return 'renewal not known';
    case 'on':
      return notice.kind === 'by' || notice.kind === 'passed' ? notice.kind : 'not known';
  }
}

/** The columns of advice, those of money only where prices may be seen. */
export function rightsizingCells(inputs: ColumnInputs): Cells<Proposal> {
  const { localTime, proposals } = inputs;
  const { live, dates } = proposals;
  /** What the licenses that could go cost a year, if dropping them comes to this. */
  const amountOf =
    (effect: Effect) =>
    (proposal: Proposal): Cell =>
      dates(proposal).effect === effect ? cell(proposal.money.saving) : null;
  // a feature that was never used has none: the day on which its records begin would look like that of its last use
  const unusedSince = ({ advice }: Proposal): Cell => day(advice.unusedSince);
  return [
    ...ofAdvice(adviceCells(inputs)),
    [number('Idle now'), (proposal) => cell(live(proposal).idle)],
    [number('Borrowed now'), (proposal) => cell(live(proposal).borrowed)],
    [text('Unused since'), unusedSince],
    [text('Reason'), (proposal) => sentenceOf(proposal, dates(proposal))],
    [number('Price'), ({ money }) => cell(money.price)],
    [number('Saving'), amountOf('at renewal')],
    [number('Maintenance only'), amountOf('maintenance only')],
    [number('Too late'), amountOf('too late')],
    [number('Cost'), ({ money }) => cell(money.cost)],
    [text('Currency'), ({ money }) => cell(money.currency)],
    [text('Per'), ({ money }) => cell(money.per), 'asked'],
    [
      text('Renewal'),
      (proposal) => {
        const { renewal } = dates(proposal);
        return renewal.kind === 'on' ? expires(renewal.at, localTime) : null;
      },
    ],
    [text('Notice'), (proposal) => noticeDay(dates(proposal).notice)],
    [text('Notice state'), (proposal) => noticeState(dates(proposal))],
    ...renewalCells(proposals, localTime),
    ...waitedCells(({ advice }: Proposal) => inputs.waited(advice)),
    ...ofAdvice(laterCells(inputs)),
  ];
}
