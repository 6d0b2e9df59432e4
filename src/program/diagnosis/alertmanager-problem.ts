import type { Outcome } from '../../alerting/alerts/alertmanager.ts';
import { ProxyError } from '../../alerting/alerts/proxy.ts';
import { explainConnection } from '../../base/model/connection-failure.ts';

/** Why an Alertmanager does not accept alerts, for `doctor` and `test-alert`. */

interface AlertmanagerProblem {
  /** `cannot be reached: …`, after the name of the Alertmanager. */
  readonly does: string;
  readonly remedy: string;
}

const SETTING = 'alerting.alertmanagers';
const BASE_URL = `write its base URL in ${SETTING}, such as http://alertmanager:9093, or set path_prefix`;

/** @param url of the Alertmanager @param outcome of a request for its status, or with an alert */
export function alertmanagerProblem(url: string, outcome: Outcome): AlertmanagerProblem | undefined {
  if (outcome.is === 'accepted') return undefined;
  const { status, reason } = outcome;
  if (outcome.is === 'rejected') {
    const remedy = `check its log; a receiver that is no Alertmanager belongs in alerting.webhook, not in ${SETTING}`;
    return { does: `refuses the alert (${reason})`, remedy };
  }
  if (status === undefined) {
    const { error } = outcome;
    const peer = { name: `the Alertmanager ${url}`, url: SETTING, tls: `${SETTING}[].tls_config` };
    const { code } = (error ?? {}) as { code?: unknown };
    const why = error instanceof ProxyError ? error : explainConnection(code, error, peer);
    return {
      does: `cannot be reached: ${why?.finding ?? reason}`,
      remedy: why?.remedy ?? `check ${SETTING}, whether it is running, and its load`,
    };
  }
  if (status === 401 || status === 403) {
    return {
      does: `requires a logon, or does not accept the one that is configured (${reason})`,
      remedy: `set basic_auth or authorization in its entry of ${SETTING}`,
    };
  }
  if (status === 404 || status === 405 || status === 200) {
    return { does: `is no Alertmanager, or its API has another path (${reason})`, remedy: BASE_URL };
  }
  return { does: `does not answer as it should: ${reason}`, remedy: 'check its log' };
}
