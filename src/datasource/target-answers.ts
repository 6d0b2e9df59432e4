import { requireSite, type Sources } from './backend.ts';
import { answerExpirations, answerFeatures, answerProducts, answerServerDown } from './live-answers.ts';
import type { Answer } from './panel-data.ts';
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

type AnswerTarget = (query: Query, sources: Sources, signal: AbortSignal) => Promise<Answer> | Answer;

const answerers: Readonly<Record<TargetName, AnswerTarget>> = {
  history: answerHistory,
  reserved: answerReserved,
  efficiency: answerEfficiency,
  heatmap: answerHeatMap,
  users: answerUsers,
  expirations: (query, sources, signal) => {
    const { search } = query.values;
    if (search !== undefined) return answerSearchedExpirations(search, query, sources, signal);
    return answerExpirations(query, requireSite(sources), sources.localTime);
  },
  features: (query, sources, signal) => {
    const { user } = query.values;
    if (user !== undefined) return answerFeaturesOfUser(user, query, sources, signal);
    return answerFeatures(query, requireSite(sources));
  },
  products: (query, sources) => answerProducts(query, requireSite(sources)),
  server_down: (query, sources) => answerServerDown(query, requireSite(sources)),
};

/**
 * Answers one target.
 *
 * @param signal ends the waiting with its reason
 * @throws DatasourceError
 */
export async function answerTarget(query: Query, sources: Sources, signal: AbortSignal): Promise<Answer> {
  return answerers[query.target](query, sources, signal);
}
