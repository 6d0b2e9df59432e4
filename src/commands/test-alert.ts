import { alertsBody, createTestNotification, TEST_MINUTES } from '../alerts/notification.ts';
import { createAlertmanagers, externalUrl } from '../app/alerting.ts';
import { analyzerIdentity } from '../app/identity.ts';
import { loadConfig } from '../config/load.ts';
import { cronProblem } from '../poll/schedule.ts';
import type { CommandContext } from './command.ts';

/** Sends a test alert to every configured Alertmanager. Returns 0 if all of them accept it, else 1. */
export async function testAlert({ line, env, version, createLog, print }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false, cronProblem });
  // standard output is for the result
  const log = createLog({ ...config.log, level: config.log.level === 'info' ? 'warn' : config.log.level });
  const alertmanagers = createAlertmanagers(config, version, log);
  if (alertmanagers.length === 0) {
    print('No Alertmanager is configured: alerting.alertmanagers is empty.\n');
    return 1;
  }
  const { alerting } = config;
  const notification = createTestNotification(Date.now() / 1000, {
    externalLabels: alerting.externalLabels,
    ...analyzerIdentity(config),
    generatorURL: `${externalUrl(config)}/alerts`,
  });
  const outcomes = await Promise.all(
    alertmanagers.map(async (alertmanager) => {
      const started = performance.now();
      const outcome = await alertmanager.post(alertsBody([notification]));
      const took = `${(performance.now() - started).toFixed(0)} ms`;
      await alertmanager.close();
      print(
        `${alertmanager.url}  ${outcome.is === 'accepted' ? 'accepted' : `${outcome.is}: ${outcome.reason}`} (${took})\n`,
      );
      return outcome.is === 'accepted';
    }),
  );
  const labels = Object.entries(notification.labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  print(`The alert was {${labels.join(', ')}}; it resolves within ${TEST_MINUTES} minutes.\n`);
  return outcomes.every((accepted) => accepted) ? 0 : 1;
}
