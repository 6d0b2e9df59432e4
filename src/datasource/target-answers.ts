import { type Backend, requireInventory } from './backend.ts';
import { answerExpirations, answerFeatures, answerProducts, answerServerDown } from './live-answers.ts';
import type { TargetAnswer } from './panel-data.ts';
import type { Query } from './query.ts';
import type { TargetName } from './targets.ts';
import {
  answerEfficiency,
  answerFeaturesOfUser,
  answerHeatMap,
  answerHistory,
  answerReserved,
  answerSearchedExpirations,
  answerUsers,
} from './upstream-answers.ts';

type AnswerQuery = (query: Query, backend: Backend, signal: AbortSignal) => Promise<TargetAnswer> | TargetAnswer;

const answerers: Readonly<Record<TargetName, AnswerQuery>> = {
  history: answerHistory,
  reserved: answerReserved,
  efficiency: answerEfficiency,
  heatmap: answerHeatMap,
  users: answerUsers,
  expirations: (query, backend, signal) => {
    const { search } = query.values;
    if (search !== undefined) return answerSearchedExpirations(search, query, backend, signal);
    return answerExpirations(query, requireInventory(backend), backend);
  },
  features: (query, backend, signal) => {
    const { user } = query.values;
    if (user !== undefined) return answerFeaturesOfUser(user, query, backend, signal);
    return answerFeatures(query, requireInventory(backend), backend.owners());
  },
  products: (query, backend) => answerProducts(query, requireInventory(backend), backend.owners()),
  server_down: (query, backend) => answerServerDown(query, requireInventory(backend)),
};

/**
 * Answers one target.
 *
 * @param signal stops the wait with its reason
 * @throws DatasourceError
 */
export async function answerTarget(query: Query, backend: Backend, signal: AbortSignal): Promise<TargetAnswer> {
  return answerers[query.target](query, backend, signal);
}
