import { createAlertmanagers, createChannels, type Sending } from '../../alerting/alerting.ts';
import type { Outcome } from '../../alerting/alerts/alertmanager.ts';
import { statusText } from '../../alerting/alerts/answer-text.ts';
import {
  alertsBody,
  createTestNotification,
  type Notification,
  TEST_MINUTES,
} from '../../alerting/alerts/notification.ts';
import type { Channel } from '../../alerting/messages/channel.ts';
import { acceptedText, type TestAnswer, testMessages } from '../../alerting/messages/test-message.ts';
import { analyzerIdentity } from '../../exporter/client/identity.ts';
import type { Config } from '../config/config.ts';
import { externalUrl } from '../config/listeners.ts';
import { loadConfig } from '../config/load.ts';
import { alertmanagerProblem } from '../diagnosis/alertmanager-problem.ts';
import type { CommandContext } from './command.ts';

/** How long the answer to a test message may take, seconds. */
const TIMEOUT = 60;

/** The test to one receiver, which prints nothing. */
interface Test {
  readonly name: string;
  run(): Promise<TestAnswer>;
}

const now = (): number => Date.now() / 1000;

function answerOf(url: string, outcome: Outcome): TestAnswer {
  if (outcome.is === 'accepted') {
    const { status } = outcome;
    return { isAccepted: true, text: acceptedText(status === undefined ? undefined : statusText(status)) };
  }
  const problem = alertmanagerProblem(url, outcome);
  const what = problem === undefined || outcome.is === 'rejected' ? outcome.reason : `it ${problem.does}`;
  return { isAccepted: false, text: `${outcome.is}: ${what}${problem === undefined ? '' : `; ${problem.remedy}`}` };
}

function alertmanagerTests(config: Config, notification: Notification, sending: Sending): readonly Test[] {
  return createAlertmanagers(config, sending).map((alertmanager) => ({
    name: alertmanager.url,
    run: async () => {
      const outcome = await alertmanager.post((ahead) => alertsBody([notification], ahead));
      await alertmanager.close();
      return answerOf(alertmanager.url, outcome);
    },
  }));
}

function channelTests(channel: Channel, notification: Notification): readonly Test[] {
  return testMessages(channel, notification).map(({ setting, send }) => ({
    name: `${channel.receiver} ${channel.target}${setting === '' ? '' : ` (${setting})`}`,
    run: () => send(AbortSignal.timeout(TIMEOUT * 1000)),
  }));
}

/** Sends a test alert to every configured receiver. Returns 0 if all of them accept it, else 1. */
export async function testAlert({ line, env, version, createLog, print }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false });
  // standard output is for the result
  const log = createLog({ ...config.log, level: config.log.level === 'info' ? 'warn' : config.log.level });
  const { alerting } = config;
  const url = externalUrl(config.web);
  const notification = createTestNotification(now(), {
    externalLabels: alerting.externalLabels,
    ...analyzerIdentity(config),
    generatorURL: `${url}/alerts`,
  });
  const sending: Sending = { url, version, now, log };
  const channels = createChannels(config, sending);
  const alertmanagers = alertmanagerTests(config, notification, sending);
  const tests = [...alertmanagers, ...channels.flatMap((channel) => channelTests(channel, notification))];
  if (tests.length === 0) {
    print(
      'No receiver of alerts is configured: alerting.alertmanagers, alerting.email.smarthost and alerting.webhook.url are empty.\n',
    );
    return 1;
  }
  const answers = await Promise.all(
    tests.map(async ({ name, run }) => {
      const started = performance.now();
      const answer = await run();
      print(`${name}  ${answer.text} (${(performance.now() - started).toFixed(0)} ms)\n`);
      return answer;
    }),
  );
  await Promise.all(channels.map((channel) => channel.close()));
  const labels = Object.entries(notification.labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const end = alertmanagers.length === 0 ? '' : `; it resolves within ${TEST_MINUTES} minutes`;
  print(`The alert was {${labels.join(', ')}}${end}.\n`);
  return answers.every(({ isAccepted }) => isAccepted) ? 0 : 1;
}
