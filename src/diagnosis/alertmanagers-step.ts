import type { Alertmanager } from '../alerts/alertmanager.ts';
import { createAlertmanagers } from '../app/alerting.ts';
import { type Explanation, explainConnection, type Peer } from '../model/connection-failure.ts';
import { explained, good, type Step } from './step.ts';

const peerOf = ({ url }: Alertmanager): Peer => ({
  name: `the Alertmanager ${url}`,
  url: 'alerting.alertmanagers',
  tls: 'alerting.alertmanagers[].tls_config',
});

/** Why an Alertmanager does not accept alerts, as far as a request for its status shows. */
async function problemOf(alertmanager: Alertmanager): Promise<Explanation | undefined> {
  const outcome = await alertmanager.status();
  if (outcome.is === 'accepted') return undefined;
  const { status, reason, error } = outcome;
  const peer = peerOf(alertmanager);
  if (status === undefined) {
    const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
    const why = explainConnection(code, error, peer);
    return {
      finding: `${peer.name} cannot be reached: ${why?.finding ?? reason}`,
      remedy: why?.remedy ?? `check ${peer.url}, and whether it is running`,
    };
  }
  if (status === 401 || status === 403) {
    return {
      finding: `${peer.name} requires a logon, or does not accept the one that is configured (status ${status})`,
      remedy: 'set basic_auth or authorization in its entry of alerting.alertmanagers',
    };
  }
  if (status === 404 || status === 200) {
    return {
      finding: `${peer.name} is no Alertmanager, or its API has another path (${reason})`,
      remedy: 'write its base URL in alerting.alertmanagers, such as http://alertmanager:9093, or set path_prefix',
    };
  }
  return { finding: `${peer.name} does not answer as it should: ${reason}`, remedy: 'check its log' };
}

/** Whether every Alertmanager answers. No alert is sent: `test-alert` does that. */
export const alertmanagersStep: Step = {
  name: 'Alertmanagers',
  exit: 'delivery',
  needs: [],
  applies: ({ kind, config }) => kind !== 'demo' && config.alerting.alertmanagers.length > 0,
  check: async ({ config, version, log }) => {
    const alertmanagers = createAlertmanagers(config, version, () => Date.now() / 1000, log);
    try {
      const problems = await Promise.all(alertmanagers.map(problemOf));
      const problem = problems.find((found) => found !== undefined);
      return problem === undefined
        ? good(`${alertmanagers.length} of ${alertmanagers.length} answer`)
        : explained(problem);
    } finally {
      await Promise.all(alertmanagers.map((alertmanager) => alertmanager.close()));
    }
  },
};
