import type { Log } from '../../base/model/log.ts';
import type { Alertmanager } from './alertmanager.ts';
import { createDelivery, type DeliveryCounts } from './delivery.ts';
import type { SentAlerts } from './groups.ts';
import { createNotification, type NotificationOptions } from './notification.ts';

/** One Alertmanager to send to. */
export interface DeliveryTarget {
  readonly alertmanager: Alertmanager;
  readonly counts: DeliveryCounts;
}

/** The targets of alerts, and how often each is told again. */
export interface NotifierOptions extends Omit<NotificationOptions, 'validity'> {
  readonly targets: readonly DeliveryTarget[];
  /** Seconds. */
  readonly resendDelay: number;
  readonly evaluationInterval: number;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** Alertmanager resolves an alert after this many missed resends. */
const MISSED_RESENDS = 4;
/** Delivery counts as working for this many resend delays after a success. */
export const ACTIVE_RESENDS = 2;
/** How long the queues are sent at stop, seconds. */
const DRAIN_SECONDS = 5;

/** Sends alerts to every Alertmanager, and sends them again; without one, it does nothing. Times are epoch seconds. */
export function createNotifier({ targets, resendDelay, now, log, ...options }: NotifierOptions) {
  const deliveries = targets.map((target) => createDelivery({ ...target, now, log }));
  const validity = MISSED_RESENDS * Math.max(options.evaluationInterval, resendDelay);
  let lastHeartbeat: number | undefined;
  /** When each alert was last queued, and in which state. */
  const queued = new Map<string, { readonly state: string; readonly at: number }>();
  const lastSuccesses = () => deliveries.map(({ counts }) => counts.lastSuccess ?? Number.NEGATIVE_INFINITY);

  /** If the clock was set back, everything is due. */
  const isDue = (last: number | undefined, at: number): boolean =>
    last === undefined || at - last >= resendDelay || last > at;

  return {
    deliveries,
    /** Queues the alerts that are due, or a heartbeat if there are no alerts. */
    send: (alerts: SentAlerts, at: number): void => {
      if (deliveries.length === 0) return;
      for (const key of queued.keys()) if (!alerts.has(key)) queued.delete(key);
      const active = [...alerts].filter(([, { state }]) => state !== 'pending');
      const due = active.filter(([key, { state }]) => {
        const last = queued.get(key);
        return last?.state !== state || isDue(last.at, at);
      });
      const notifications = due.map(([key, alert]) => createNotification(key, alert, at, { ...options, validity }));
      for (const [key, { state }] of due) queued.set(key, { state, at });
      for (const delivery of deliveries) delivery.enqueue(notifications);
      if (active.length > 0 || !isDue(lastHeartbeat, at)) return;
      lastHeartbeat = at;
      for (const delivery of deliveries) delivery.heartbeat();
    },
    /** When the next alert or heartbeat is due; `Infinity` before the first one. */
    nextDue: (): number => {
      const last = queued.values().reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
      const due = (queued.size === 0 ? lastHeartbeat : last) ?? Number.POSITIVE_INFINITY;
      return due + resendDelay;
    },
    /** When every Alertmanager had accepted something: the earliest of their last times. `-Infinity` if one never did. */
    deliveredAt: (): number => Math.min(now(), ...lastSuccesses()),
    /** Whether an Alertmanager accepted alerts or a heartbeat recently. */
    isDelivering: (): boolean => Math.max(...lastSuccesses()) > now() - ACTIVE_RESENDS * resendDelay,
    /** Sends the rest of the queues for a few seconds, then drops it. */
    stop: async (): Promise<void> => {
      await Promise.all(deliveries.map((delivery) => delivery.stop(DRAIN_SECONDS)));
    },
  };
}
