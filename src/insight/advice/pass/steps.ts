import { numberText, roundedText } from '../../../base/texts.ts';
import type { Advice } from '../method/advice.ts';
import { hoursShort, neededFor, type Step, stepsOf } from '../method/curve.ts';
import { tuning } from '../method/outlook.ts';
import { roundAmount } from './money.ts';
import type { Proposal } from './proposals.ts';
import type { Effect } from './renewal.ts';

/** What fewer licenses would have meant in the last year, and which of these numbers the advice leaves. */

/** A number of licenses beside the number that is kept. */
export interface AdvisedStep extends Step {
  /** `not known` where the advice names no number that is kept. */
  readonly place: 'more' | 'kept' | 'less' | 'not known';
  /** What it saves a year at the renewal; `undefined` also for what is not advised. */
  readonly saving: number | undefined;
}

/** Licenses that the advice leaves; `undefined` if it does not say how many. */
export function keptOf({ state, bought, count }: Pick<Advice, 'state' | 'bought' | 'count'>): number | undefined {
  switch (state) {
    case 'could go':
      return bought === undefined || count === undefined ? undefined : bought - count;
    case 'missing':
    case 'reserved':
    case 'tight':
    case 'fine':
      return bought;
    case 'unused':
    case 'not enough data':
    case 'no advice':
      return undefined;
  }
}

const placeOf = (licenses: number, kept: number | undefined): AdvisedStep['place'] => {
  if (kept === undefined) return 'not known';
  return licenses === kept ? 'kept' : licenses > kept ? 'more' : 'less';
};

/** The highest number first. @param tolerance hours a year for which the needed number may be exceeded */
export function advisedSteps({ advice, money }: Proposal, effect: Effect, tolerance: number): AdvisedStep[] {
  const kept = keptOf(advice);
  const { bought = 0 } = advice;
  const { price, per } = money;
  const isSaved = advice.state === 'could go' && effect === 'at renewal' && per === 'year';
  return stepsOf(advice, tolerance, kept).map((step): AdvisedStep => {
    const place = placeOf(step.licenses, kept);
    const isAdvised = place === 'more' || place === 'kept';
    const saving =
      isSaved && isAdvised && price !== undefined ? roundAmount((bought - step.licenses) * price) : undefined;
    return { ...step, place, saving };
  });
}

const were = (licenses: number): string => (licenses === 1 ? 'was' : 'were');
const are = (licenses: number): string => (licenses === 1 ? 'is' : 'are');

/** Why more are kept than the last year needed, as a clause. */
function becauseText({ state, enough = 0, lastYear = 0 }: Advice, needed: number, kept: number): string {
  if (state === 'missing') return 'because licenses are missing';
  if (enough >= kept) return 'because the coming year may need more';
  if (lastYear >= kept && needed >= 1) {
    return `because fewer would have been too few on more than ${tuning.mostDaysAbove} days`;
  }
  return needed < 1 && kept === 1 ? 'because at least one license is kept' : 'for the reason that the advice gives';
}

/**
 * Why no fewer licenses are advised: `15 were enough in the last year; 22 are kept, because the coming year may need more`.
 * `undefined` if the advice names no number that is kept, or if it is not known how many were enough.
 */
export function whyKeptText(advice: Advice, tolerance: number): string | undefined {
  const [kept, needed] = [keptOf(advice), neededFor(advice, tolerance)];
  if (kept === undefined || needed === undefined) return undefined;
  if (needed < kept) {
    const keptText = `${numberText(kept)} ${are(kept)} kept`;
    const short = hoursShort(advice, needed);
    const but = short === 0 ? '' : `, but for ${roundedText(short)} h`;
    const enough = `${numberText(needed)} ${were(needed)} enough in the last year${but}`;
    return `${enough}; ${keptText}, ${becauseText(advice, needed, kept)}`;
  }
  if (kept < 1) return undefined;
  const fewer = kept - 1;
  const hours = roundedText(hoursShort(advice, fewer));
  return `${numberText(fewer)} would have been too few for ${hours} h a year; ${roundedText(tolerance)} h are tolerated`;
}
