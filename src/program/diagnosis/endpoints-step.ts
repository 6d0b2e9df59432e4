import type { EndpointName } from '../../base/query-api/endpoints.ts';
import { connectInProcess } from '../../exporter/client/analyzer-connection.ts';
import { embeddedName } from '../../exporter/client/identity.ts';
import { hasNames } from '../config/effects/named-settings.ts';
import { diagnose, type Finding } from './endpoint-diagnosis.ts';
import { planOf } from './examination.ts';
import { noQueryApi, USUAL_URL } from './http-step.ts';
import type { OwnSite } from './site.ts';
import { bad, type Evidence, good, type Outcome, type Step, warning } from './step.ts';

/** Settings that switch an endpoint off. */
const switches: Readonly<Partial<Record<EndpointName, string>>> = {
  GetServerDown: 'poll.server_down',
  GetConcurrentUsers: 'poll.concurrent_users',
  GetFeatures: 'poll.features',
  GetExpirationFeatures: 'poll.expirations',
};

/** No analyzer lacks both. */
const alwaysThere: ReadonlySet<EndpointName> = new Set(['GetHttpUserName', 'GetProducts']);

const isMissing = ({ reason = '' }: Pick<Finding, 'reason'>): boolean => /^status \((404|405|501)\)/.test(reason);

/** Whether no path below analyzer.url is one of the API. Some servers ask for a logon on every path. */
export function isElsewhere(endpoints: readonly Finding[]): boolean {
  const missing = endpoints.filter((finding) => alwaysThere.has(finding.endpoint) && isMissing(finding));
  return missing.length === alwaysThere.size;
}

function failureOf(finding: Finding, others: number): Outcome {
  const { endpoint, reason = '' } = finding;
  const more = others === 0 ? '' : `; ${others} more failed`;
  if (!isMissing(finding)) return bad(`${endpoint}: ${reason}${more}`, 'see the table below');
  const setting = switches[endpoint];
  const off = setting === undefined ? '' : `, or set ${setting}: off and do without its data`;
  return bad(
    `the analyzer does not have ${endpoint} (${reason})${more}`,
    `update the analyzer: it is older than the specification${off}`,
  );
}

/** Calls the endpoints of the analyzer in this process. */
async function examineOwn({ answer, config }: OwnSite, evidence: Evidence): Promise<void> {
  evidence.diagnosis = await diagnose({
    plan: planOf(config, false),
    analyzer: embeddedName(),
    absentFields: [],
    wantsNames: hasNames(config),
    ask: (observe) => {
      const { transport } = connectInProcess(answer, { observe });
      return { transport, logonFileProblem: () => undefined, close: transport.close };
    },
  });
}

/** Whether the exporter accepts the answer of each endpoint. */
export const endpointsStep: Step = {
  name: 'endpoints',
  exit: 'endpoints',
  needs: ['logon'],
  applies: () => true,
  check: async (site, evidence) => {
    if (site.kind === 'own') await examineOwn(site, evidence);
    const endpoints = evidence.diagnosis?.endpoints ?? [];
    if (site.kind !== 'own' && isElsewhere(endpoints)) {
      return { ...bad(noQueryApi(site.analyzer.url), USUAL_URL), exit: 'network' };
    }
    const failed = endpoints.filter(({ result }) => result === 'failed');
    const [first] = failed;
    if (first !== undefined) return failureOf(first, failed.length - 1);
    const asked = endpoints.filter(({ result }) => result !== 'not asked');
    const other = asked.filter(({ result }) => result !== 'ok').map(({ endpoint, result }) => `${endpoint} ${result}`);
    const count = `${asked.length - other.length} of ${asked.length} answer as specified`;
    return other.length === 0
      ? good(count)
      : warning(`${count}: ${other.join(', ')}`, 'the exporter accepts that; see the table below');
  },
};
