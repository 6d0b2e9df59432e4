import { steadyNow } from '../../base/model/steady-clock.ts';
import { toQueryError } from '../../exporter/client/failures.ts';
import { KEEP_CONNECTIONS, proxyOf, retryAfter, throttled } from '../../exporter/client/verdicts.ts';
import { answerFaults, recogniseBody, statusFault } from '../../exporter/inventory/decoding/answer-faults.ts';
import { askOnce, endpointUrl } from './first-answer.ts';
import { proxyNote } from './network-steps.ts';
import type { AnalyzerSite } from './site.ts';
import {
  bad,
  type Evidence,
  explained,
  type FirstAnswer,
  good,
  type Outcome,
  stepToAnalyzer,
  warning,
} from './step.ts';

/** What answers at the URL: the Query API, a proxy, a logon portal or something else. */

/** How far a clock is ahead of ours by the `Date` header, which has whole seconds. */
function clockAhead({ headers }: FirstAnswer): number | undefined {
  const at = Date.parse(String(headers.date ?? ''));
  return Number.isNaN(at) ? undefined : Math.round((at + 500 - Date.now()) / 1000);
}

/** The same URL with `/analyzer`, if the Query API is there. */
async function betterUrl({ analyzer, version }: AnalyzerSite): Promise<string | undefined> {
  const { origin, pathname } = new URL(analyzer.url);
  const base = `${origin}/analyzer`;
  if (pathname.replace(/\/+$/, '') === '/analyzer') return undefined;
  const answer = await askOnce(endpointUrl(base, 'GetHttpUserName'), { analyzer, version }).catch(() => undefined);
  const isApi = answer?.status === 401 || (answer?.status === 200 && recogniseBody(answer.body) === 'ANSWER_NOT_JSON');
  return isApi ? base : undefined;
}

/** The finding about a URL that leads to another part of a server. */
export const noQueryApi = (url: string): string =>
  `there is no Query API at ${new URL(endpointUrl(url, 'GetProducts')).pathname} (status 404)`;

export const USUAL_URL = 'set analyzer.url to the base URL of the Query API, usually https://HOST:PORT/analyzer';

/** What to set `analyzer.url` to. */
async function urlRemedy(site: AnalyzerSite): Promise<string> {
  const better = await betterUrl(site);
  return better === undefined ? USUAL_URL : `set analyzer.url to ${better}: the Query API answers there`;
}

/** Whether the Query API, and not only its cheapest call, is missing. */
async function problemOfMissing(site: AnalyzerSite): Promise<Outcome | undefined> {
  const { analyzer } = site;
  const products = await askOnce(endpointUrl(analyzer.url, 'GetProducts'), site).catch(() => undefined);
  // only the cheapest call is missing, which is reported below the endpoints
  if (products !== undefined && products.status !== 404) return undefined;
  return bad(noQueryApi(analyzer.url), await urlRemedy(site));
}

/** What is wrong with the first answer. */
async function problemOf(site: AnalyzerSite, answer: FirstAnswer): Promise<Outcome | undefined> {
  const { status, headers } = answer;
  const wait = retryAfter(status, headers);
  if (wait !== undefined) {
    const remedy = 'raise the limit of requests for the exporter there, or run doctor again later';
    return bad(throttled(status, steadyNow() + wait).finding, remedy);
  }
  if (status === 407) {
    return bad(
      'a proxy asks for a logon of its own (status 407)',
      'let this host reach the analyzer without the proxy; license-exporter does not log on to proxies',
    );
  }
  if (status >= 300 && status < 400) {
    return explained(statusFault(status, headers.location, site.analyzer.url));
  }
  if (status === 404) return problemOfMissing(site);
  if (status === 403) {
    return bad(
      'the server refuses the request before any logon (status 403)',
      'allow the address of this host for the analyzer, in its settings and in proxies in front of it',
    );
  }
  if (status >= 500) {
    const proxy = proxyOf(headers);
    const who = proxy === undefined ? 'the server' : `a reverse proxy (${proxy})`;
    return bad(
      `${who} answered ${status}`,
      'check its log; 502, 503 and 504 of a proxy mean that the analyzer behind it does not answer',
    );
  }
  const isHtml = status < 300 && recogniseBody(answer.body) === 'ANSWER_HTML';
  return isHtml ? bad(answerFaults.ANSWER_HTML.message, await urlRemedy(site)) : undefined;
}

/** What else the answer says about proxies. */
function remarkOn({ env }: AnalyzerSite, answer: FirstAnswer): Outcome {
  const proxy = proxyOf(answer.headers);
  const [note] = proxyNote(env);
  if (proxy !== undefined) {
    return warning(`a reverse proxy (${proxy}) is in between`, `if logons fail: ${KEEP_CONNECTIONS}`);
  }
  const said = `status ${answer.status} without a logon, no sign of a proxy`;
  return good(note === undefined ? said : `${said}; ${note}`);
}

/** What answers at `analyzer.url`, without a logon. */
export const httpStep = stepToAnalyzer({
  name: 'HTTP',
  exit: 'network',
  needs: ['TLS'],
  applies: ({ kind }) => kind === 'remote',
  check: async (site, evidence: Evidence) => {
    const { analyzer } = site;
    let answer: FirstAnswer;
    try {
      answer = evidence.firstAnswer ?? (await askOnce(endpointUrl(analyzer.url, 'GetHttpUserName'), site));
    } catch (error) {
      return explained(toQueryError(error));
    }
    evidence.firstAnswer = answer;
    const ahead = clockAhead(answer);
    if (ahead !== undefined) evidence.clockAhead = ahead;
    return (await problemOf(site, answer)) ?? remarkOn(site, answer);
  },
});
