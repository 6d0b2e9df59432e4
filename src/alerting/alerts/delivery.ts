import type { Log } from '../../base/model/log.ts';
import { limitRepeats } from '../../base/model/repeat-log.ts';
import { type Alertmanager, CONNECTIONS } from './alertmanager.ts';
import { alertsBody, type Notification } from './notification.ts';

/** Counts of one Alertmanager. They survive a reload, because a counter must not decrease. */
export interface DeliveryCounts {
  sent: number;
  errors: number;
  dropped: number;
  /** Epoch seconds of the last delivery or heartbeat that was accepted. */
  lastSuccess: number | undefined;
}

/** Counts of a target to which nothing has been sent. */
export const createCounts = (): DeliveryCounts => ({ sent: 0, errors: 0, dropped: 0, lastSuccess: undefined });

/** Why alerts are not delivered. */
interface DeliveryFailure {
  /** Epoch seconds of the first failure in succession. */
  readonly since: number;
  /** Of the last one: one line. */
  readonly reason: string;
}

/** A receiver other than an Alertmanager. */
export interface ReceiverStatus {
  readonly receiver: 'email' | 'webhook';
  /** An address or a URL, without secrets. */
  readonly target: string;
  /** Epoch seconds; `undefined` if nothing was accepted yet. */
  readonly lastSuccess: number | undefined;
  /** `undefined` if the last message was accepted, and before the first one. */
  readonly failing: DeliveryFailure | undefined;
  /** Messages that wait. */
  readonly waiting: number;
}

interface DeliveryOptions {
  readonly alertmanager: Alertmanager;
  readonly counts: DeliveryCounts;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** The queue of one Alertmanager, independent of the others. */
export interface Delivery {
  readonly url: string;
  readonly counts: DeliveryCounts;
  /** Adds notifications to the queue and starts sending. */
  enqueue(notifications: readonly Notification[]): void;
  /** Sends an empty list, unless requests are running. */
  heartbeat(): void;
  queueLength(): number;
  /** `undefined` if the last request was accepted, and before the first one. */
  failing(): DeliveryFailure | undefined;
  /** Sends the rest of the queue for at most `seconds`, and closes the connections. */
  stop(seconds: number): Promise<void>;
}

/** Maximum number of alerts in a request, as in Prometheus. A proxy with a limit of 1 MiB lets it pass. */
const BATCH = 256;
/** Maximum number of alerts in the queue. */
export const QUEUE_CAPACITY = 10_000;

/**
 * Sends alerts to one Alertmanager in batches, in the order of the queue, as many at once as there are connections. An alert is
 * in one request at a time, so that its end cannot be overtaken by its start. A failed batch is dropped: the next resend is the
 * retry. A batch whose content is refused is sent again alert by alert, because Alertmanager refuses all of it for one bad alert.
 */
export function createDelivery({ alertmanager, counts, now, log }: DeliveryOptions): Delivery {
  const { url } = alertmanager;
  /** By alert: a newer notification replaces a queued one, so each alert has at most one entry. */
  const queue = new Map<string, Notification>();
  const stopping = new AbortController();
  /** Of the alerts in requests. A newer notification of one of them waits in the queue. */
  const sending = new Set<string>();
  const running = new Set<Promise<void>>();
  let failing: DeliveryFailure | undefined;
  const limitedLog = limitRepeats(log);

  const report = (reason: string | undefined): void => {
    if (reason !== undefined && failing === undefined) log.warn({ alertmanager: url, reason }, 'alerts not delivered');
    if (reason === undefined && failing !== undefined) log.info({ alertmanager: url }, 'alerts are delivered again');
    failing = reason === undefined ? undefined : { since: failing?.since ?? now(), reason };
  };

  /** Sends one request and counts it. @returns whether the batch must be split */
  const post = async (batch: readonly Notification[]): Promise<boolean> => {
    const outcome = await alertmanager.post((ahead) => alertsBody(batch, ahead), stopping.signal);
    if (outcome.is === 'accepted') {
      counts.sent += batch.length;
      counts.lastSuccess = now();
      report(undefined);
      return false;
    }
    if (outcome.is === 'failed') {
      // a failed heartbeat counts as one alert
      counts.errors += Math.max(1, batch.length);
      report(outcome.reason);
      return false;
    }
    if (batch.length > 1) return true;
    counts.errors += 1;
    counts.dropped += batch.length;
    limitedLog.warn(
      { alertmanager: url, reason: outcome.reason, labels: batch[0]?.labels },
      'alert refused by Alertmanager',
    );
    return false;
  };

  const takeBatch = (): readonly Notification[] => {
    const batch: Notification[] = [];
    for (const notification of queue.values()) {
      const { key, isFiring, endsAt } = notification;
      if (batch.length === BATCH) break;
      if (sending.has(key)) continue;
      queue.delete(key);
      // Alertmanager would take a firing alert whose endsAt has passed for resolved
      if (isFiring && endsAt <= now()) counts.dropped += 1;
      else batch.push(notification);
    }
    return batch;
  };

  const deliver = async (batch: readonly Notification[]): Promise<void> => {
    if (!(await post(batch))) return;
    for (const notification of batch) await post([notification]);
  };

  const send = (batch: readonly Notification[]): void => {
    for (const { key } of batch) sending.add(key);
    const done = deliver(batch)
      .catch((error: unknown) => log.error({ alertmanager: url, err: error }, 'delivery failed unexpectedly'))
      .then(() => {
        for (const { key } of batch) sending.delete(key);
        running.delete(done);
        sendQueue();
      });
    running.add(done);
  };

  const sendQueue = (): void => {
    while (running.size < CONNECTIONS && !stopping.signal.aborted) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      send(batch);
    }
  };

  return {
    url,
    counts,
    enqueue: (notifications) => {
      for (const notification of notifications) {
        queue.set(notification.key, notification);
        if (queue.size <= QUEUE_CAPACITY) continue;
        for (const key of queue.keys().take(1)) queue.delete(key);
        counts.dropped += 1;
      }
      sendQueue();
    },
    heartbeat: () => {
      if (running.size === 0) send([]);
    },
    queueLength: () => queue.size,
    failing: () => failing,
    stop: async (seconds) => {
      const timer = setTimeout(() => stopping.abort(), seconds * 1000);
      while (running.size > 0) await Promise.all(running);
      clearTimeout(timer);
      stopping.abort();
      await alertmanager.close();
    },
  };
}
