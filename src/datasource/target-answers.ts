import type { Inventory } from '../inventory/inventory.ts';
import { runSliced, untilAborted } from '../scheduling/slices.ts';
import { answerAttention } from './attention.ts';
import { type Backend, requireInventory } from './backend.ts';
import { answerEfficiency, answerHeatMap, answerHistory, answerReserved, answerUsers } from './chart-answers.ts';
import { DatasourceError } from './errors.ts';
import { answerExpirations } from './expiration-answers.ts';
import { withLiteralNames } from './literal-names.ts';
import { answerFeatures, answerProducts, answerServerDown } from './live-answers.ts';
import type { TargetAnswer } from './panel-data.ts';
import type { Query } from './query.ts';
import { answerRightsizing } from './rightsizing-answers.ts';
import { namesIn } from './served.ts';
import type { TargetName } from './targets.ts';
import { answerFeaturesOfUser, answerSearchedExpirations } from './upstream-answers.ts';

type AnswerQuery = (query: Query, backend: Backend, signal: AbortSignal) => Promise<TargetAnswer>;

/** An answer from the last poll, in slices. */
const fromPoll =
  (answer: (query: Query, inventory: Inventory, backend: Backend) => Generator<void, TargetAnswer>): AnswerQuery =>
  (query, backend, signal) =>
    backend.useInventory((known) => {
      const inventory = requireInventory(known);
      const work = function* (): Generator<void, TargetAnswer> {
        return yield* answer(yield* withLiteralNames(query, inventory), inventory, backend);
      };
      return runSliced(untilAborted(work(), signal));
    });

const expirationsOfPoll = fromPoll(answerExpirations);
const featuresOfPoll = fromPoll(answerFeatures);

const answerers: Readonly<Record<TargetName, AnswerQuery>> = {
  history: answerHistory,
  reserved: answerReserved,
  efficiency: answerEfficiency,
  heatmap: answerHeatMap,
  users: answerUsers,
  expirations: (query, backend, signal) => {
    const { search } = query.values;
    if (search !== undefined) return answerSearchedExpirations(search, query, backend, signal);
    return expirationsOfPoll(query, backend, signal);
  },
  features: (query, backend, signal) => {
    const { user } = query.values;
    if (user !== undefined) return answerFeaturesOfUser(user, query, backend, signal);
    return featuresOfPoll(query, backend, signal);
  },
  products: fromPoll(answerProducts),
  server_down: fromPoll(answerServerDown),
  rightsizing: (query, backend, signal) =>
    backend.useInventory((inventory) => runSliced(untilAborted(answerRightsizing(query, inventory, backend), signal))),
  attention: (query, { attention }, signal) => {
    const known = attention();
    if (known === undefined) throw new DatasourceError('upstream_down', 'alerts have not been evaluated yet');
    return runSliced(untilAborted(answerAttention(query, known), signal));
  },
};

/**
 * Answers one target.
 *
 * @param signal stops the wait with its reason
 * @throws DatasourceError
 */
export async function answerTarget(query: Query, backend: Backend, signal: AbortSignal): Promise<TargetAnswer> {
  const answer = await answerers[query.target](query, backend, signal);
  // `rightsizing` counts its prices itself, because another route has the same answer
  if (query.target === 'users') backend.users.onServed(await runSliced(untilAborted(namesIn(answer), signal)));
  return answer;
}
