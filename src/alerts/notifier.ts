import type { Log } from '../model/log.ts';
import type { Labels } from './alert.ts';
import type { Alertmanager } from './alertmanager.ts';
import { createDelivery, type Delivery, type DeliveryCounts } from './delivery.ts';
import type { SentAlerts } from './groups.ts';
import { createNotification } from './notification.ts';

/** One Alertmanager to send to. */
export interface DeliveryTarget {
  readonly alertmanager: Alertmanager;
  readonly counts: DeliveryCounts;
}

export interface NotifierOptions {
  readonly targets: readonly DeliveryTarget[];
  readonly commonLabels: Labels;
  /** The page of alerts. */
  readonly generatorUrl: string;
  /** How long Alertmanager keeps a firing alert without any news about it, if that is longer than four resend delays, seconds. */
  readonly unknownHold: number;
  /** Seconds. */
  readonly resendDelay: number;
  readonly evaluationInterval: number;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** Sends alerts to every Alertmanager, and sends them again; without one, it does nothing. Times are epoch seconds. */
export interface Notifier {
  readonly deliveries: readonly Delivery[];
  /** Queues the alerts that are due, or a heartbeat if there are no alerts. */
  send(alerts: SentAlerts, at: number): void;
  /** When the next alert or heartbeat is due; `undefined` before the first one. */
  nextDue(): number | undefined;
  /** When every Alertmanager had accepted something: the earliest of their last times. `-Infinity` if one never did. */
  deliveredAt(): number;
  /** Whether an Alertmanager accepted alerts or a heartbeat recently. */
  isDelivering(): boolean;
  /** Sends the rest of the queues for a few seconds, then drops it. */
  stop(): Promise<void>;
}

/** Alertmanager resolves an alert after this many missed resends. */
const MISSED_RESENDS = 4;
/** Delivery counts as working for this many resend delays after a success. */
export const ACTIVE_RESENDS = 2;
/** How long the queues are sent at stop, seconds. */
const DRAIN_SECONDS = 5;

export function createNotifier({ targets, resendDelay, now, log, ...options }: NotifierOptions): Notifier {
  const deliveries = targets.map((target) => createDelivery({ ...target, now, log }));
  const notificationOptions = {
    commonLabels: options.commonLabels,
    validity: MISSED_RESENDS * Math.max(options.evaluationInterval, resendDelay),
    unknownHold: options.unknownHold,
    generatorURL: options.generatorUrl,
  };
  let lastHeartbeat: number | undefined;
  /** When each alert was last queued, and in which state. */
  const queued = new Map<string, { readonly state: string; readonly at: number }>();

  /** If the clock was set back, everything is due. */
  const isDue = (last: number | undefined, at: number): boolean =>
    last === undefined || at - last >= resendDelay || last > at;

  return {
    deliveries,
    send: (alerts, at) => {
      if (deliveries.length === 0) return;
      const active = [...alerts].filter(([, { state }]) => state !== 'pending');
      for (const key of queued.keys()) if (!alerts.has(key)) queued.delete(key);
      const due = active.filter(([key, { state }]) => {
        const last = queued.get(key);
        return last?.state !== state || isDue(last.at, at);
      });
      for (const [key, { state }] of due) queued.set(key, { state, at });
      if (due.length > 0) {
        const notifications = due.map(([key, alert]) => createNotification(key, alert, at, notificationOptions));
        for (const delivery of deliveries) delivery.enqueue(notifications);
      }
      if (active.length === 0 && isDue(lastHeartbeat, at)) {
        lastHeartbeat = at;
        for (const delivery of deliveries) delivery.heartbeat();
      }
    },
    nextDue: () => {
      const times = [...queued.values()].map(({ at }) => at);
      const last = times.length === 0 ? lastHeartbeat : times.reduce((a, b) => Math.min(a, b));
      return last === undefined ? undefined : last + resendDelay;
    },
    deliveredAt: () =>
      Math.min(now(), ...deliveries.map(({ counts: { lastSuccess } }) => lastSuccess ?? Number.NEGATIVE_INFINITY)),
    isDelivering: () => {
      const limit = now() - ACTIVE_RESENDS * resendDelay;
      return deliveries.some(({ counts: { lastSuccess } }) => lastSuccess !== undefined && lastSuccess > limit);
    },
    stop: async () => {
      await Promise.all(deliveries.map((delivery) => delivery.stop(DRAIN_SECONDS)));
    },
  };
}
