import type { Labels } from '../../src/alerting/alerts/alert.ts';
import { createRecordedMails } from '../support/recorded-mails.ts';
import { keyOf } from '../support/routed-messages.ts';
import { type MessagesOptions, sendMessages } from '../support/site-messages.ts';
import type { Firing, Watched } from './firing.ts';

/** A site with license-exporter: the real engine, and its two ways to people. */

const DAY = 86_400;

export interface BothWays {
  /** By the example for Alertmanager. */
  readonly routed: Watched;
  /** By mails of the daemon itself. */
  readonly mailed: Watched;
}

/** Notes when alerts fire. */
function createNotebook() {
  const open = new Map<string, Firing>();
  const firings: Firing[] = [];
  return {
    /** Takes what fires at a time. */
    note: (at: number, firing: Iterable<Labels>): void => {
      const keys = new Set<string>();
      for (const labels of firing) {
        const key = keyOf(labels);
        keys.add(key);
        if (!open.has(key)) open.set(key, { labels, from: at, to: at });
      }
      for (const [key, one] of open) {
        if (keys.has(key)) continue;
        open.delete(key);
        firings.push({ ...one, to: at });
      }
    },
    /** All of them, at the end. */
    close: (at: number): readonly Firing[] => [...firings, ...[...open.values()].map((one) => ({ ...one, to: at }))],
  };
}

/** @param onDay called after each day that was watched */
export async function watchSite(
  options: Omit<MessagesOptions, 'onEvaluated'>,
  onDay: (day: number) => void = () => undefined,
): Promise<BothWays> {
  const { from, seconds, interval } = options;
  const atAlertmanager = createNotebook();
  const own = createNotebook();
  const mails = createRecordedMails(from);
  const { messages } = await sendMessages({
    ...options,
    onEvaluated: async (firing, handOver) => {
      const { at, alerts } = handOver;
      atAlertmanager.note(at, firing);
      const firingHere = [...alerts.values()].filter(({ state }) => state === 'firing');
      own.note(
        at,
        firingHere.map(({ labels }) => labels),
      );
      await mails.pass(handOver, at + interval);
      if ((at - from) % DAY === 0) onDay((at - from) / DAY);
    },
  });
  await mails.stop();
  const end = from + seconds;
  return {
    routed: { firings: atAlertmanager.close(end), messages },
    mailed: { firings: own.close(end), messages: mails.messages },
  };
}
