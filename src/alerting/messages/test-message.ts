import { randomUUID } from 'node:crypto';
import type { Notification } from '../alerts/notification.ts';
import type { Channel, SendOutcome } from './channel.ts';
import { groupOf } from './message-group.ts';

/** The message of the command `test-alert`. */

/** `accepted`, or what went wrong, in one line without secrets. */
export type TestAnswer = string;

interface TestMessage {
  /** Which setting names the addresses; empty for a webhook. */
  readonly setting: string;
  /** Never throws. */
  send(signal: AbortSignal): Promise<TestAnswer>;
}

function answerOf(outcome: SendOutcome): TestAnswer {
  if (outcome.is === 'refused') return `refused: ${outcome.reason}`;
  if (outcome.is === 'unknown') return `unknown: ${outcome.reason}`;
  if (outcome.refused.length === 0) return 'accepted';
  return `refused: ${outcome.refused.map(({ recipient, reason }) => `${recipient.setting}: ${reason}`).join('; ')}`;
}

/** One message to each list of addresses, or to the webhook. */
export function testMessages(channel: Channel, notification: Notification): readonly TestMessage[] {
  const { labels: all, annotations, startsAt } = notification;
  const { analyzer = '', ...labels } = all;
  return ['', ...channel.owners].map((owner) => ({
    setting: channel.receiver === 'webhook' ? '' : `alerting.email.${owner === '' ? 'to' : `owners.${owner}`}`,
    send: async (signal) => {
      const id = randomUUID();
      const episodes = [{ startsAt, state: 'firing' as const, at: startsAt, dueSince: startsAt }];
      const notices = [{ key: 'test', labels, annotations, episodes, isNew: true, alert: undefined }];
      const group = groupOf(labels, { analyzer, hasDigest: false, ownerOf: () => (owner === '' ? undefined : owner) });
      const draft = await channel.writeGroup({ group, notices, isReminder: false }, id, startsAt);
      const message = { ...draft, key: 'test', id, at: startsAt, covered: [] };
      return answerOf(await channel.send(message, signal));
    },
  }));
}
