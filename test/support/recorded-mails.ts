import { setImmediate } from 'node:timers/promises';
import type { Labels } from '../../src/alerting/alerts/alert.ts';
import type { HandOver } from '../../src/alerting/alerts/engine.ts';
import type { Channel } from '../../src/alerting/messages/channel.ts';
import { createMessages } from '../../src/alerting/messages/messages.ts';
import { createMessageCounts } from '../../src/alerting/messages/receiver-state.ts';
import { alerting as alertingSection } from '../../src/alerting/settings.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { nextRunOnce } from '../../src/base/scheduling/runs.ts';
import { sectionDefaults } from '../../src/base/settings/table.ts';
import { failingLog } from './failing-log.ts';
import { SITE_ZONE } from './polled-site.ts';
import type { RoutedMessage } from './routed-messages.ts';
import { writingChannel } from './writing-channel.ts';

/**
 * The mails that the daemon itself sends with its default settings, in simulated time, and what each of them names. Its outbox has a
 * timer of the real clock beside the simulated one, so it is woken by the alerts: every 30 seconds, as often as the engine hands
 * them over by default.
 */

/** Default of `alerting.email.digest`. */
const DIGEST = '0 7 * * 1-5';
/** Default of `alerting.evaluation_interval`, seconds. */
const STEP = 30;

export interface RecordedMails {
  readonly messages: readonly RoutedMessage[];
  /** Hands over the alerts of an evaluation, and the same ones again, until the next evaluation. */
  pass(handOver: HandOver, until: number): Promise<void>;
  stop(): Promise<void>;
}

/** @param from epoch seconds */
export function createRecordedMails(from: number): RecordedMails {
  const localTime = createLocalTime(SITE_ZONE);
  const sent: RoutedMessage[] = [];
  const labelsOf = new Map<string, Labels>();
  let now = from;
  /** All runs of the digest until now and the next one: it is asked at each step. */
  const runs = [nextRunOnce(DIGEST, from - 2 * 86_400, localTime.offsetAt)];
  const channel: Channel = {
    ...writingChannel(),
    writeGroup: async () => ({ body: '', to: [] }),
    send: async ({ covered }) => {
      const [firing = [], resolved = []] = [true, false].map((fires) =>
        covered.flatMap(({ key, episodes }) =>
          episodes.filter(({ state }) => (state === 'firing') === fires).map(() => labelsOf.get(key) as Labels),
        ),
      );
      sent.push({ at: now, receiver: 'email', firing, resolved });
      return { is: 'accepted', refused: [] };
    },
  };
  const messages = createMessages({
    ...sectionDefaults(alertingSection),
    receivers: [
      {
        channel,
        counts: createMessageCounts(),
        schedule: {
          nextRun: (after) => {
            for (let last = runs.at(-1); last !== undefined && last <= after; last = runs.at(-1))
              runs.push(nextRunOnce(DIGEST, last, localTime.offsetAt));
            return runs[runs.findLastIndex((run) => run <= after) + 1] as number;
          },
          dayStart: (at) => localTime.startOf(localTime.dayOf(at)),
        },
      },
    ],
    analyzer: 'lic:80',
    file: undefined,
    initial: new Map(),
    now: () => now,
    log: failingLog,
  });
  messages.start();
  return {
    messages: sent,
    pass: async ({ changes, ...handOver }, until) => {
      for (const [key, { labels }] of handOver.alerts) labelsOf.set(key, labels);
      for (now = handOver.at; now < until; now += STEP) {
        messages.take({ ...handOver, at: now, changes: now === handOver.at ? changes : [] });
        // what is due has been sent
        await setImmediate();
      }
    },
    stop: () => messages.stop(),
  };
}
