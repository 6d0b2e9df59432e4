import { type EndpointName, endpointNames, endpoints } from '../../base/query-api/endpoints.ts';
import { createOpenApi } from '../../base/query-api/openapi.ts';
import type { AnswerQuestion } from './query-answers.ts';
import { failure, JSON_TYPE, methodNotAllowed } from './reply.ts';
import type { Responses } from './request-handler.ts';

/** The path of the Query API (spec section 1). */
export const BASE = '/analyzer';
const OPENAPI_PATH = `${BASE}/openapi.json`;

const byPath: ReadonlyMap<string, EndpointName> = new Map(
  endpointNames.map((name) => [`${BASE}${endpoints[name].path}`, name]),
);

/** What is at each path: the endpoints, and the description of the API. */
export function createResponses(answer: AnswerQuestion, version: string): Responses {
  const openApi = [Buffer.from(JSON.stringify(createOpenApi(version)))];
  return {
    respond: async ({ url = '', method }, identity, signal) => {
      const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
      const endpoint = byPath.get(path);
      if (endpoint === undefined) return failure('not_found', 'there is no such endpoint');
      const expected = endpoints[endpoint].method;
      if (method !== expected) return methodNotAllowed(endpoint, expected);
      return answer({ endpoint, query, identity }, signal);
    },
    // the description has no data of the site, and tools that read it cannot log on with NTLM
    respondOpenly: ({ url, method }) => {
      if (url?.split('?', 1)[0] !== OPENAPI_PATH) return undefined;
      return method === 'GET' ? { status: 200, body: openApi, type: JSON_TYPE } : methodNotAllowed(OPENAPI_PATH, 'GET');
    },
  };
}
