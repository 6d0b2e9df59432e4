import { dateText } from '../../../base/model/local-time.ts';
import { roundedCountText, roundedText } from '../../../base/texts.ts';
import type { Advice } from './advice.ts';

/** Since when advice is what it is, and what changed it. */

/** What was advised on one day, and the figures that decide about it. */
export type Advised = Pick<
  Advice,
  'state' | 'count' | 'bought' | 'confidence' | 'lastYear' | 'enough' | 'refusalDays' | 'mayRise'
>;

/** The newest change. */
export interface Change {
  /** The local day of the first pass with what is advised now. */
  readonly since: number;
  /** What was advised instead before. */
  readonly before: string;
  /** Why, as a clause. */
  readonly because: string;
}

const changed = (what: string, before: number | undefined, now: number | undefined): string | undefined =>
  before === undefined || now === undefined || roundedText(before) === roundedText(now)
    ? undefined
    : `${what} ${roundedText(now)} instead of ${roundedText(before)}`;

/** Whether the confidence matters: that of a number of licenses. */
const hasNumber = ({ count }: Advised): boolean => count !== undefined;

/** What is advised, as a clause. */
function advisedText({ state, count }: Pick<Advised, 'state' | 'count'>): string {
  switch (state) {
    case 'could go':
      return `${roundedText(count ?? Number.NaN)} could go`;
    case 'missing':
      return count === undefined
        ? 'more are missing'
        : `${roundedCountText(count, 'license')} ${count === 1 ? 'is' : 'are'} missing`;
    case 'reserved':
      return 'a reservation had to be freed';
    case 'unused':
      return 'no use was seen';
    case 'tight':
    case 'fine':
      return 'none could go';
    case 'not enough data':
    case 'no advice':
      return 'there was no advice';
  }
}

const isSaidAlike = (a: Advised, b: Advised): boolean => advisedText(a) === advisedText(b);

/** Which of the figures changed the advice. */
function becauseText(before: Advised, now: Advice): string {
  if (now.state === 'no advice') return 'it is excluded from advice now';
  if (now.state === 'not enough data') return 'too little is recorded now';
  if (before.state === 'no advice') return 'it was excluded from advice';
  if (before.state === 'not enough data') return 'too little was recorded';
  if (now.state === 'unused') return 'no use was seen for a half year';
  if (isSaidAlike(before, now))
    return now.confidence === 'high' ? 'nothing makes it provisional any more' : now.uncertainties.join(' and ');
  const causes = [
    changed('bought are', before.bought, now.bought),
    changed('the last year needed', before.lastYear, now.lastYear),
    changed('the coming year is expected to need', before.enough, now.enough),
    changed('days with refused requests are', before.refusalDays, now.refusalDays),
  ].filter((cause) => cause !== undefined);
  return causes.length === 0 ? 'the recorded year is another one' : causes.join(' and ');
}

const isSame = (a: Advised, b: Advised): boolean =>
  isSaidAlike(a, b) && (!hasNumber(a) || (a.confidence === 'high') === (b.confidence === 'high'));

/**
 * The newest change after another pass; `undefined` before the first one.
 *
 * @param last the newest change before
 * @param before what was advised by the pass before; `undefined` without one
 */
export function changeAfter(last: Change | undefined, before: Advised | undefined, now: Advice): Change | undefined {
  if (before === undefined || isSame(before, now)) return last;
  const was = isSaidAlike(before, now)
    ? before.confidence === 'high'
      ? 'not provisional'
      : 'provisional'
    : advisedText(before);
  return { since: now.computed, before: was, because: becauseText(before, now) };
}

/** A change that is older is not said any more, days. */
const SAID_DAYS = 28;

/** `Until 2026-11-26, 6 could go: the coming year is expected to need 13 instead of 14.`; `undefined` without a change of late. */
export function changeText(change: Change | undefined, today: number): string | undefined {
  if (change === undefined || today - change.since > SAID_DAYS) return undefined;
  const { since, before, because } = change;
  const was = before === 'provisional' || before === 'not provisional' ? `this was ${before}` : before;
  return `Until ${dateText(since - 1)}, ${was}: ${because}.`;
}
