import { dateText } from '../../../base/model/local-time.ts';
import { UNUSED_DAYS } from '../../../insight/advice/method/decision.ts';
import type { Proposal, Proposals } from '../../../insight/advice/pass/proposals.ts';
import { featureMatcher } from './feature-answers.ts';
import { asksNote } from './notes.ts';
import { hasRows, keyOf, type TargetAnswer } from './panel-data.ts';
import type { Query } from './query.ts';
import { countedText } from './texts.ts';

/** Which advice a query asks for, and why there may be none. */

/** The proposals that a query asks for. */
export function selection(query: Query, { rows }: Proposals): readonly Proposal[] {
  const matches = featureMatcher(query, query.values.features);
  const { state: states } = query.values.lists;
  return rows.filter(({ advice }) => (states === undefined || states.includes(advice.state)) && matches(advice));
}

/** Whether the rows are those with a number that a feature without advice has, too. */
export const isCounted = ({ values }: Query): boolean =>
  values.lists.with?.some((name) => keyOf(name) === 'denials') === true;

/**
 * Why no feature has advice yet, in any state that the query asks for: the first day on which one can have it, or what is not
 * recorded; `undefined` if one has.
 */
export function notEnough(query: Query, proposals: Proposals, today: number): string | undefined {
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
export function withoutAdvice(query: Query, proposals: Proposals): string | undefined {
  const lists = { ...query.values.lists, state: ['no advice'] };
  const count = selection({ ...query, values: { ...query.values, lists } }, proposals).length;
  return count === 0 ? undefined : countedText(count, 'feature');
}

/** An answer whose note says why it has no row. */
export function withReason(query: Query, answer: TargetAnswer, reasonOf: () => string | undefined): TargetAnswer {
  if (!asksNote(query) || answer.items.some(hasRows)) return answer;
  const whyNone = reasonOf();
  return whyNone === undefined ? answer : { ...answer, whyNone };
}
