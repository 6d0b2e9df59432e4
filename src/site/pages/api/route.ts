import type { AlertState } from '../../../alerting/alerts/alert.ts';
import { mostUrgentFirst } from '../../../alerting/alerts/alert-selection.ts';
import { type EngineStatus, isEvaluatedLately } from '../../../alerting/alerts/engine-status.ts';
import type { Rule } from '../../../alerting/alerts/rule.ts';
import { sendError } from '../../grafana/protocols/api-error.ts';
import { readAttention } from '../alert-list.ts';
import type { PageContext } from '../page.ts';
import type { Routes } from '../routes.ts';

/** The engine's status as the JSON of Prometheus' HTTP API, for tools that read its alerts and rules, and what needs attention. */

const timestamp = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** A number in the format of Prometheus (Go's %e); NaN if it is unknown. */
const goFloat = (value: number): string => value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');

const isShown = ({ state }: AlertState): boolean => state !== 'resolved';

const alertJson = (alert: AlertState, { commonLabels }: EngineStatus): object => ({
  labels: { ...commonLabels, ...alert.labels },
  annotations: alert.annotations,
  state: alert.state,
  activeAt: timestamp(alert.activeAt),
  ...(alert.keepFiringSince !== undefined && { keepFiringSince: timestamp(alert.keepFiringSince) }),
  value: goFloat(alert.value ?? Number.NaN),
});

/** When the rules were evaluated, and for how long. */
const timing = ({ lastEvaluation: { at, seconds } = { at: 0, seconds: 0 } }: EngineStatus): object => ({
  evaluationTime: seconds,
  lastEvaluation: timestamp(at),
});

const success = (data: object): object => ({ status: 'success', data });

/** Pending and firing alerts, the most urgent first. */
export function alertsJson(status: EngineStatus): object {
  return success({ alerts: mostUrgentFirst(status.alerts.filter(isShown)).map((alert) => alertJson(alert, status)) });
}

/** Replaces the PromQL expression: the name and the thresholds of the rule. Durations are seconds. */
function queryOf({ name, parameters }: Rule): string {
  const { enabled: _on, for: _for, keepFiringFor: _keep, ...thresholds } = parameters;
  const given = Object.entries(thresholds).filter(([, value]) => value !== undefined);
  return `${name}(${given.map(([key, value]) => `${key}=${value}`).join(', ')})`;
}

function ruleJson(rule: Rule, status: EngineStatus, isCurrent: boolean): object {
  const alerts = mostUrgentFirst(status.alerts.filter((alert) => alert.rule === rule.id && isShown(alert)));
  const durations = rule.durations({});
  return {
    state: alerts.some(({ state }) => state === 'firing') ? 'firing' : alerts.length > 0 ? 'pending' : 'inactive',
    name: rule.name,
    query: queryOf(rule),
    duration: durations.for,
    keepFiringFor: durations.keepFiringFor,
    labels: { severity: rule.severity },
    annotations: {},
    alerts: alerts.map((alert) => alertJson(alert, status)),
    // without data, inactive does not mean that all is well
    health: isCurrent && status.withData.has(rule.name) ? 'ok' : 'unknown',
    ...timing(status),
    type: 'alerting',
  };
}

/** The rules about what is configured, in one group. There is no group if only recording rules are requested. */
function rulesJson(status: EngineStatus, type: string | undefined, now: number): object {
  if (type === 'record') return success({ groups: [] });
  const isCurrent = isEvaluatedLately(status, now);
  const group = {
    name: 'license-exporter',
    file: 'license-exporter',
    interval: status.evaluationInterval,
    limit: 0,
    rules: status.rules
      .filter(({ name }) => !status.notConfigured.has(name))
      .map((rule) => ruleJson(rule, status, isCurrent)),
    ...timing(status),
  };
  return success({ groups: [group] });
}

/** Alerts and rules, for tools that read those of Prometheus, and what needs attention, the most urgent first. */
export const apiRoutes = ({ engine, backend, deadline, now }: PageContext): Routes => ({
  '/alerts': async () => alertsJson(engine()),
  '/attention': async (request, reply) => {
    try {
      const attention = await readAttention(backend(request), AbortSignal.timeout(deadline() * 1000));
      return { status: 'success', data: { attention } };
    } catch (error) {
      return sendError(reply, 503, (error as Error).message);
    }
  },
  '/rules': async (request, reply) => {
    const { type } = request.query as { type?: string | string[] };
    if (type === undefined || type === 'alert' || type === 'record') return rulesJson(engine(), type, now());
    return sendError(reply, 400, `not supported value ${JSON.stringify(type)} of type; valid are alert and record`);
  },
});
