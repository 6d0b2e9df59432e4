import { randomUUID } from 'node:crypto';
import type { Notification } from '../alerts/notification.ts';
import type { Channel, SendOutcome } from './channel.ts';
import { groupOf } from './message-group.ts';

/** The message of the command `test-alert`. */

/** What a receiver made of a test. */
export interface TestAnswer {
  readonly isAccepted: boolean;
  /** One line: what it answered, or why there is no answer, with the remedy. */
  readonly text: string;
}

/** `accepted: 250 2.0.0 queued as 4F2`. */
export const acceptedText = (answer: string | undefined): string =>
  answer === undefined || answer === '' ? 'accepted' : `accepted: ${answer}`;

interface TestMessage {
  /** Which setting names the addresses; empty for a webhook. */
  readonly setting: string;
  /** Never throws. */
  send(signal: AbortSignal): Promise<TestAnswer>;
}

function answerOf(outcome: SendOutcome): TestAnswer {
  if (outcome.is === 'refused') return { isAccepted: false, text: `refused: ${outcome.answer ?? outcome.reason}` };
  if (outcome.is === 'unknown') return { isAccepted: false, text: `unknown: ${outcome.reason}` };
  if (outcome.refused.length === 0) return { isAccepted: true, text: acceptedText(outcome.answer) };
  const refused = outcome.refused.map(({ recipient, reason }) => `${recipient.setting}: ${reason}`).join('; ');
  return { isAccepted: false, text: `refused: ${refused}; for the other addresses, ${acceptedText(outcome.answer)}` };
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
